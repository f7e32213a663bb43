import { chainFacts, type EvmChain } from "../core/chain-facts.ts";
import { formatDecimal, formatUnits, quotientOf, timesTen } from "../core/decimal.ts";
import { DomainError } from "../core/domain-error.ts";
import type { Network } from "../core/network.ts";
import type { CoinUnits, Lamports, TokenUnits, Wei } from "../core/units.ts";

const pricePlaces = 40;

const amountPattern = /^(\d{1,40})(?:\.(\d{1,40}))?$/;

/** Describes what is wrong with an amount, in words that follow the field's name. */
export type AmountProblem = { problem: string };

/** Parses a positive decimal text into units of a token. */
export function parseAmount(text: string, decimals: number): bigint | AmountProblem {
  const [, whole, places = ""] = amountPattern.exec(text) ?? [];
  if (whole === undefined)
    return { problem: "must be a decimal number as text, with at most 40 digits on each side of the point" };
  if (places.length > decimals) return { problem: `must have at most ${decimals} decimal places` };
  const units = BigInt(whole + places.padEnd(decimals, "0"));
  if (units === 0n) return { problem: "must be above 0" };
  // Limits amounts to 256 bits, the limit of token contracts.
  if (units >= 2n ** 256n) return { problem: "must be less than 2^256 units" };
  return units;
}

/**
 * Parses decimal text into units of a token.
 *
 * @throws {DomainError} INVALID_REQUEST
 */
export function unitsFrom(text: string, decimals: number, field: string): bigint {
  const units = parseAmount(text, decimals);
  if (typeof units === "bigint") return units;
  throw new DomainError("INVALID_REQUEST", `${field} ${units.problem}`, { field });
}

/**
 * Parses an amount of a chain's native coin.
 *
 * @throws {DomainError} INVALID_REQUEST
 */
export function coinUnitsFrom(chain: "sol", text: string, field: string): Lamports;
export function coinUnitsFrom(chain: EvmChain, text: string, field: string): Wei;
export function coinUnitsFrom(chain: Network, text: string, field: string): CoinUnits;
export function coinUnitsFrom(chain: Network, text: string, field: string): CoinUnits {
  return unitsFrom(text, chainFacts[chain].coin.decimals, field);
}

/** Formats units of a token as canonical decimal text. */
export const formatAmount = (units: bigint, decimals: number): string =>
  units < 0n ? `-${formatUnits(-units, decimals)}` : formatUnits(units, decimals);

/** Formats an amount of a chain's native coin. */
export const coinText = (chain: Network, units: CoinUnits): string =>
  formatAmount(units, chainFacts[chain].coin.decimals);

/**
 * Formats the price of one whole token in whole coins: rounded half to even to 18 significant digits, with at most 40
 * decimal places.
 *
 * @param coins The price of all the tokens.
 */
export const formatPrice = (chain: Network, coins: CoinUnits, tokens: TokenUnits, decimals: number): string =>
  formatDecimal(
    quotientOf(timesTen(coins, decimals), timesTen(tokens, chainFacts[chain].coin.decimals), pricePlaces),
  );
