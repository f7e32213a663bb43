import { randomBytes } from "node:crypto";
import type { Network } from "../../core/network.ts";
import { evmDerivations } from "./evm-derivations.ts";
import { type Derivations, type PrivateKey, withWipe } from "./secret.ts";
import { solanaDerivations } from "./solana-derivations.ts";

const derivationsOf = (network: Network): Derivations =>
  network === "sol" ? solanaDerivations : evmDerivations;

/**
 * Derives the address of a private key.
 *
 * @throws {Error} if the secret is not in the range of the curve.
 */
export async function addressOf(network: Network, secret: Uint8Array): Promise<string> {
  const [derive] = derivationsOf(network);
  return derive(secret);
}

/**
 * Generates a private key from the platform's random bytes. A fault in one library would send coins to an address
 * without a known key, so another library must derive the same address.
 *
 * @throws {Error} if the libraries derive different addresses.
 */
export async function generateKey(network: Network, derivations?: Derivations): Promise<PrivateKey> {
  const [first, second] = derivations ?? derivationsOf(network);
  const secret = randomBytes(32);
  try {
    const address = await first(secret);
    if ((await second(secret)) !== address) throw new Error("Two libraries derive different addresses");
    return withWipe(address, secret);
  } catch (error) {
    secret.fill(0);
    throw error;
  }
}
