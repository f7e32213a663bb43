import { lookup } from "node:dns/promises";
import type { AddressRules } from "../devices/change-devices.ts";
import { isPublicAddress } from "../devices/public-address.ts";

/**
 * Decides which addresses notices may go to: those on the public internet, and on the local runner also those of this
 * machine. Lambda sets the variable itself, to the address of its API, and refuses templates that contain it.
 */
export function deviceRules(): AddressRules {
  const isLocal = process.env.AWS_LAMBDA_RUNTIME_API === "local";
  return {
    isAllowed: (address) => isPublicAddress(address) || (isLocal && address === "127.0.0.1"),
    isPlainAllowed: isLocal,
    // Knows the names that this machine gives itself, too.
    ...(isLocal && { find: (host: string) => lookup(host, { all: true }) }),
  };
}
