/** Tokens of one price: units of each of the pool's tokens. */
type Bin = { held: Readonly<Record<string, number>>; price: number };

/**
 * A pool of two tokens. Reserves trade at a constant product; those of v3 are virtual, and hold while the price stays in
 * their range. The fee is a part of what a trade pays, unless the pool takes it of one token alone, apart from the trade.
 * Bins are in the order of their prices, in units of the second token for one of `first`.
 */
export type Pool = { fee: number } & (
  | { reserves: Readonly<Record<string, number>>; feeIn?: string }
  | { first: string; active: number; bins: readonly Bin[] }
);

/** Pools in the order of a purchase, and the tokens between and around them. */
export type Route = { pools: readonly Pool[]; path: readonly string[] };

/** A token's routes in one block, and the part of each transfer that the token keeps. */
export type Market = { routes: readonly Route[]; tax: number };

export type Side = "buy" | "sell";

/** The markets of a chain in a block or slot, as the chain showed them at a time. */
export type PriceRecord = {
  atMs: number;
  number: number;
  hash: string;
  markets: ReadonlyMap<string, Market>;
};

/** Computes what an amount brings by the best route, after fees and taxes. */
export function outOf({ routes, tax }: Market, side: Side, amount: bigint): number {
  const outs = routes.map(({ pools, path }) => {
    const [through, way] = side === "buy" ? [pools, path] : [pools.toReversed(), path.toReversed()];
    const paid = Number(amount) * (side === "sell" ? 1 - tax : 1);
    const out = through.reduce(
      (units, pool, index) => outOfPool(pool, way[index] as string, way[index + 1] as string, units),
      paid,
    );
    return out * (side === "buy" ? 1 - tax : 1);
  });
  return Math.max(0, ...outs);
}

/** Computes what units of one token bring in the other. 0 if the pool has too little. */
function outOfPool(pool: Pool, from: string, to: string, units: number): number {
  if ("bins" in pool) return outOfBins(pool, from, to, units);
  const [given, taken] = [pool.reserves[from] ?? 0, pool.reserves[to] ?? 0];
  const { fee, feeIn } = pool;
  const paid = feeIn === from ? units / (1 + fee) : units * (feeIn === undefined ? 1 - fee : 1);
  const out = given === 0 ? 0 : (taken * paid) / (given + paid);
  return feeIn === to ? out * (1 - fee) : out;
}

function outOfBins(
  { first, active, bins, fee }: Extract<Pool, { bins: unknown }>,
  from: string,
  to: string,
  units: number,
): number {
  const isFirst = from === first;
  let [left, out] = [units, 0];
  // Sales of the first token lower its price.
  for (let at = active; left > 0; at += isFirst ? -1 : 1) {
    const bin = bins[at];
    if (bin === undefined) return 0;
    const rate = isFirst ? bin.price : 1 / bin.price;
    const brought = Math.min(left * (1 - fee) * rate, bin.held[to] ?? 0);
    out += brought;
    left = brought < left * (1 - fee) * rate ? left - brought / rate / (1 - fee) : 0;
  }
  return out;
}
