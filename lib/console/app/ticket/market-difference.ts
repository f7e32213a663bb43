import type { MarketRecord, Quote } from "trading-terminal-client";
import { impactTier, type Tier } from "./verdict.ts";

/** Greatest difference to the market's price that is not worth a word, in percent. */
const smallPercent = 0.5;

type Priced = Pick<MarketRecord, "price" | "flags">;

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
