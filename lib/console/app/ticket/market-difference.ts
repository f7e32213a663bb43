import type { MarketRecord, Quote } from "trading-terminal-client";
import { impactTier, type Tier } from "./verdict.ts";

/** Greatest difference from the market's price that needs no mention, in percent. */
const smallPercent = 0.5;

type Priced = Pick<MarketRecord, "price" | "flags">;

/** A price of one token in coins, with its name in a sentence. */
export type Reference = { price: string; name: string };

/**
 * Names the prices of a token that the ticket compares with: `now` is that of the quote, if there is one. Percentages
 * count from `reference`, the market's price as in the list of resting orders, unless that is unknown or old.
 */
export function pricesNow(market: Priced | undefined, quoted: string | undefined) {
  const ofMarket: Reference | undefined =
    market?.price === undefined ? undefined : { price: market.price, name: "the market price" };
  const now: Reference | undefined =
    quoted === undefined ? ofMarket : { price: quoted, name: "the price for this amount" };
  return { now, reference: market?.flags.includes("STALE") ? now : (ofMarket ?? now) };
}

/**
 * Compares the price of a trade, after fees and taxes, with the market's price. Undefined if the difference is small,
 * or if the market's price is unknown or old.
 */
export function marketDifference(
  { side, price }: Pick<Quote, "side" | "price">,
  market: Priced | undefined,
): { text: string; tier: Tier } | undefined {
  if (market === undefined || market.flags.includes("STALE")) return undefined;
  const percent = (Number(price) / Number(market.price) - 1) * 100;
  const size = Math.abs(percent);
  if (!Number.isFinite(percent) || size <= smallPercent) return undefined;
  const isAbove = percent > 0;
  return {
    text: `${Number(size.toPrecision(2))} % ${isAbove ? "above" : "below"} the market price`,
    tier: isAbove === (side === "buy") ? impactTier(size) : "calm",
  };
}
