import { describe, expect, it } from "vitest";
import { type LocalMarket, type Move, moveInSteps, pushForBlock } from "../local-market.ts";

/** Makes a market whose moves end at these multiples of their targets, one after another. */
function marketThatMisses(misses: number[], blocks = [1, 2, 3, 4]) {
  const targets: number[] = [];
  const market: LocalMarket = {
    pools: [
      { pool: "near", price: 5, unit: "ETH" },
      { pool: "far", price: 7, unit: "ETH" },
    ],
    mostBlocks: 1,
    async moveTo(factor) {
      targets.push(factor);
      return { block: blocks.shift() ?? 0, factors: [factor, factor * (misses.shift() ?? 1)] };
    },
  };
  return { market, targets };
}

async function all(moves: AsyncGenerator<Move>): Promise<number[]> {
  const blocks: number[] = [];
  for await (const { block } of moves) blocks.push(block);
  return blocks;
}

describe("moveInSteps", () => {
  it.each([0.989, 1.011])("moves again if a pool ends at %d times its target", async (miss) => {
    const { market, targets } = marketThatMisses([miss, miss, 1.0099]);
    expect(await all(moveInSteps(market, 1.5))).toEqual([3]);
    expect(targets).toEqual([1.5, 1.5, 1.5]);
  });

  it.each([1.02, 0, Number.NaN])(
    "names a pool that ends at %d times its target three times",
    async (miss) => {
      const { market } = marketThatMisses([miss, miss, miss]);
      await expect(all(moveInSteps(market, 1.5))).rejects.toThrow("not within 1 % of their targets: far");
    },
  );

  it("moves by equal amounts, one a second", async () => {
    const { market, targets } = marketThatMisses([]);
    const startMs = performance.now();
    expect(await all(moveInSteps(market, 0.5, 2))).toEqual([1, 2]);
    expect(performance.now() - startMs).toBeGreaterThan(1990);
    expect(targets).toEqual([0.75, 0.5]);
  });
});

describe("pushForBlock", () => {
  it("restores the price in the next block", async () => {
    const { market, targets } = marketThatMisses([]);
    expect(await all(pushForBlock(market, 0.8))).toEqual([1, 2]);
    expect(targets).toEqual([0.8, 1]);
  });

  it("fails after the price is restored if another block came between", async () => {
    const { market, targets } = marketThatMisses([], [1, 3]);
    await expect(all(pushForBlock(market, 0.8))).rejects.toThrow("The push lasted 2 blocks");
    expect(targets).toEqual([0.8, 1]);
  });
});
