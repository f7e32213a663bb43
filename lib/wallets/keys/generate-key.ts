import { randomBytes } from "node:crypto";
import type { Network } from "../../core/network.ts";
import { type Derivations, type PrivateKey, withWipe } from "./secret.ts";

/** Those of a network. A cold start loads the libraries of the network in its request alone. */
async function derivationsOf(network: Network): Promise<Derivations> {
  if (network === "sol") return (await import("./solana-derivations.ts")).solanaDerivations;
  return (await import("./evm-derivations.ts")).evmDerivations;
}

/**
 * A new private key, from the platform's generator of random bytes. A fault in one library would send users' coins to an
 * address that nobody has the key of, so another library must derive the same address.
 *
 * @throws {Error} if they disagree.
 */
export async function generateKey(network: Network, derivations?: Derivations): Promise<PrivateKey> {
  const [first, second] = derivations ?? (await derivationsOf(network));
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
