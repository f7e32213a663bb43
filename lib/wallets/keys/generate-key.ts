import { randomBytes } from "node:crypto";
import { derivationsOf } from "../../chains/families/key.ts";
import type { Network } from "../../core/network.ts";
import { type Derivations, type PrivateKey, withWipe } from "../../core/private-key.ts";

/**
 * Generates a private key from the platform's random bytes. Two libraries must derive the same address, because an
 * error in one of them would send coins to an address whose key nobody knows.
 *
 * @throws {Error} if the libraries derive different addresses.
 */
export async function generateKey(
  network: Network,
  [first, second]: Derivations = derivationsOf(network),
): Promise<PrivateKey> {
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
