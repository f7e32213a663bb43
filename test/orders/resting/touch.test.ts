import { describe, expect, it } from "vitest";
import {
  isSeenEnough,
  isTouched,
  lookBack,
  needsReadings,
  type PriceWord,
  type Seen,
  seenAfter,
  type TouchQuestion,
} from "../../../lib/orders/resting/touch.ts";
import { limit, mandate, nowMs, stop } from "./fixtures.ts";

const pair = mandate();
const alone = mandate({ legs: [limit] });
const first = [0, 0, 0];

describe("lookBack", () => {
  it.each([
    ["eth", [1, 2]],
    ["sol", []],
  ] as const)("asks about fixed blocks for a stop on %s", (chain, distances) => {
    expect(lookBack(chain, stop, pair, first)).toEqual(distances);
  });

  it.each([
    ["base", 40],
    ["bsc", 18],
    ["avax", 8],
  ] as const)("asks about three different random blocks of the last 8 seconds on %s", (chain, most) => {
    const seen = new Set<number>();
    let seed = 7;
    const random = () => {
      seed = (seed * 16_807) % 2_147_483_647;
      return seed / 2_147_483_647;
    };
    for (let tries = 0; tries < 500; tries++) {
      const distances = lookBack(chain, stop, pair, [random(), random(), random()]);
      expect(new Set(distances).size).toBe(3);
      for (const each of distances) seen.add(each);
    }
    expect([...seen].toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: most }, (_, index) => index + 1),
    );
  });

  it("asks about an earlier block for a limit only if its order has a stop", () => {
    expect(lookBack("base", limit, alone, first)).toEqual([]);
    const chains = ["eth", "base", "bsc", "avax", "sol"] as const;
    expect(chains.map((chain) => lookBack(chain, limit, pair, first))).toEqual([[1], [10], [5], [2], []]);
  });
});

const word = (changes: Partial<PriceWord> = {}): PriceWord => ({
  head: { number: 100, hash: "0x100", time: nowMs / 1000 },
  out: 1000n,
  before: new Map([
    [1, 1000n],
    [2, 1000n],
  ]),
  hasBest: true,
  ...changes,
});

const question: TouchQuestion = { chain: "eth", side: "sell", leg: stop, amount: 1000n, distances: [1, 2] };

const touches = (a: Partial<PriceWord> | undefined, b: Partial<PriceWord> | undefined, asked = question) =>
  isTouched(asked, [a && word(a), b && word(b)], nowMs);

describe("isTouched", () => {
  it("fires a stop that both hosts see crossed at the head and at each earlier block", () => {
    expect(touches({}, {})).toBe(true);
  });

  it.each<[string, Partial<PriceWord> | undefined]>([
    ["is silent", undefined],
    ["sees a higher price", { out: 1001n }],
    [
      "saw a higher price one block before",
      {
        before: new Map([
          [1, 1001n],
          [2, 1000n],
        ]),
      },
    ],
    ["does not know an earlier block", { before: new Map([[1, 1000n]]) }],
    ["has no route that answers", { out: undefined }],
    ["lacks the route that paid best", { hasBest: false }],
    ["is at another block", { head: { number: 100, hash: "0x100b", time: nowMs / 1000 } }],
    ["has an old head", { head: { number: 100, hash: "0x100", time: nowMs / 1000 - 37 } }],
  ])("fires nothing if a host %s", (_, odd) => {
    expect([touches(odd, {}), touches({}, odd)]).toEqual([false, false]);
  });

  it("accepts a head of three block times on eth, and of 15 seconds elsewhere", () => {
    const aged = (seconds: number) => ({
      head: { number: 100, hash: "0x100", time: nowMs / 1000 - seconds },
    });
    expect(touches(aged(36), aged(36))).toBe(true);
    const onBase = { ...question, chain: "base" } as const;
    expect(touches(aged(15), aged(15), onBase)).toBe(true);
    expect(touches(aged(16), aged(16), onBase)).toBe(false);
  });

  it("counts the lower output for a limit on sol, and the higher one for a stop", () => {
    const onSol = { ...question, chain: "sol", distances: [] } as const;
    const at = (out: bigint, number = 100) => ({
      out,
      head: { number, hash: `${number}`, time: nowMs / 1000 },
    });
    expect(touches(at(1000n), at(1001n, 140), onSol)).toBe(false);
    expect(touches(at(999n), at(1000n, 140), onSol)).toBe(true);
    expect(touches(at(999n), at(1000n, 141), onSol)).toBe(false);
    const ofLimit = { ...onSol, leg: limit };
    expect(touches(at(2002n), at(2001n), ofLimit)).toBe(false);
    expect(touches(at(2002n), at(2002n), ofLimit)).toBe(true);
  });
});

describe("seenAfter", () => {
  const atOnce = (ms: number) => ({ askedMs: ms, answeredMs: ms });
  const readings = (...gaps: number[]): Seen | undefined => {
    let at = nowMs;
    return gaps.reduce<Seen | undefined>(
      (seen, gap) => {
        at += gap;
        return seenAfter(seen, 1, true, atOnce(at));
      },
      seenAfter(undefined, 1, true, atOnce(at)),
    );
  };
  const isEnough = (...gaps: number[]) => isSeenEnough(readings(...gaps), 1, "stop");

  it("needs four readings on sol over at least 8 seconds", () => {
    expect(isEnough(2700, 2700, 2700)).toBe(true);
    expect(isEnough(4000, 4000)).toBe(false);
    expect(isEnough(2600, 2600, 2600)).toBe(false);
  });

  it("joins readings that a slow watcher takes 10 seconds apart", () => {
    expect(isEnough(10_000, 10_000, 10_000)).toBe(true);
  });

  it("needs two readings of a take-profit paired with a stop on sol, over at least 2 seconds", () => {
    const isTaken = (...gaps: number[]) => isSeenEnough(readings(...gaps), 1, "limit");
    expect([isTaken(2000), isTaken(1999), isTaken()]).toEqual([true, false, false]);
    expect(isSeenEnough(readings(2000), 0, "limit")).toBe(false);
    const chains = ["eth", "sol"] as const;
    expect(chains.map((chain) => needsReadings(chain, pair))).toEqual([false, true]);
    expect(needsReadings("sol", alone)).toBe(false);
  });

  it("begins anew after a gap, a reading that is not crossed, or one of another leg", () => {
    expect(isEnough(2700, 2700, 15_001)).toBe(false);
    const seen = readings(2700, 2700) as Seen;
    expect(seenAfter(seen, 1, false, atOnce(nowMs + 8100))).toBeUndefined();
    expect(seenAfter(seen, 0, true, atOnce(nowMs + 8100))).toMatchObject({ leg: 0, n: 1 });
    // Looks at the other leg each time, too, which says nothing about this one.
    expect(seenAfter(seen, 0, false, atOnce(nowMs + 8100))).toBe(seen);
  });

  it("counts no time in which a run stood still after the last question, or before the first answer", () => {
    const late = { askedMs: nowMs - 5000, answeredMs: nowMs };
    const later = { askedMs: nowMs + 5000, answeredMs: nowMs + 9000 };
    expect(seenAfter(seenAfter(undefined, 1, true, late), 1, true, later)).toEqual({
      leg: 1,
      n: 2,
      sinceMs: nowMs,
      lastMs: nowMs + 5000,
    });
  });
});
