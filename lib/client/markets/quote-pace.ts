import type { TerminalState } from "../stream-types.ts";
import type { Quote } from "../types.ts";
import { marketOf } from "./chart.ts";

/**
 * A quote's block, and the price of the token's market in that block. The price is undefined if the stream does not
 * show it.
 */
export type QuoteBasis = Pick<Quote, "chain" | "token" | "block"> & { price: string | undefined };

/** Milliseconds between two quotes of the same trade. */
const paceMs = {
  /** Pace while the price moves, or while nothing shows whether it does. */
  moving: 5000,
  /** Pace while the price stays. Network fees and other pools may have changed by then. */
  still: 12_000,
};

type Markets = Pick<TerminalState, "markets"> | undefined;

/** Returns the market of a token. Undefined if its price may change without a new record. */
function watchedMarket(state: Markets, name: Pick<Quote, "chain" | "token">) {
  const market = state && marketOf(state, name);
  const isBlind = market?.flags.some((flag) => flag !== "THIN") ?? true;
  return isBlind || market?.price === undefined ? undefined : market;
}

/** Notes the state from which {@link quotePauseMs} starts. Expects the stream's state when the quote arrived. */
export function quoteBasis({ chain, token, block }: Omit<QuoteBasis, "price">, state: Markets): QuoteBasis {
  const market = watchedMarket(state, { chain, token });
  // Ignores a market that is ahead of the quote, because its price may have changed in between.
  return { chain, token, block, price: market && market.block <= block ? market.price : undefined };
}

/**
 * Returns the milliseconds from a quote's arrival after which to ask for the trade again. They are few if the price has
 * changed in a block after the quote's, or if the stream does not follow the token. A change of the trade itself needs
 * a new quote at once.
 *
 * @param basis Undefined if there is no quote yet.
 */
export function quotePauseMs(basis: QuoteBasis | undefined, state: Markets): number {
  const market = basis && watchedMarket(state, basis);
  if (market === undefined || basis?.price === undefined) return paceMs.moving;
  return market.price !== basis.price && market.block > basis.block ? paceMs.moving : paceMs.still;
}
