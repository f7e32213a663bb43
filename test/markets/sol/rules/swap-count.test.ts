import { describe, expect, it } from "vitest";
import { formatDecimal, zero } from "../../../../lib/core/decimal.ts";
import { mostSignatures, planCount, sumsOfSteps } from "../../../../lib/markets/sol/rules/swap-count.ts";

/** Makes a sample with a constant product of 10^24, after fees of one unit. */
const sample = (slot: number, coins: number) => ({
  slot,
  time: slot,
  coins: BigInt(coins),
  tokens: 10n ** 24n / BigInt(coins),
  held: BigInt(coins) + 7n,
});

const signature = (slot: number, id = `at ${slot}`, isFailed = false) => ({ id, slot, isFailed });

const samples = [sample(10, 10 ** 9), sample(15, 10 ** 9), sample(20, 3 * 10 ** 9), sample(25, 2 * 10 ** 9)];

describe("planCount", () => {
  it("counts a single transaction between two samples without opening it", () => {
    const plan = planCount(samples, [signature(16), signature(25)]);
    expect(plan?.opened).toEqual([]);
    const { volume = zero, trades } = sumsOfSteps(plan?.steps ?? [], 9);
    expect([formatDecimal(volume), trades]).toEqual(["3", 2]);
  });

  it("opens several transactions between two samples, even if the state is the same after them", () => {
    const plan = planCount(samples, [
      ...[signature(11), signature(12), signature(17)],
      ...[signature(21), signature(22)],
    ]);
    expect(plan?.opened).toEqual(["at 11", "at 12", "at 21", "at 22"]);
    expect(plan?.steps).toHaveLength(1);
  });

  it("leaves out failed transactions, and those before the first and after the last sample", () => {
    const outside = [signature(10), signature(26)];
    const plan = planCount(samples, [
      signature(16),
      signature(16, "failed", true),
      signature(24),
      ...outside,
    ]);
    expect([plan?.opened, plan?.steps.length]).toEqual([[], 2]);
  });

  it("counts nothing if no transaction explains a swap", () => {
    expect(planCount(samples, [signature(16)])).toBeUndefined();
  });

  it("counts up to 60 transactions a minute, failed ones among them, and no more", () => {
    const at = (count: number) =>
      Array.from({ length: count }, (_, index) => signature(11, `${index}`, true));
    const needed = [signature(16), signature(24)];
    expect(planCount(samples, [...at(mostSignatures - 2), ...needed])).toBeDefined();
    expect(planCount(samples, [...at(mostSignatures - 1), ...needed])).toBeUndefined();
  });
});

describe("sumsOfSteps", () => {
  it("does not count changes of liquidity as swaps", () => {
    const more = { ...sample(1, 10 ** 9), coins: 2n * 10n ** 9n, tokens: 2n * 10n ** 15n };
    expect(sumsOfSteps([[sample(1, 10 ** 9), more]], 9)).toEqual({ volume: zero, trades: 0 });
  });

  it("measures a volume by what the pool holds, to nine digits after the point", () => {
    const [before, after] = [sample(1, 10 ** 9), { ...sample(1, 2 * 10 ** 9), held: 2_123_456_796n }];
    const { volume = zero } = sumsOfSteps([[before, after]], 9);
    expect(formatDecimal(volume)).toBe("1.123456789");
  });
});
