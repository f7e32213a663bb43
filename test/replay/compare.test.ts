import { describe, expect, it } from "vitest";
import { type Child, compareAll, type Fired } from "./compare.ts";
import {
  askedFor,
  childAt,
  type JudgedChain,
  limit,
  pair,
  recordsOf,
  sliced,
  startMs,
  stop,
  trailing,
} from "./fixtures.ts";

type Case = {
  chain?: JudgedChain;
  terms: object;
  price: (second: number) => number;
  children?: Child[];
  faults?: [number, number];
};

const noneListed = { fired: 0, "left too soon": 0, excused: 0, missed: 0 };
const noneFired = { listed: 0, "at an edge": 0, wrong: 0, unknown: 0 };

const firingsOf = (facts: Case, others?: Fired[]) => comparisonOf(facts, others).problems;

function comparisonOf({ chain = "avax", terms, price, children = [], faults }: Case, others: Fired[] = []) {
  return compareAll({
    orders: [{ asked: askedFor(chain, terms), children, attention: [] }, ...others],
    records: () => recordsOf(chain, price),
    faults: () =>
      faults === undefined ? [] : [{ fromMs: startMs + 1000 * faults[0], toMs: startMs + 1000 * faults[1] }],
  });
}

const missed = expect.stringContaining("has not fired in time");
const unreached = expect.stringContaining("whose price it had not reached");
const tooShort = expect.stringContaining("was not reached for long enough");

/** A price that is beyond the stop or the limit for some seconds. */
const during = (from: number, to: number, price: number) => (second: number) =>
  second >= from && second < to ? price : 1;

/** A price that rises after 20 seconds for some time, and then stays at another one. */
const risen = (seconds: number, after: number) => (second: number) =>
  second < 20 ? 1 : second < 20 + seconds ? 1.3 : after;

describe("compareAll", () => {
  it.each<[title: string, facts: Case, problems: unknown[]]>([
    [
      "a limit that fires",
      { terms: limit, price: during(20, 90, 1.2), children: [childAt(22, "limit")] },
      [],
    ],
    ["a limit that is reached and rests", { terms: limit, price: during(20, 90, 1.2) }, [missed]],
    ["a limit that is not reached", { terms: limit, price: during(20, 90, 1.09) }, []],
    ["a limit that is reached for 10 seconds", { terms: limit, price: during(20, 30, 1.2) }, []],
    [
      "a limit that fires without its price",
      { terms: limit, price: during(20, 90, 1.09), children: [childAt(22, "limit")] },
      [unreached],
    ],
    [
      "a missed buy",
      { terms: { ...limit, side: "buy", price: "0.95" }, price: during(20, 90, 0.9) },
      [missed],
    ],
    ["a missed stop", { terms: stop, price: during(20, 90, 0.85) }, [missed]],
    ["a missed stop on eth", { chain: "eth", terms: stop, price: during(20, 120, 0.85) }, [missed]],
    ["a stop on eth after 60 seconds", { chain: "eth", terms: stop, price: during(20, 90, 0.85) }, []],
    ["a stop below its worst price", { terms: stop, price: during(20, 120, 0.7) }, []],
    ["a missed take-profit", { terms: pair, price: during(20, 90, 1.2) }, [missed]],
    ["a missed stop loss on sol", { chain: "sol", terms: pair, price: during(20, 90, 0.85) }, [missed]],
    ["a stop that fires", { terms: stop, price: during(20, 90, 0.85), children: [childAt(29, "stop")] }, []],
    [
      "a stop after a push",
      { terms: stop, price: during(20, 21, 0.8), children: [childAt(20, "stop")] },
      [tooShort],
    ],
    [
      "a stop on eth after two blocks",
      { chain: "eth", terms: stop, price: during(20, 22, 0.8), children: [childAt(21, "stop")] },
      [tooShort],
    ],
    [
      "a stop on eth after three blocks",
      { chain: "eth", terms: stop, price: during(20, 90, 0.85), children: [childAt(22, "stop")] },
      [],
    ],
    [
      "a take-profit after a push",
      { terms: pair, price: during(20, 21, 1.2), children: [childAt(20, "takeProfit")] },
      [tooShort],
    ],
    [
      "a limit after a push",
      { terms: limit, price: during(20, 21, 1.2), children: [childAt(20, "limit")] },
      [],
    ],
    [
      "a stop on sol after a push",
      { chain: "sol", terms: stop, price: during(20, 22, 0.8), children: [childAt(22, "stop")] },
      [tooShort],
    ],
    [
      "a stop on sol after 8 seconds",
      { chain: "sol", terms: stop, price: during(20, 90, 0.85), children: [childAt(29, "stop")] },
      [],
    ],
    ["a stop that is due during a fault", { terms: stop, price: during(20, 90, 0.85), faults: [10, 60] }, []],
    [
      "a stop that is due long after a fault",
      { terms: stop, price: during(20, 150, 0.85), faults: [10, 60] },
      [missed],
    ],
    [
      "a limit whose child has just died",
      { terms: limit, price: during(20, 100, 1.2), children: [childAt(22, "limit", { isFilled: false })] },
      [],
    ],
    ["a missed trailing stop that has not risen", { terms: trailing, price: during(20, 90, 0.85) }, [missed]],
    ["a missed trailing stop after a rise", { terms: trailing, price: risen(100, 1.15) }, [missed]],
    ["a trailing stop above its trail", { terms: trailing, price: risen(100, 1.19) }, []],
    ["a trailing stop whose mark need not have followed", { terms: trailing, price: risen(30, 1.1) }, []],
    [
      "a trailing stop whose mark has followed sooner",
      { terms: trailing, price: risen(30, 1.1), children: [childAt(60, "trailing")] },
      [],
    ],
    [
      "a trailing stop after a push upwards",
      { terms: trailing, price: during(20, 22, 1.3), children: [childAt(40, "trailing")] },
      [unreached],
    ],
    [
      "a trailing stop that was placed slowly, at a push upwards",
      { terms: trailing, price: during(8, 10, 1.3), children: [childAt(40, "trailing")] },
      [],
    ],
    [
      "a trailing stop on sol after a push upwards",
      { chain: "sol", terms: trailing, price: during(20, 24, 1.3), children: [childAt(40, "trailing")] },
      [unreached],
    ],
    [
      "a trailing stop on sol that fires after a rise",
      { chain: "sol", terms: trailing, price: risen(30, 1.1), children: [childAt(60, "trailing")] },
      [],
    ],
    [
      "a trailing stop whose price rises during a fault",
      { terms: trailing, price: risen(100, 1.15), faults: [10, 100] },
      [],
    ],
    ["slices that are missed", { terms: sliced, price: () => 1 }, [missed, missed, missed]],
    [
      "slices in time",
      {
        terms: sliced,
        price: () => 1,
        children: [1, 2, 3].map((slice) => childAt(60 * slice - 58, "slice", { slice })),
      },
      [],
    ],
    [
      "a slice before its time",
      { terms: sliced, price: () => 1, children: [childAt(59, "slice", { slice: 2 })] },
      [missed, missed, expect.stringContaining("which is not its time")],
    ],
    [
      "a slice long after its time",
      { terms: sliced, price: () => 1, children: [childAt(72, "slice", { slice: 1 })] },
      [missed, missed, missed, expect.stringContaining("which is not its time")],
    ],
    ["slices beyond their price", { terms: { ...sliced, price: "1.1" }, price: () => 1 }, []],
    [
      "a limit that fires by an old head",
      {
        terms: limit,
        price: during(20, 90, 1.2),
        children: [childAt(22, "limit", { block: 22, createdAtMs: startMs + 60_000 })],
      },
      [missed, expect.stringContaining("which was too old by then")],
    ],
  ])("judges %s", (_, facts, problems) => {
    expect(firingsOf(facts)).toEqual(problems);
  });

  it.each([
    [
      "fires in a listed time",
      { price: during(20, 90, 1.2), children: [childAt(22, "limit")] },
      [{ fired: 1 }, { listed: 1 }],
    ],
    [
      "fires at the edge of its price",
      { price: during(20, 90, 1.102), children: [childAt(22, "limit")] },
      [{}, { "at an edge": 1 }],
    ],
    ["misses its price", { price: during(20, 90, 1.2) }, [{ missed: 1 }, {}]],
    ["has too little time", { price: during(20, 29, 1.2) }, [{ "left too soon": 1 }, {}]],
    ["has a fault", { price: during(20, 90, 1.2), faults: [10, 100] }, [{ excused: 1 }, {}]],
  ] as [string, Omit<Case, "terms">, object[]][])("counts a limit that %s", (_, facts, [listed, firings]) => {
    const found = comparisonOf({ terms: limit, ...facts });
    expect(found).toMatchObject({
      listed: { ...noneListed, ...listed },
      firings: { ...noneFired, ...firings },
    });
  });

  it("lets an order wait for another one of its wallet", () => {
    const other = {
      asked: askedFor("avax", stop),
      attention: [],
      children: [childAt(21, "stop", { doneAtMs: startMs + 80_000 })],
    };
    const facts: Case = { terms: limit, price: (second) => (second > 19 && second < 90 ? 1.2 : 1) };
    const judged = firingsOf(facts, [other]);
    expect(judged).toEqual([expect.stringContaining("the stop of rest")]);
  });

  it("requires nothing of a cancelled order", () => {
    const asked = { ...askedFor("avax", limit), cancelledAtMs: startMs + 22_000 };
    const records = () => recordsOf("avax", during(20, 90, 1.2));
    const { problems } = compareAll({
      orders: [{ asked, children: [], attention: [] }],
      records,
      faults: () => [],
    });
    expect(problems).toEqual([]);
  });
});
