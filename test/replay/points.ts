import type { Asked } from "./asked.ts";
import { outOf, type PriceRecord } from "./pools.ts";

/** A time in milliseconds since the epoch. */
export type Period = { fromMs: number; toMs: number };

/** A state of a chain, with the price of a leg's own amount: units of the coin for one of the token. */
export type Point = { atMs: number; number: number; price: number | undefined };

/** What the judge knows besides the leg. */
export type Circumstances = {
  asked: Asked;
  points: readonly Point[];
  /** Times in which the service may be late. */
  faults: readonly Period[];
};

/** Computes the prices of a leg's amount. */
export const pointsOf = (
  { token, side }: Pick<Asked, "token" | "side">,
  amount: bigint,
  records: readonly PriceRecord[],
): Point[] =>
  records.map(({ atMs, number, markets }) => {
    const market = markets.get(token);
    const out = market === undefined ? 0 : outOf(market, side, amount);
    const price = side === "sell" ? out / Number(amount) : Number(amount) / out;
    return { atMs, number, price: out === 0 ? undefined : price };
  });
