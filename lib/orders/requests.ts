import { createHash } from "node:crypto";
import { chainFacts, type TradingChain } from "../core/chain-facts.ts";
import { DomainError } from "../core/domain-error.ts";
import type { Network } from "../core/network.ts";
import { coinUnitsFrom } from "./decimal-text.ts";
import { type ListedToken, type TokenClaims, type TokenIdentity, tokenIdentity } from "./token-identity.ts";
import { type IsLike, likenessTo, type TokenNames } from "./token-likeness.ts";
import type { ChainLimits } from "./trading-chain.ts";

/** A chain that is open for trading, with its tokens. */
type Configured = { chain: TradingChain; configuration: Listing; taken?: readonly TokenNames[] | undefined };

/** The part of a configuration that describes tokens. */
type Listing = { tokens: readonly ListedToken[]; wrapped: ListedToken };

/**
 * Finds a chain by its name.
 *
 * @throws {DomainError} UNSUPPORTED_CHAIN if the service does not trade on the chain
 */
export function chainFor<Reader>(chains: ReadonlyMap<Network, Reader>, network: Network): Reader {
  const reader = chains.get(network);
  if (reader === undefined) throw unsupportedChain(chains);
  return reader;
}

export function unsupportedChain(chains: ReadonlyMap<Network, unknown>): DomainError<"UNSUPPORTED_CHAIN"> {
  const names = [...chains.keys()];
  const message = `chain must be one that trades here: ${names.join(", ")}`;
  return new DomainError("UNSUPPORTED_CHAIN", message, { chains: names });
}

/** Reads the operators' limits for a chain. */
export const limitsOf = (
  chain: Network,
  { maxOrder, maxNetworkFee, maxNetworkFeesPerDay }: LimitTexts,
): ChainLimits<bigint> => ({
  maxOrder: maxOrder === undefined ? undefined : coinUnitsFrom(chain, maxOrder, "maxOrder"),
  maxNetworkFee: coinUnitsFrom(chain, maxNetworkFee, "maxNetworkFee"),
  ...(maxNetworkFeesPerDay !== undefined && {
    maxNetworkFeesPerDay: coinUnitsFrom(chain, maxNetworkFeesPerDay, "maxNetworkFeesPerDay"),
  }),
});

export type LimitTexts = {
  maxOrder?: string | undefined;
  maxNetworkFee: string;
  maxNetworkFeesPerDay?: string | undefined;
};

/** Identifies a chain's configuration by a hash. The hash reveals none of the configured URLs, which contain keys. */
export const setupName = (configuration: object): string =>
  createHash("sha256").update(JSON.stringify(configuration)).digest("base64url").slice(0, 11);

/** Lists all tokens whose symbols are shown to users, including the wrapped coin. */
export const listedTokens = ({ tokens, wrapped }: Listing): ListedToken[] =>
  [...tokens, wrapped].toSorted((a, b) => (a.symbol.toUpperCase() < b.symbol.toUpperCase() ? -1 : 1));

/**
 * Identifies a token from the list of tokens, or otherwise from its own description. Undefined if it is not a token.
 */
export function identityIn(
  { chain, configuration, taken }: Configured,
  token: string,
  claims: TokenClaims,
): TokenIdentity | undefined {
  const listed = listedTokens(configuration);
  const isLike = taken ? likenessOnceTo(taken) : likenessTo([chainFacts[chain].coin, ...listed]);
  return tokenIdentity(token, claims, listed, isLike);
}

const likenesses = new WeakMap<readonly TokenNames[], IsLike>();

/** Caches the result, because there are many names and they never change while a function runs. */
function likenessOnceTo(taken: readonly TokenNames[]): IsLike {
  const known = likenesses.get(taken) ?? likenessTo(taken);
  likenesses.set(taken, known);
  return known;
}

/**
 * Identifies a token.
 *
 * @throws {DomainError} TOKEN_NOT_FOUND if it is not a token
 */
export function identify(reader: Configured, token: string, claims: TokenClaims): TokenIdentity {
  const identity = identityIn(reader, token, claims);
  if (identity === undefined) throw tokenNotFound(reader.chain);
  return identity;
}

export const tokenNotFound = (chain: TradingChain): DomainError =>
  new DomainError("TOKEN_NOT_FOUND", `There is no tradable token on ${chain} at this address`);

export const walletNotFound = (chain: TradingChain): DomainError =>
  new DomainError("WALLET_NOT_FOUND", `You have no wallet with this address on ${chain}`);
