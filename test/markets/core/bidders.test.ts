import { describe, expect, it } from "vitest";
import { decimalOf } from "../../../lib/core/decimal.ts";
import {
  cheapPools,
  coarseAmounts,
  coinsOfPurchase,
  fineAmounts,
  greatestSale,
  isSelling,
  leastDepth,
} from "../../../lib/markets/core/depth.ts";
import { chooseReference, noReference } from "../../../lib/markets/core/reference.ts";
import type { PoolPrice } from "../../../lib/orders/price-impact.ts";

/**
 * Liquidity of a pool, with its depth at a constant price in coins. Bids reach from the price down, and asks from
 * `from` times the price up, both by a factor. A range without an end is that of a constant product.
 */
type Side = { depth: number; reach: number; from?: number };

type Pool = { name: string; price: number; bids?: Side; asks?: Side };

const unit = 1e18;
const fee = 0.997;

/** Liquidity of a range from the root of one price to that of another, such that 2 % of impact are a depth. */
const liquidityOf = ({ depth }: Side, root: number) => depth / (root * 0.02);

/** Computes what a sale gets. Undefined if the pool runs dry. */
function sold({ price, bids }: Pool, tokens: bigint): bigint | undefined {
  if (bids === undefined) return undefined;
  const root = Math.sqrt(price);
  const liquidity = liquidityOf(bids, root);
  const next = 1 / (1 / root + ((Number(tokens) / unit) * fee) / liquidity);
  return next < root / Math.sqrt(bids.reach)
    ? undefined
    : BigInt(Math.round(liquidity * (root - next) * unit));
}

/** Computes what a purchase gets. Undefined if the pool runs dry. */
function bought({ price, asks }: Pool, coins: bigint): bigint | undefined {
  if (asks === undefined) return undefined;
  const root = Math.sqrt(price * (asks.from ?? 1));
  const liquidity = liquidityOf(asks, root);
  const next = root + ((Number(coins) / unit) * fee) / liquidity;
  return next > root * Math.sqrt(asks.reach)
    ? undefined
    : BigInt(Math.round(liquidity * (1 / root - 1 / next) * unit));
}

const priceOf = ({ price }: Pool): PoolPrice => ({ in: 10n ** 18n, out: BigInt(Math.round(price * unit)) });

function measured(pool: Pool) {
  const terms = { price: priceOf(pool), fees: [30] };
  const largest = (amounts: bigint[]) =>
    greatestSale(
      terms,
      amounts,
      amounts.map((amount) => sold(pool, amount)),
    );
  const coarse = coarseAmounts(terms.price);
  const found = largest(coarse);
  const fine = found && largest(fineAmounts(coarse[found.index] ?? 0n));
  return { pool, terms, depth: fine?.amountOut ?? found?.amountOut ?? 0n };
}

/** Names the pools that count, and the reference among them. */
function counted(...pools: Pool[]) {
  const all = pools.map(measured);
  const bidders = cheapPools(all, 18).filter(
    (each) => !isSelling(each, bought(each.pool, coinsOfPurchase(each))),
  );
  const left = all.filter((each) => !bidders.includes(each) && each.depth >= leastDepth(18));
  const named = left.map(({ pool: { name }, depth }) => ({ pool: name, depth: decimalOf(depth, -18) }));
  return { names: named.map(({ pool }) => pool), reference: chooseReference(noReference, named, 0).pool };
}

const both = (depth: number, reach = Number.POSITIVE_INFINITY) => ({
  bids: { depth, reach },
  asks: { depth, reach },
});
const v2 = (depth: number, price = 1e-4): Pool => ({ name: "v2", price, ...both(depth) });
const v3 = (depth: number, price = 1e-4): Pool => ({ name: "v3", price, ...both(depth, 1.5) });
const bids = { depth: 100, reach: 1.03 };

describe("a pool that a stranger makes to set a token's price", () => {
  it.each<[string, Omit<Pool, "name">]>([
    ["buys at a hundredth of the price", { price: 1e-6, bids }],
    ["buys 3 % below the price", { price: 0.97e-4, bids }],
    [
      "buys far below the price, and sells dust there",
      {
        price: 5e-5,
        bids,
        asks: { depth: 0.01, reach: 1.001 },
      },
    ],
    [
      "buys far below the price, and sells at the price",
      {
        price: 5e-5,
        bids,
        asks: { depth: 100, reach: 2, from: 2 },
      },
    ],
    [
      "buys far below the price, and sells far above it",
      {
        price: 5e-5,
        bids,
        asks: { depth: 100, reach: 2, from: 40 },
      },
    ],
    ["sells far above the price", { price: 1e-2, asks: { depth: 100, reach: 1.5 } }],
    ["has a price far below, and nothing", { price: 1e-9 }],
    ["has a price far above, and nothing", { price: 1e3 }],
  ])("does not count if it %s", (_, pool) => {
    const stranger = { name: "stranger", ...pool };
    for (const honest of [v2(2), v3(2), v2(0.2), v3(0.2)])
      expect(counted(stranger, honest)).toEqual({ names: [honest.name], reference: honest.name });
    expect(counted(stranger, v2(2), v3(3))).toEqual({ names: ["v2", "v3"], reference: "v3" });
    // The depth of this pool is below the minimum, so the token has no price.
    expect(counted(stranger, v2(0.05))).toEqual({ names: [], reference: undefined });
  });

  it("counts if it sells, too, since the token is soon bought there", () => {
    const seller = { ...v3(100, 5e-5), name: "seller" };
    expect(counted(seller, v2(2)).reference).toBe("seller");
  });

  it("does not take another pool's place by buying above the price, or by a price with nothing behind it", () => {
    const dear = { name: "dear", price: 1.1e-4, bids: { depth: 0.2, reach: 1.03 } };
    expect(counted(dear, v2(2), v3(3))).toEqual({ names: ["dear", "v2", "v3"], reference: "v3" });
    expect(counted({ name: "dust", price: 1, ...both(1e-6) }, v2(2), v3(3)).names).toEqual(["v2", "v3"]);
  });
});

describe("an honest pool that hardly sells", () => {
  const soldOut: Pool = { name: "sold out", price: 1e-4, bids };

  it("counts if no other pool is more expensive", () => {
    expect(counted(soldOut).reference).toBe("sold out");
    expect(counted(soldOut, v2(2)).reference).toBe("sold out");
    expect(counted(soldOut, v3(2, 1.015e-4)).reference).toBe("sold out");
    expect(counted(soldOut, v3(2, 0.5e-4)).reference).toBe("sold out");
  });

  it("counts next to a more expensive one if it sells a tenth as much as it buys", () => {
    const uneven = (depth: number): Pool => ({ ...soldOut, name: "uneven", asks: { depth, reach: 1.5 } });
    expect(counted(uneven(11), v2(2, 1.1e-4)).reference).toBe("uneven");
    expect(counted(uneven(4), v2(2, 1.1e-4)).reference).toBe("v2");
  });

  it("counts as a constant product at any price, as on v2, Raydium's CPMM and Pump's curves", () => {
    for (const price of [1e-12, 1e-6, 1])
      expect(counted(v2(2, price), { ...v2(1, 1e3), name: "dear" }).names).toEqual(["v2", "dear"]);
  });
});
