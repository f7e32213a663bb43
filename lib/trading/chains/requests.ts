import { createHash } from "node:crypto";
import { DomainError } from "../../core/domain-error.ts";
import type { Network } from "../../core/network.ts";
import { coinDecimals, unitsFrom } from "../core/decimal-text.ts";
import { type TokenClaims, type TokenIdentity, tokenIdentity } from "../core/token-identity.ts";
import { type ChainLimits, chainFacts, type TradingChain } from "../core/trading-chain.ts";
import type { ChainConfiguration, ListedToken } from "./chain-configuration.ts";
import type { ChainReader } from "./open-chains.ts";

export type Chains = ReadonlyMap<TradingChain, ChainReader>;

/**
 * Finds a chain by its name.
 *
 * @throws {DomainError} UNSUPPORTED_CHAIN if the network does not trade here
 */
export function chainFor(chains: Chains, network: Network): ChainReader {
  const reader = chains.get(network as TradingChain);
  if (reader === undefined) throw unsupportedChain(chains);
  return reader;
}

export function unsupportedChain(chains: Chains): DomainError<"UNSUPPORTED_CHAIN"> {
  const names = [...chains.keys()];
  const message = `chain must be one that trades here: ${names.join(", ")}`;
  return new DomainError("UNSUPPORTED_CHAIN", message, { chains: names });
}

/** Reads the operators' limits for a chain. */
export const limitsOf = (
  chain: Network,
  { maxOrder, maxNetworkFee }: Pick<ChainConfiguration, "maxOrder" | "maxNetworkFee">,
): ChainLimits => ({
  maxOrder: maxOrder === undefined ? undefined : unitsFrom(maxOrder, coinDecimals[chain], "maxOrder"),
  maxNetworkFee: unitsFrom(maxNetworkFee, coinDecimals[chain], "maxNetworkFee"),
});

/** Names the setup of a chain by a hash of its configuration, which shows none of its URLs: they contain keys. */
export const setupName = (configuration: ChainConfiguration): string =>
  createHash("sha256").update(JSON.stringify(configuration)).digest("base64url").slice(0, 11);

/** Lists all tokens whose symbols are shown to users, with the wrapped coin among them. */
export const listedTokens = ({ tokens, wrapped }: ChainConfiguration): ListedToken[] =>
  [...tokens, wrapped].toSorted((a, b) => (a.symbol.toUpperCase() < b.symbol.toUpperCase() ? -1 : 1));

/** Identifies a token by the list, or else by its own description. Undefined if it is not a token. */
export const identityIn = (
  { chain, configuration }: Pick<ChainReader, "chain" | "configuration">,
  token: string,
  claims: TokenClaims,
): TokenIdentity | undefined =>
  tokenIdentity(token, claims, listedTokens(configuration), [chainFacts[chain].coin.symbol]);

/**
 * Identifies a token.
 *
 * @throws {DomainError} TOKEN_NOT_FOUND if it is not a token
 */
export function identify(
  reader: Pick<ChainReader, "chain" | "configuration">,
  token: string,
  claims: TokenClaims,
): TokenIdentity {
  const identity = identityIn(reader, token, claims);
  if (identity === undefined) throw tokenNotFound(reader.chain);
  return identity;
}

export const tokenNotFound = (chain: TradingChain): DomainError =>
  new DomainError("TOKEN_NOT_FOUND", `There is no tradable token on ${chain} at this address`);

export const walletNotFound = (chain: TradingChain): DomainError =>
  new DomainError("WALLET_NOT_FOUND", `You have no wallet with this address on ${chain}`);
