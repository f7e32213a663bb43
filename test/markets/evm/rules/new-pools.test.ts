import { describe, expect, it } from "vitest";
import type { TokenLook } from "../../../../lib/markets/core/new-tokens.ts";
import {
  bounded,
  currentHeads,
  type MadePool,
  mostBlocks,
  mostNewPools,
  type NewPool,
  nextRange,
  overlapBlocks,
  type PoolProgress,
  poolsAfter,
  poolsOfDay,
  progressAfter,
  progressAfterFailure,
  unfundedWithoutPrice,
} from "../../../../lib/markets/evm/rules/new-pools.ts";

const made = (pool: string, block: number, changes: Partial<MadePool> = {}): MadePool => ({
  pool,
  venue: "uniswap-v2",
  token: `token of ${pool}`,
  other: "coin",
  block,
  blockHash: `hash of ${block}`,
  logIndex: 0,
  time: block,
  ...changes,
});
const known = (pool: string, block: number, changes: Partial<NewPool> = {}): NewPool => ({
  ...made(pool, block),
  isConfirmed: true,
  isFunded: true,
  ...changes,
});
const found: TokenLook = {
  symbol: "MOON",
  name: "Moon",
  decimals: 18,
  listed: false,
  liquidity: "2",
  flags: [],
  sellable: true,
  buyTax: 0,
  sellTax: 0,
};
const day = 10_000;
const progress = (changes: Partial<PoolProgress>): PoolProgress => ({
  low: 90_000,
  high: 99_000,
  blocks: mostBlocks,
  pastBlocks: mostBlocks,
  wasPast: false,
  ...changes,
});
const marks = (pools: readonly NewPool[]) => pools.map(({ pool, isConfirmed }) => [pool, isConfirmed]);

describe("the blocks that are read for new pools", () => {
  it("reads the newest blocks first, and a whole day within some turns", () => {
    let state: PoolProgress | undefined;
    const read = new Set<number>();
    for (let turn = 0; turn < 12; turn++) {
      const head = 100_000 + turn;
      const range = nextRange(state, head, day);
      if (turn === 0) expect(range.to).toBe(head);
      expect(range.to - range.from).toBeLessThan(mostBlocks);
      for (let block = range.from; block <= range.to; block++) read.add(block);
      state = progressAfter(state, range);
    }
    for (let block = 90_011; block <= 100_010; block++) expect(read.has(block)).toBe(true);
    expect(state?.low).toBeLessThanOrEqual(90_011);
  });

  it("reads the last blocks again, which a reorganisation may have replaced", () => {
    const { from, to } = nextRange(progress({ low: 89_000 }), 99_002, day);
    expect({ from, to }).toEqual({ from: 99_001 - overlapBlocks, to: 99_002 });
  });

  it("starts over after a pause, and after a host's claim of blocks that do not exist", () => {
    for (const high of [99_000 - mostBlocks - 1, 99_000 + overlapBlocks, 10 ** 12]) {
      const range = nextRange(progress({ high }), 99_000, day);
      expect(range).toEqual({ from: 99_000 - mostBlocks + 1, to: 99_000, isPast: false });
      expect(progressAfter(progress({ high }), range)).toMatchObject({ low: range.from, high: 99_000 });
    }
  });

  it("asks for fewer blocks after each failure, and skips a single block of the past that no host returns", () => {
    let state: PoolProgress | undefined = progress({ low: 99_000, high: 99_001 });
    for (let turn = 0; turn < 80; turn++) {
      const range = nextRange(state, 99_001, day);
      state =
        range.from <= 98_990 && range.to >= 98_990
          ? progressAfterFailure(state, range)
          : progressAfter(state, range);
    }
    expect(state?.low).toBeLessThan(98_990);
    expect(
      nextRange(progressAfterFailure(undefined, { from: 1, to: 2000, isPast: false }), 2000, day),
    ).toEqual({
      from: 1001,
      to: 2000,
      isPast: true,
    });
  });

  it("keeps the day through some failed turns, and soon asks for as many blocks as before", () => {
    let state = progress({ low: 89_000 });
    for (let turn = 0; turn < 4; turn++) state = progressAfterFailure(state, nextRange(state, 99_030, day));
    const range = nextRange(state, 99_040, day);
    expect(range).toEqual({ from: 99_001 - overlapBlocks, to: 99_040, isPast: false });
    state = progressAfter(state, range);
    for (let turn = 0; turn < 4; turn++) state = progressAfter(state, nextRange(state, 99_040, day));
    expect(state).toMatchObject({ low: 89_000, blocks: mostBlocks });
  });

  it("asks for no more blocks than allowed when a host lags", () => {
    for (let behind = 0; behind <= 2 * overlapBlocks; behind++) {
      const { from, to } = nextRange(
        progress({ low: 89_000, high: 99_000 + behind, blocks: 1000 }),
        99_000,
        day,
      );
      expect(to - from + 1).toBeGreaterThan(0);
      expect(to - from + 1).toBeLessThanOrEqual(1000);
    }
  });

  it("leaves out a host that is stuck, but not the others of one that claims a block of the future", () => {
    const heads = (...times: number[]) =>
      currentHeads(
        times.map((time, number) => ({ value: { number, time } })),
        { nowSeconds: 1000, blockSeconds: 2 },
      ).map(({ value }) => value.time);
    expect(heads(999, 999 - 2 * overlapBlocks)).toEqual([999]);
    expect(heads(999, 1000 - 2 * overlapBlocks)).toEqual([999, 1000 - 2 * overlapBlocks]);
    for (const claimed of [1060, 10 ** 9]) expect(heads(990, claimed)).toEqual([990, claimed]);
    expect(heads(10, 10)).toEqual([10, 10]);
    expect(heads(10 ** 9)).toEqual([10 ** 9]);
    expect(heads()).toEqual([]);
  });

  it("begins at the first block of a young chain", () => {
    expect(nextRange(undefined, 7, day)).toEqual({ from: 0, to: 7, isPast: false });
  });
});

describe("poolsAfter", () => {
  const range = { from: 10, to: 20 };

  it("confirms a pool that two hosts show, in one turn or in two", () => {
    const both = poolsAfter([], range, [[made("A", 12)], [made("A", 12)]]);
    expect(marks(both)).toEqual([["A", true]]);
    const one = poolsAfter([], range, [[made("A", 12)], []]);
    expect(marks(one)).toEqual([["A", false]]);
    expect(marks(poolsAfter(one, range, [[made("A", 12)], [made("A", 12)]]))).toEqual([["A", true]]);
    // A host that answers short takes back nothing that two hosts have shown.
    expect(marks(poolsAfter(both, range, [[made("A", 12)], []]))).toEqual([["A", true]]);
  });

  it("confirms nothing that one host repeats, or that hosts describe differently", () => {
    expect(marks(poolsAfter([], range, [[made("A", 12), made("A", 12)]]))).toEqual([["A", false]]);
    for (const changes of [{ token: "other" }, { blockHash: "other" }, { other: "stable" }])
      expect(marks(poolsAfter([], range, [[made("A", 12)], [made("A", 12, changes)]]))).toEqual([
        ["A", false],
      ]);
  });

  it("drops a pool that a reorganisation took back once two hosts no longer show it", () => {
    const before = [known("A", 12), known("B", 5), known("C", 21)];
    expect(marks(poolsAfter(before, range, [[], []]))).toEqual([
      ["B", true],
      ["C", true],
    ]);
    expect(marks(poolsAfter(before, range, [[]]))).toEqual([
      ["A", false],
      ["B", true],
      ["C", true],
    ]);
    expect(poolsAfter(before, range, [])).toEqual(before);
  });

  it("takes over the block in which a reorganisation has put a pool", () => {
    const moved = made("A", 13);
    expect(poolsAfter([known("A", 12)], range, [[moved], [moved]])).toEqual([
      { ...moved, isConfirmed: true, isFunded: true },
    ]);
    const stays = made("A", 12);
    for (const answers of [[[moved], []], [[moved]], [[moved], [stays]], [[stays], [moved]]])
      expect(marks(poolsAfter([known("A", 12)], range, answers))).toEqual([["A", false]]);
  });
});

describe("the pools that are remembered", () => {
  it("keeps funded pools when thousands of empty ones are made in a block", () => {
    const real = known("real", 11);
    const empty = Array.from({ length: 10_000 }, (_, index) =>
      known(`E${index}`, 12, { logIndex: index, isFunded: false }),
    );
    const kept = bounded([real, ...empty], {});
    expect(kept).toHaveLength(mostNewPools);
    expect(kept.at(-1)).toBe(real);
    expect(kept[0]?.pool).toBe("E9999");
  });

  it("keeps pools of tokens with a price when others are funded for a moment, one after the other", () => {
    const real = known("real", 11);
    const looks = { [real.token]: { at: 1, found } };
    let pools = [real];
    for (let turn = 0; turn <= mostNewPools; turn++)
      pools = bounded([known(`L${turn}`, 12 + turn), ...pools], looks);
    expect(pools).toHaveLength(mostNewPools);
    expect(pools.at(-1)).toEqual(real);
  });

  it("takes the funds of pools whose token has no price, and of no others", () => {
    const [lent, priced, waiting] = [known("lent", 1), known("priced", 2), known("waiting", 3)];
    const looked = { [lent.token]: { at: 1 }, [priced.token]: { at: 1, found } };
    expect(unfundedWithoutPrice([lent, priced, waiting], looked)).toEqual([
      { ...lent, isFunded: false },
      priced,
      waiting,
    ]);
  });

  it("lists the newest pools first, and leaves out those of the day before", () => {
    const pools = [known("A", 1), known("B", 5), known("C", 5, { logIndex: 1 }), known("D", 9)];
    expect(poolsOfDay(pools, 86_402).map(({ pool }) => pool)).toEqual(["D", "C", "B"]);
  });
});
