import { readAddress } from "../chains/families/address.ts";
import type { Chains } from "../chains/families/open-chains.ts";
import { inspectOnChain } from "../chains/families/token.ts";
import type { Network } from "../core/network.ts";
import { chainFor } from "../orders/requests.ts";

/**
 * Describes a token and the results of a simulated buy and sale of 0.01 coins.
 *
 * @throws {DomainError} UNSUPPORTED_CHAIN, INVALID_REQUEST, TOKEN_NOT_FOUND
 * @throws {ChainUnavailable}
 */
export async function inspectToken(
  chains: Chains,
  { chain, token, now }: { chain: Network; token: string; now: Date },
) {
  const reader = chainFor(chains, chain);
  return { token: await inspectOnChain(reader, readAddress(reader.chain, token, "token"), now) };
}
