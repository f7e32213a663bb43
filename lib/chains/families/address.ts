import { getAddress } from "ethers/address";
import { isBase58 } from "../../core/base58.ts";
import { DomainError } from "../../core/domain-error.ts";
import type { Network } from "../../core/network.ts";

/** Describes the problem with an address of a network, in words that follow the name of its field. */
export const addressProblem = (network: Network, text: string): string | undefined =>
  network === "sol" ? solProblem(text) : evmProblem(text);

function evmProblem(text: string): string | undefined {
  if (!/^0x[\da-f]{40}$/i.test(text)) return "must be an address: 0x and 40 hex digits";
  if (/^0x0+$/i.test(text)) return "must not be the zero address";
  try {
    checksummed(text);
    return undefined;
  } catch {
    return "has a wrong checksum. Compare it with its source, or write it in lower case";
  }
}

const solProblem = (text: string): string | undefined =>
  isBase58(text, 32) ? undefined : "must be an address: base58 of 32 bytes";

/** Programs that write hex in upper case also write the prefix so. */
const checksummed = (text: string): string => getAddress(text.replace(/^0X/, "0x"));

/**
 * Converts an address to the form in which it is stored and shown: EIP-55 on EVM chains. Base58 has one form only.
 *
 * @throws {DomainError} INVALID_REQUEST
 */
export function readAddress(network: Network, text: string, field: string): string {
  const problem = addressProblem(network, text);
  if (problem !== undefined) throw new DomainError("INVALID_REQUEST", `${field} ${problem}`, { field });
  return network === "sol" ? text : checksummed(text);
}
