import { describe, expect, it } from "vitest";
import { wordOfReserves } from "../../../../lib/chains/evm/rules/pool-price.ts";
import { zero } from "../../../../lib/core/decimal.ts";
import {
  checkEvents,
  explains,
  isSameReading,
  untimedBlocks,
  withTimes,
} from "../../../../lib/markets/evm/rules/event-reading.ts";
import type { PoolEvent } from "../../../../lib/markets/evm/rules/watched-pool.ts";

const event = (block: number, logIndex: number, rest: Partial<PoolEvent> = {}): PoolEvent => ({
  pool: "0xpool",
  block,
  blockHash: `0x${block}`,
  time: block,
  logIndex,
  isSwap: true,
  volume: zero,
  ...rest,
});

const read = (events: readonly PoolEvent[], known: Record<number, string> = {}) =>
  checkEvents(events, {
    from: 10,
    to: 20,
    pools: new Set(["0xpool", "0xother"]),
    known: (block) => known[block],
    latest: 20,
  });

const [first, second, third] = [event(10, 1), event(10, 2), event(20, 0)];

describe("checkEvents", () => {
  it("removes repeated events, sorts the remaining ones, and reports both faults", () => {
    expect(read([first, second, third])).toEqual({ events: [first, second, third], faults: [] });
    expect(read([third, second, first, { ...second }])).toEqual({
      events: [first, second, third],
      faults: ["unordered", "repeated"],
    });
  });

  it.each([
    ["outside", [event(9, 1)]],
    ["outside", [event(21, 1)]],
    ["outside", [event(Number.NaN, 1)]],
    ["outside", [event(10, 1, { pool: "0xstranger" })]],
    ["contradictory", [first, event(10, 1, { isSwap: false })]],
    ["contradictory", [first, event(10, 1, { pool: "0xother" })]],
    ["contradictory", [first, event(10, 2, { blockHash: "0xfork" })]],
    ["contradictory", [first, event(10, 2, { time: 11 })]],
    ["untimely", [event(10, 1, { time: 0 })]],
    ["untimely", [event(10, 1, { time: 15 }), event(11, 1, { time: 14 })]],
    ["untimely", [event(10, 1, { time: 21 })]],
  ] as const)("rejects events that are %s", (fault, events) => {
    expect(read(events)).toEqual({ faults: [fault] });
  });

  it("rejects events of a different fork", () => {
    expect(read([first, third], { 20: "0x20" }).events).toEqual([first, third]);
    expect(read([first, third], { 20: "0xfork" })).toEqual({ faults: ["foreign"], foreign: [20] });
  });
});

describe("times of events", () => {
  it("takes missing times from headers with the same hash", () => {
    const events = [event(10, 1, { time: 0 }), event(11, 0, { time: 0 }), event(11, 1, { time: 0 }), third];
    expect(untimedBlocks(events)).toEqual([10, 11]);
    const headers = new Map([
      [10, { hash: "0x10", time: 100 }],
      [11, { hash: "0xfork", time: 110 }],
    ]);
    expect(withTimes(events, headers).map(({ time }) => time)).toEqual([100, 0, 0, 20]);
  });
});

describe("isSameReading", () => {
  it.each([
    ["block", { block: 11 }],
    ["hash", { blockHash: "0xfork" }],
    ["place", { logIndex: 3 }],
    ["time", { time: 11 }],
    ["pool", { pool: "0xother" }],
    ["state", { word: 2n }],
    ["kind", { isSwap: false }],
    ["volume", { volume: { mantissa: 1n, exponent: 0 } }],
    ["change", { change: [1n, -1n] as const }],
  ])("returns false for a different %s", (_, change) => {
    const one = event(10, 1, { word: 1n, change: [1n, -2n] });
    expect(isSameReading([one], [{ ...one }])).toBe(true);
    expect(isSameReading([one], [{ ...one, ...change }])).toBe(false);
    expect(isSameReading([one], [one, event(10, 2)])).toBe(false);
  });
});

describe("explains", () => {
  const word = wordOfReserves;
  const sync = (block: number, logIndex: number, state: bigint) =>
    event(block, logIndex, { word: state, isSwap: false });
  const swap = (block: number, logIndex: number, change: readonly [bigint, bigint]) =>
    event(block, logIndex, { change });

  it("accepts events that end in the state that the look shows", () => {
    expect(explains([event(10, 1, { word: 5n })], 3n, 5n)).toBe(true);
    expect(explains([event(10, 1, { word: 5n }), event(10, 2, { word: 3n })], 3n, 3n)).toBe(true);
    expect(explains([], 3n, 3n)).toBe(true);
    expect(explains([], undefined, 3n)).toBe(true);
  });

  it("detects that the newest events are hidden, or that events are invented", () => {
    expect(explains([event(10, 1, { word: 5n })], 3n, 6n)).toBe(false);
    expect(explains([], 3n, 5n)).toBe(false);
  });

  it("checks each v2 swap against the reserves before and after it", () => {
    const events = [
      sync(10, 1, word(110n, 91n)),
      swap(10, 2, [10n, -9n]),
      // A change of liquidity, for which no swap accounts.
      sync(10, 5, word(220n, 182n)),
      sync(11, 0, word(200n, 200n)),
      swap(11, 1, [-20n, 18n]),
    ];
    const [before, after] = [word(100n, 100n), word(200n, 200n)];
    expect(explains(events, before, after)).toBe(true);
    expect(explains(events, undefined, after)).toBe(true);
    for (const place of [0, 2, 3]) expect(explains(events.toSpliced(place, 1), before, after)).toBe(false);
    expect(explains(events.toSpliced(3, 2), before, after)).toBe(false);
    // An event hidden before a change of liquidity looks like a part of that change, so only a second host can reveal
    // it.
    expect(explains(events.toSpliced(0, 2), before, after)).toBe(true);
    expect(explains(events.toSpliced(4, 1), before, after)).toBe(true);
  });

  it("requires each v2 swap right after its reserves", () => {
    const [before, after] = [word(100n, 100n), word(110n, 91n)];
    const reserves = sync(10, 1, after);
    expect(explains([reserves, swap(10, 2, [10n, -9n])], before, after)).toBe(true);
    for (const [block, logIndex] of [
      [10, 3],
      [11, 2],
    ] as const)
      expect(explains([reserves, swap(block, logIndex, [10n, -9n])], before, after)).toBe(false);
    expect(explains([swap(10, 2, [10n, -9n])], undefined, after)).toBe(false);
  });

  it("detects that a v2 swap is hidden together with its reserves", () => {
    const events = [
      sync(10, 1, word(110n, 91n)),
      swap(10, 2, [10n, -9n]),
      sync(11, 1, word(120n, 84n)),
      swap(11, 2, [10n, -7n]),
      sync(12, 1, word(130n, 78n)),
      swap(12, 2, [10n, -6n]),
    ];
    expect(explains(events, word(100n, 100n), word(130n, 78n))).toBe(true);
    expect(explains(events.toSpliced(2, 2), word(100n, 100n), word(130n, 78n))).toBe(false);
    expect(explains(events.toSpliced(0, 2), word(100n, 100n), word(130n, 78n))).toBe(false);
  });
});
