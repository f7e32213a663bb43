import { readAddress } from "../chains/families/address.ts";
import type { ChainReader, Chains } from "../chains/families/open-chains.ts";
import { DomainError } from "../core/domain-error.ts";
import type { Network } from "../core/network.ts";
import { chainFor } from "../orders/requests.ts";
import { nativeToken } from "../orders/trading-chain.ts";
import type { TokenName } from "./core/market.ts";

/** A token that a request names, on a chain on which this deployment trades. */
export type AskedToken = {
  reader: ChainReader;
  name: TokenName;
  /** True for the coin and for its wrapped token, which have a price in dollars but no pool. */
  isCoin: boolean;
};

/** @throws {DomainError} UNSUPPORTED_CHAIN, INVALID_REQUEST */
export function askedToken(chains: Chains, { chain, token }: { chain: Network; token: string }): AskedToken {
  const reader = chainFor(chains, chain);
  const name = {
    chain: reader.chain,
    token: token === nativeToken ? token : readAddress(reader.chain, token, "token"),
  };
  return { reader, name, isCoin: [nativeToken, reader.configuration.wrapped.token].includes(name.token) };
}

/** Refuses a further look for a user who has already caused too many of them. */
export const tooManyLooks = (): DomainError =>
  new DomainError(
    "LOOK_LIMIT_REACHED",
    "Too many looks at tokens that nobody follows. Try again in a minute",
  );
