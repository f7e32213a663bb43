import { chainFacts } from "../../core/chain-facts.ts";
import { DomainError } from "../../core/domain-error.ts";
import type { Network } from "../../core/network.ts";
import { ceilDivide } from "../bigints.ts";
import { formatAmount } from "../decimal-text.ts";
import type { Order } from "../execution.ts";
import { percentOf, whole } from "../percent.ts";
import type { Leg, PricedLeg } from "./mandate.ts";

/** An exact price: units of the coin for units of the token. */
export type Ratio = { coins: bigint; tokens: bigint };

const pricePattern = /^(\d{1,41})(?:\.(\d{1,40}))?$/;
const mostWhole = 10n ** 40n;

export const priceRule =
  "must be a decimal number above 0 as text, at most 10^40 and with at most 40 decimal places";

/**
 * Parses the price of one whole token in whole coins.
 *
 * @param decimals The token's decimals.
 * @throws {DomainError} INVALID_REQUEST
 */
export function ratioFrom(chain: Network, text: string, decimals: number, field: string): Ratio {
  const [, whole, places = ""] = pricePattern.exec(text) ?? [];
  const digits = BigInt((whole ?? "0") + places);
  if (digits === 0n || digits > mostWhole * 10n ** BigInt(places.length))
    throw new DomainError("INVALID_REQUEST", `${field} ${priceRule}`, { field });
  return reduced({
    coins: digits * 10n ** BigInt(chainFacts[chain].coin.decimals),
    tokens: 10n ** BigInt(places.length + decimals),
  });
}

/** Share of its price that a stop sells for at least, by default, in millionths. */
export const usualWorstPpm = 800_000n;

export const scaled = ({ coins, tokens }: Ratio, ppm: bigint): Ratio =>
  reduced({ coins: coins * ppm, tokens: tokens * whole });

function reduced({ coins, tokens }: Ratio): Ratio {
  let [divisor, rest] = [coins, tokens];
  while (rest > 0n) [divisor, rest] = [rest, divisor % rest];
  return { coins: coins / divisor, tokens: tokens / divisor };
}

/** Number of decimal places that suffices for each price that was given as text, and for a share in millionths of it. */
const mostPlaces = 46;

/** Formats the price of one whole token in whole coins, exactly. */
export function priceText(chain: Network, { coins, tokens }: Ratio, decimals: number): string {
  const scale = 10n ** BigInt(mostPlaces + decimals);
  const units = (coins * scale) / (tokens * 10n ** BigInt(chainFacts[chain].coin.decimals));
  return formatAmount(units, mostPlaces);
}

export const isAbove = (a: Ratio, b: Ratio): boolean => a.coins * b.tokens > b.coins * a.tokens;

/** Computes the minimum that an amount must bring at a price, rounded up. */
export const outAt = (side: Order["side"], { coins, tokens }: Ratio, amount: bigint): bigint =>
  side === "sell" ? ceilDivide(amount * coins, tokens) : ceilDivide(amount * tokens, coins);

/** Returns the price that a leg's fill must respect. */
export const worstOf = (leg: Leg): Ratio => (leg.kind === "limit" ? leg.price : leg.worst);

/** Computes the minimum that a child of a leg may bring. The chain enforces it. */
export const floorOf = (side: Order["side"], leg: Leg, amount: bigint): bigint =>
  outAt(side, worstOf(leg), amount);

/** How much more than its price a limit must bring before it fires, in millionths. */
export const limitMarginPpm = 1000n;

/** True if the best executable quote of an amount reaches a leg's price: with a margin for a limit, exactly for a stop. */
export function isCrossed(side: Order["side"], leg: PricedLeg, amount: bigint, out: bigint): boolean {
  const { coins, tokens } = leg.kind === "limit" ? leg.price : leg.trigger;
  if (leg.kind === "stop") return side === "sell" && out * tokens <= amount * coins;
  const [gained, asked] = side === "sell" ? [tokens, coins] : [coins, tokens];
  return out * gained * whole >= amount * asked * (whole + limitMarginPpm);
}

/** Computes how far the price has to move until it reaches a leg's, in percent of the current price. */
export function distanceOf(side: Order["side"], leg: PricedLeg, amount: bigint, out: bigint): number {
  if (isCrossed(side, leg, amount, out)) return 0;
  const then = outAt(side, leg.kind === "limit" ? leg.price : leg.trigger, amount);
  // Outputs of a sale grow with the price, and those of a buy fall.
  const total = side === "sell" ? out : then;
  return percentOf(then > out ? then - out : out - then, total);
}
