import type { Order } from "../../../lib/orders/execution.ts";

/** A pool as two reserves in units, by token. Those of v3 are virtual, and hold while the price stays in their range. */
export type Pool = { reserves: Readonly<Record<string, number>>; fee: number };

/** Pools in the order of a purchase, and the tokens between and beside them. */
export type Route = { pools: readonly Pool[]; path: readonly string[] };

/** A token's routes in one block, and the part of each transfer that the token keeps. */
export type Market = { routes: readonly Route[]; tax: number };

/** The markets of a chain in a block or slot, as the chain showed them at a time. */
export type PriceRecord = {
  atMs: number;
  number: number;
  hash: string;
  markets: ReadonlyMap<string, Market>;
};

/** Computes what an amount brings by the best route, after fees and taxes. */
export function outOf({ routes, tax }: Market, side: Order["side"], amount: bigint): number {
  const outs = routes.map(({ pools, path }) => {
    const [through, way] = side === "buy" ? [pools, path] : [pools.toReversed(), path.toReversed()];
    let units = Number(amount) * (side === "sell" ? 1 - tax : 1);
    for (const [index, { reserves, fee }] of through.entries()) {
      const [from, to] = [reserves[way[index] as string] ?? 0, reserves[way[index + 1] as string] ?? 0];
      const paid = units * (1 - fee);
      units = from === 0 ? 0 : (to * paid) / (from + paid);
    }
    return units * (side === "buy" ? 1 - tax : 1);
  });
  return Math.max(0, ...outs);
}
