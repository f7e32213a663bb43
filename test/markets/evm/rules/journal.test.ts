import { beforeEach, describe, expect, it } from "vitest";
import { decimalOf, formatDecimal } from "../../../../lib/core/decimal.ts";
import type { Candle } from "../../../../lib/markets/core/candle.ts";
import { type Journal, newJournal, watchPool } from "../../../../lib/markets/evm/rules/journal.ts";
import { lookRound } from "../../../../lib/markets/evm/rules/look-round.ts";
import {
  addShown,
  baseAt,
  basesToKeep,
  completeFirstMinute,
  minutesOf,
  mostUnexplainedMs,
  type PoolBook,
  takeChangedMinutes,
} from "../../../../lib/markets/evm/rules/pool-book.ts";
import { proofRound } from "../../../../lib/markets/evm/rules/proof-round.ts";
import { q96, type ScriptedBlock, ScriptedHosts, v3Pool } from "./support/scripted-hosts.ts";

let hosts: ScriptedHosts;
let journal: Journal;
let nowMs: number;

const bookOf = (name = v3Pool.pool) => journal.books.get(name) as PoolBook;

/** The changed minutes, as start, prices and marks. */
const taken = () => {
  const time = { blockTime: journal.look?.time ?? 0, nowMs };
  return takeChangedMinutes(bookOf(), time).map(shown);
};

function shown({ start, trades, isFinal, hasGaps, ...prices }: Candle): string {
  const [open, high, low, close] = (["open", "high", "low", "close"] as const).map((name) =>
    formatDecimal(prices[name]),
  );
  const marks = `${isFinal ? " final" : ""}${hasGaps ? " gaps" : ""}`;
  return `${start}: ${open} ${high} ${low} ${close}, ${trades}${marks}`;
}

async function look(): Promise<void> {
  nowMs += 1000;
  await lookRound(journal, hosts, nowMs);
}

/** Looks at the latest block and at another one that confirms it. Proves the minutes that ended before. */
async function settle() {
  await look();
  hosts.mine(hosts.lastTime + 1);
  await look();
  return proofRound(journal, hosts, nowMs);
}

beforeEach(async () => {
  hosts = new ScriptedHosts();
  journal = newJournal("avax", 7);
  nowMs = 0;
  // The pool starts in the minute from 0 on, and its first whole minute is that from 60 on.
  for (let time = 0; time <= 50; time += 10) hosts.mine(time);
  watchPool(journal, v3Pool, -60_000);
  await look();
});

describe("a journal", () => {
  it("starts a pool where two hosts agree on its state", async () => {
    expect(bookOf().bases).toMatchObject([{ block: 5, hash: "0x5", time: 50, word: q96, isWhole: false }]);
  });

  it("starts no pool whose state another host contradicts, or has not seen", async () => {
    watchPool(journal, { ...v3Pool, pool: "0xunknown" }, nowMs);
    hosts.blocks.b?.pop();
    journal.books.delete(v3Pool.pool);
    watchPool(journal, v3Pool, nowMs);
    await look();
    expect(bookOf().bases).toEqual([]);
    hosts.blocks.b?.push({ hash: "0x5", time: 50, words: [2n * q96] });
    await look();
    expect(bookOf().bases).toEqual([]);
    expect(bookOf().price).toBeDefined();
  });

  it("makes minutes of the events that explain new states", async () => {
    hosts.mine(60, [2n * q96]);
    hosts.mine(70, [q96, 3n * q96]);
    await look();
    expect(hosts.asked.at(-1)).toBe("events a 6-7");
    expect(taken()).toEqual(["60: 1 9 1 9, 3"]);
    await look();
    expect(hosts.asked.at(-1)).toBe("look a");
    expect(taken()).toEqual([]);
  });

  it("reads the last block again, since another may have taken its place with the same number", async () => {
    hosts.mine(60, [2n * q96]);
    await look();
    hosts.mine(70, [3n * q96]);
    await look();
    expect(hosts.asked.at(-1)).toBe("events a 6-7");
  });

  it("rejects events that do not lead to the state of the look, and asks another host", async () => {
    hosts.mine(60, [2n * q96, 3n * q96]);
    hosts.tamper.a = (events) => events.slice(0, -1);
    await look();
    expect(taken()).toEqual([]);
    expect(formatDecimal(bookOf().price as never)).toBe("9");
    nowMs += mostUnexplainedMs;
    expect(await lookRound(journal, hosts, nowMs)).toMatchObject({ isTaken: true, isUnexplained: true });
    // Another host's events do not explain it either, so it must be the pool.
    hosts.tamper.b = hosts.tamper.a;
    hosts.first = "b";
    expect(await lookRound(journal, hosts, nowMs)).toMatchObject({ isUnexplained: false });
    expect(taken()).toEqual(["60: 1 4 1 4, 1 gaps"]);
    hosts.tamper = {};
    hosts.mine(70, [q96]);
    await look();
    expect(taken()).toEqual(["60: 1 9 1 1, 3"]);
  });

  it("rejects events with the hashes of another fork", async () => {
    hosts.mine(60, [2n * q96]);
    hosts.mine(70);
    hosts.tamper.a = (events) => events.map((event) => ({ ...event, blockHash: "0xfork" }));
    expect(await lookRound(journal, hosts, nowMs)).toMatchObject({ isTaken: true, faults: ["foreign"] });
    expect(taken()).toEqual([]);
  });

  it("drops a hash that its host does not show again", async () => {
    hosts.mine(60, [2n * q96]);
    await look();
    hosts.mine(70, [3n * q96]);
    journal.hashes.set(6, { hash: "0xlie", isConfirmed: true });
    journal.hashes.set(5, { hash: "0x5", isConfirmed: true });
    hosts.mine(80);
    await look();
    expect(journal.hashes.get(6)?.hash).not.toBe("0xlie");
    await look();
    expect(taken()).toEqual(["60: 1 9 1 9, 2"]);
  });

  it("ignores events before the proven part", async () => {
    hosts.mine(60);
    await settle();
    hosts.mine(120, [2n * q96]);
    hosts.tamper.a = (events) => events.map((event) => ({ ...event, time: 55 }));
    await look();
    expect(taken()).toEqual([]);
  });

  it("does not let a false time bring an event into a minute that is final", async () => {
    hosts.mine(60, [2n * q96]);
    await settle();
    hosts.mine(120);
    await look();
    hosts.mine(121, [3n * q96]);
    hosts.tamper.a = (events) => events.map((event) => (event.block === 9 ? { ...event, time: 100 } : event));
    await look();
    expect(taken()).toEqual(["60: 1 9 1 9, 2"]);
    expect(await proofRound(journal, hosts, nowMs)).toMatchObject({ proven: [v3Pool.pool] });
    expect(taken()).toEqual(["60: 1 4 1 4, 1 final"]);
    hosts.tamper = {};
    await look();
    expect(taken()).toEqual(["120: 4 9 4 9, 1"]);
  });

  it("asks for a block again of which another host names another hash, and drops a lie about it", async () => {
    hosts.mine(60, [2n * q96]);
    await settle();
    hosts.mine(70, [3n * q96, 2n * q96]);
    await look();
    hosts.mine(120);
    await look();
    hosts.mine(121);
    await look();
    // Looks no longer ask for this block, since a newer one is known.
    journal.hashes.set(8, { hash: "0xlie", isConfirmed: true });
    expect(await proofRound(journal, hosts, nowMs)).toMatchObject({ proven: [], faults: ["foreign"] });
    expect(journal.hashes.get(8)).toBeUndefined();
    await look();
    await settle();
    expect(taken()).toEqual(["60: 1 4 1 4, 3 final"]);
  });

  it("sums up no minute that was not taken as final", async () => {
    hosts.mine(60, [2n * q96]);
    for (let time = 120; time <= 420; time += 2) {
      hosts.mine(time);
      if (time % 20 === 0) await settle();
    }
    await look();
    expect(bookOf().bases).toHaveLength(1);
    expect(taken()).toEqual(["60: 1 4 1 4, 1 final"]);
    await look();
    expect(bookOf().bases).toHaveLength(2);
  });

  it("asks for the times that a host does not say", async () => {
    hosts.mine(60, [2n * q96]);
    hosts.tamper.a = (events) => events.map((event) => ({ ...event, time: 0 }));
    await look();
    expect(hosts.asked.slice(-2)).toEqual(["events a 6-6", "headers a 6"]);
    expect(taken()).toEqual(["60: 1 4 1 4, 1"]);
  });

  it("closes a minute once both hosts show the same after it", async () => {
    hosts.mine(60, [2n * q96]);
    await settle();
    hosts.mine(119, [3n * q96]);
    hosts.mine(120);
    await look();
    expect(await proofRound(journal, hosts, nowMs)).toEqual({ proven: [], failed: [], faults: [] });
    hosts.mine(121);
    hosts.asked = [];
    expect(await settle()).toMatchObject({ proven: [v3Pool.pool], failed: [] });
    expect(taken()).toEqual(["60: 1 9 1 9, 2 final"]);
    const asked = ["headers b 6,10", "events b 7-10", "headers a 6,10", "events a 7-10"];
    expect(hosts.asked.slice(-4)).toEqual(asked);
  });

  it("finds swaps that left the state as it was", async () => {
    hosts.mine(60, [2n * q96, q96]);
    hosts.mine(120);
    expect(await settle()).toMatchObject({ proven: [v3Pool.pool] });
    expect(taken()).toEqual(["60: 1 1 1 1, 2 final"]);
  });

  it("proves nothing by a host that has not looked for swaps without a trace", async () => {
    hosts.mine(60, [2n * q96, q96]);
    hosts.mine(120);
    hosts.tamper.b = () => [];
    expect(await settle()).toMatchObject({ proven: [], failed: [v3Pool.pool] });
    expect(taken()).toEqual([]);
  });

  it("adopts what the first host shows when asked once more, if the other one shows the same", async () => {
    hosts.mine(60, [2n * q96, 3n * q96]);
    hosts.tamper.a = (events) => events.map((event) => ({ ...event, volume: { mantissa: 5n, exponent: 0 } }));
    await look();
    hosts.tamper = {};
    hosts.mine(120);
    await settle();
    expect(bookOf().events.map(({ volume }) => volume.mantissa)).toEqual([1n, 1n]);
    expect(taken()).toEqual(["60: 1 9 1 9, 2 final"]);
  });

  it("has gaps where two hosts differ, until they agree", async () => {
    hosts.mine(60, [2n * q96]);
    hosts.mine(120);
    hosts.tamper.b = () => [];
    expect(await settle()).toMatchObject({ failed: [v3Pool.pool] });
    expect(taken()).toEqual(["60: 1 4 1 4, 1"]);
    hosts.mine(180);
    await settle();
    expect(taken()).toEqual(["60: 1 4 1 4, 1 gaps"]);
    hosts.tamper = {};
    expect(await proofRound(journal, hosts, nowMs)).toMatchObject({ proven: [], failed: [] });
    nowMs += 5000;
    expect(await proofRound(journal, hosts, nowMs)).toMatchObject({ proven: [v3Pool.pool] });
    expect(taken()).toEqual(["60: 1 4 1 4, 1 final"]);
  });

  it.each([
    ["the end", 8, { hash: "0xother" }],
    ["the end", 8, { time: 122 }],
    ["the last proof", 6, { hash: "0xother" }],
    ["the last proof", 6, { time: 61 }],
  ])("closes nothing if the other host has another block at %s", async (_, place, change) => {
    hosts.mine(60, [2n * q96]);
    await settle();
    hosts.mine(120);
    await look();
    hosts.mine(121);
    await look();
    const blocks = hosts.blocks.b as ScriptedBlock[];
    const block = blocks[place] as ScriptedBlock;
    blocks[place] = { ...block, ...change };
    expect(await proofRound(journal, hosts, nowMs)).toMatchObject({ failed: [v3Pool.pool] });
    blocks[place] = block;
    nowMs += 5000;
    expect(await proofRound(journal, hosts, nowMs)).toMatchObject({ proven: [v3Pool.pool] });
    expect(taken()).toEqual(["60: 1 4 1 4, 1 final"]);
  });
});

describe("a reorganisation", () => {
  beforeEach(async () => {
    hosts.mine(60, [2n * q96]);
    hosts.mine(100, [3n * q96]);
    await settle();
    taken();
  });

  it("of the newest block shows in the next look, and corrects its minute", async () => {
    hosts.drop(2);
    hosts.mine(100, [q96], "'");
    hosts.mine(110, [], "'");
    await look();
    expect(journal.revision).toBe(8);
    expect(taken()).toEqual(["60: 1 4 1 1, 2"]);
  });

  it("takes back a minute whose swaps are all gone", async () => {
    hosts.drop(3);
    for (const time of [60, 100, 130]) hosts.mine(time, [], "'");
    await look();
    expect(taken()).toEqual(["60: 1 1 1 1, 0"]);
  });

  it("of a minute that was final has it proven again", async () => {
    hosts.mine(120);
    await settle();
    expect(taken()).toEqual(["60: 1 9 1 9, 2 final"]);
    hosts.drop(4);
    for (const time of [100, 120, 121, 122, 123]) hosts.mine(time, [], "'");
    await look();
    expect(taken()).toEqual(["60: 1 4 1 4, 1"]);
    await settle();
    expect(taken()).toEqual(["60: 1 4 1 4, 1 final"]);
    expect(journal.revision).toBe(8);
  });

  it("below the first base starts the pool again, and leaves gaps", async () => {
    hosts.drop(5);
    for (const time of [40, 50, 60, 100, 110]) hosts.mine(time, [], "'");
    await look();
    expect(taken()).toEqual(["60: 1 9 1 9, 2 gaps"]);
    expect(bookOf().bases).toMatchObject([{ block: 8, isWhole: false }]);
  });

  it("goes back to an older base if it is deeper than the journal", async () => {
    for (let time = 120; time <= 420; time += 2) {
      hosts.mine(time, time % 60 === 0 ? [BigInt(time) * q96] : []);
      if (time % 20 === 0) await settle();
      taken();
    }
    const [first, ...later] = bookOf().bases;
    expect(first).toMatchObject({ block: 5 });
    expect(later.length).toBeGreaterThan(1);
    // A block that was proven for another pool alone proves nothing about this one.
    const other = { block: 14, hash: "0x14", time: 130, isWhole: true };
    watchPool(journal, { ...v3Pool, pool: "0xother" }, nowMs, [other]);
    hosts.drop(148);
    hosts.mine(130, [5n * q96], "'");
    for (let time = 132; time <= 440; time += 2) hosts.mine(time, [], "'");
    await look();
    expect(bookOf().bases.length).toBeLessThan(1 + later.length);
    expect(taken().filter((minute) => !minute.includes(", 0"))).toEqual(["120: 9 14400 9 25, 2 gaps"]);
    await settle();
    expect(taken()).toEqual(["120: 9 14400 9 25, 2 final"]);
  });

  it("that another host knows of before the first one makes nothing final", async () => {
    hosts.mine(120);
    await settle();
    taken();
    const blocks = hosts.blocks.b as ScriptedBlock[];
    hosts.mine(180);
    await look();
    hosts.mine(181);
    for (const [index, block] of blocks.entries())
      if (index > 6) blocks[index] = { ...block, hash: `${block.hash}'` };
    await look();
    expect(await proofRound(journal, hosts, nowMs)).toMatchObject({ failed: [v3Pool.pool] });
    expect(taken()).toEqual(["60: 1 9 1 9, 2 gaps"]);
  });
});

describe("another host", () => {
  beforeEach(async () => {
    hosts.mine(60, [2n * q96]);
    await settle();
    hosts.tamper.a = (events) => events.map((event) => ({ ...event, volume: { mantissa: 5n, exponent: 0 } }));
    hosts.mine(70, [3n * q96]);
    await look();
    hosts.mine(75, [4n * q96]);
    await look();
    hosts.first = "b";
  });

  it("proves nothing by the events of the one before", async () => {
    hosts.mine(120);
    expect(await settle()).toMatchObject({ proven: [], failed: [v3Pool.pool] });
    expect(bookOf().events.map(({ volume }) => volume.mantissa)).toEqual([1n, 1n, 1n]);
  });

  it("may be behind", async () => {
    hosts.blocks.b?.splice(-2);
    await look();
    expect(journal.look?.number).toBe(7);
    expect(journal.revision).toBe(8);
    expect(bookOf().events).toHaveLength(1);
  });

  it("may be on another fork, below what was proven", async () => {
    hosts.tamper = {};
    hosts.mine(120);
    hosts.first = "a";
    await settle();
    expect(bookOf().proven).toMatchObject({ time: 120 });
    hosts.drop(4);
    for (const time of [71, 72, 121, 122]) hosts.mine(time, [], "'");
    hosts.first = "b";
    await look();
    expect(taken()).toEqual(["60: 1 4 1 4, 1"]);
    expect(bookOf().proven).toMatchObject({ time: 60 });
  });
});

describe("a base", () => {
  it("lets another run continue, in the middle of a minute", async () => {
    hosts.mine(60, [2n * q96]);
    hosts.mine(120, [3n * q96]);
    hosts.mine(121);
    await settle();
    const anchor = bookOf().proven;
    expect(anchor).toMatchObject({ block: 8, time: 121 });
    const base = anchor && baseAt(bookOf(), anchor);
    journal = newJournal("avax");
    watchPool(journal, v3Pool, nowMs, base && [base]);
    hosts.mine(130, [4n * q96]);
    hosts.mine(180);
    await settle();
    expect(taken()).toEqual(["120: 4 16 4 16, 2 final"]);
  });

  it("leaves another run time to prove its minutes again", async () => {
    hosts.mine(60, [2n * q96]);
    await settle();
    const bases = basesToKeep(bookOf());
    expect(bases).toMatchObject([{ block: 5 }]);
    for (const time of [120, 180, 240]) hosts.mine(time);
    journal = newJournal("avax");
    watchPool(journal, v3Pool, nowMs, bases);
    await look();
    expect(taken()).toEqual(["60: 1 4 1 4, 1"]);
    nowMs += 30_000;
    expect(taken()).toEqual(["60: 1 4 1 4, 1 gaps"]);
  });

  it("is kept for another run with older ones, and always with the oldest", () => {
    const basesAt = (times: readonly number[]) =>
      times.map((time) => ({ block: time, hash: `0x${time}`, time, isWhole: true }));
    const kept = (times: readonly number[]) => {
      bookOf().bases = basesAt(times);
      return basesToKeep(bookOf()).map(({ time }) => time);
    };
    expect(kept([])).toEqual([]);
    expect(kept([60])).toEqual([60]);
    expect(kept([60, 120, 180])).toEqual([60, 180]);
    const hour = Array.from({ length: 60 }, (_, minute) => 60 * minute);
    expect(kept(hour)).toEqual([540, 2640, 3300, 3540]);
  });

  it("lets a run revoke minutes that its predecessor has shown", async () => {
    hosts.mine(60, [2n * q96]);
    hosts.mine(120);
    await settle();
    const shownBefore = minutesOf(bookOf(), { blockTime: 120, nowMs });
    const bases = basesToKeep(bookOf());
    hosts.drop(3);
    for (const time of [60, 120, 121]) hosts.mine(time, [], "'");
    journal = newJournal("avax");
    watchPool(journal, v3Pool, nowMs, bases);
    await look();
    addShown(bookOf(), shownBefore);
    expect(taken()).toEqual(["60: 1 1 1 1, 0"]);
  });

  it("revokes no minute before its events have been read", async () => {
    const bases = basesToKeep(bookOf());
    hosts.mine(60, [2n * q96]);
    hosts.mine(120);
    await settle();
    const before = minutesOf(bookOf(), { blockTime: 121, nowMs });
    taken();
    journal = newJournal("avax");
    watchPool(journal, v3Pool, nowMs, bases);
    addShown(bookOf(), before);
    expect(taken()).toEqual([]);
    await look();
    expect(taken()).toEqual(["60: 1 4 1 4, 1"]);
  });

  it("is compared with the chain, however old it is", async () => {
    hosts.mine(60, [2n * q96]);
    hosts.mine(120);
    await settle();
    const bases = basesToKeep(bookOf()).map((base) => ({ ...base, hash: "0xfork" }));
    journal = newJournal("avax");
    watchPool(journal, v3Pool, nowMs, bases);
    hosts.isForgetful = true;
    await look();
    expect(bookOf().bases).toMatchObject([{ block: 8, hash: "0x8" }]);
  });

  it("that was taken back between two runs is dropped once two hosts no longer have its block", async () => {
    hosts.mine(60, [2n * q96]);
    hosts.mine(120, [3n * q96]);
    await settle();
    const anchor = bookOf().proven;
    const base = anchor && baseAt(bookOf(), anchor);
    hosts.drop(2);
    for (const time of [120, 121, 122]) hosts.mine(time, [5n * q96], "'");
    journal = newJournal("avax");
    watchPool(journal, v3Pool, nowMs, base && [base]);
    // A newer block is still there, so looks do not ask for the old one.
    const newer = { block: 9, hash: "0x9'", time: 122, isWhole: true };
    watchPool(journal, { ...v3Pool, pool: "0xother" }, nowMs, [newer]);
    hosts.isForgetful = true;
    await look();
    expect(bookOf().bases).toEqual([base]);
    hosts.mine(180);
    await settle();
    expect(bookOf().bases).toEqual([]);
    expect(bookOf("0xother").bases).toEqual([newer]);
    await look();
    expect(bookOf().bases).toMatchObject([{ time: 181 }]);
  });

  it("of a pool's first minute may get what was before it", async () => {
    hosts.mine(55, [2n * q96]);
    hosts.mine(60, [3n * q96]);
    hosts.mine(61);
    await settle();
    expect(taken()).toEqual(["0: 1 4 1 4, 1 gaps", "60: 4 9 4 9, 1"]);
    const [one, high] = [decimalOf(1n, 0), decimalOf(25n, 0)];
    const prices = { open: high, high, low: one, close: one, volume: one };
    const pool = { pool: v3Pool.pool, quote: "native" };
    const part = { start: 0, ...prices, trades: 2, pool, isFinal: true, hasGaps: false };
    completeFirstMinute(bookOf(), part);
    expect(taken()).toEqual(["0: 25 25 1 4, 3 final"]);
    completeFirstMinute(bookOf(), part);
    expect(taken()).toEqual([]);
  });
});
