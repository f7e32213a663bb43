import { beforeEach, describe, expect, it } from "vitest";
import { formatDecimal } from "../../../../lib/core/decimal.ts";
import { cutAfter, watchPool } from "../../../../lib/markets/evm/rules/journal.ts";
import { lookRound } from "../../../../lib/markets/evm/rules/look-round.ts";
import { mostUnexplainedMs } from "../../../../lib/markets/evm/rules/pool-book.ts";
import { proofRound } from "../../../../lib/markets/evm/rules/proof-round.ts";
import { journalForTests } from "./support/journal-run.ts";
import { q96, type ScriptedBlock, v3Pool } from "./support/scripted-hosts.ts";

const { run, bookOf, look, settle, taken } = journalForTests();

describe("the journal of pools", () => {
  it("starts to follow a pool only if two hosts agree on its state", async () => {
    expect(bookOf().bases).toMatchObject([{ block: 5, hash: "0x5", time: 50, word: q96, isWhole: false }]);
  });

  it("does not start to follow a pool if a second host contradicts its state or has not seen it", async () => {
    watchPool(run.journal, { ...v3Pool, pool: "0xunknown" }, run.nowMs);
    run.hosts.blocks.b?.pop();
    run.journal.books.delete(v3Pool.pool);
    watchPool(run.journal, v3Pool, run.nowMs);
    await look();
    expect(bookOf().bases).toEqual([]);
    run.hosts.blocks.b?.push({ hash: "0x5", time: 50, words: [2n * q96] });
    await look();
    expect(bookOf().bases).toEqual([]);
    expect(bookOf().price).toBeDefined();
  });

  it("computes minute candles from events that lead to the new states", async () => {
    run.hosts.mine(60, [2n * q96]);
    run.hosts.mine(70, [q96, 3n * q96]);
    await look();
    expect(run.hosts.asked.at(-1)).toBe("events a 6-7");
    expect(taken()).toEqual(["60: 1 9 1 9, 3"]);
    await look();
    expect(run.hosts.asked.at(-1)).toBe("look a");
    expect(taken()).toEqual([]);
  });

  it("reads the last block again, because another block may have taken its number", async () => {
    run.hosts.mine(60, [2n * q96]);
    await look();
    run.hosts.mine(70, [3n * q96]);
    await look();
    expect(run.hosts.asked.at(-1)).toBe("events a 6-7");
  });

  it("rejects events that do not lead to the state that the look shows, and queries the second host", async () => {
    run.hosts.mine(60, [2n * q96, 3n * q96]);
    run.hosts.tamper.a = (events) => events.slice(0, -1);
    await look();
    expect(taken()).toEqual([]);
    expect(formatDecimal(bookOf().price as never)).toBe("9");
    run.nowMs += mostUnexplainedMs;
    expect(await lookRound(run.journal, run.hosts, run.nowMs)).toMatchObject({
      isTaken: true,
      isUnexplained: true,
    });
    // The second host's events do not lead to the state either, so the pool itself must be odd.
    run.hosts.tamper.b = run.hosts.tamper.a;
    run.hosts.first = "b";
    expect(await lookRound(run.journal, run.hosts, run.nowMs)).toMatchObject({ isUnexplained: false });
    expect(taken()).toEqual(["60: 1 4 1 4, 1 gaps"]);
    run.hosts.tamper = {};
    run.hosts.mine(70, [q96]);
    await look();
    expect(taken()).toEqual(["60: 1 9 1 1, 3"]);
  });

  it("rejects events with the hashes of a different fork", async () => {
    run.hosts.mine(60, [2n * q96]);
    run.hosts.mine(70);
    run.hosts.tamper.a = (events) => events.map((event) => ({ ...event, blockHash: "0xfork" }));
    expect(await lookRound(run.journal, run.hosts, run.nowMs)).toMatchObject({
      isTaken: true,
      faults: ["foreign"],
    });
    expect(taken()).toEqual([]);
  });

  it("drops a block's hash if the host that reported it does not show it again", async () => {
    run.hosts.mine(60, [2n * q96]);
    await look();
    run.hosts.mine(70, [3n * q96]);
    run.journal.hashes.set(6, { hash: "0xlie", isConfirmed: true });
    run.journal.hashes.set(5, { hash: "0x5", isConfirmed: true });
    run.hosts.mine(80);
    await look();
    expect(run.journal.hashes.get(6)?.hash).not.toBe("0xlie");
    await look();
    expect(taken()).toEqual(["60: 1 9 1 9, 2"]);
  });

  it("ignores new events in blocks that were already proven", async () => {
    run.hosts.mine(60);
    await settle();
    run.hosts.mine(120, [2n * q96]);
    run.hosts.tamper.a = (events) => events.map((event) => ({ ...event, time: 55 }));
    await look();
    expect(taken()).toEqual([]);
  });

  it("prevents a false time from moving an event into a final minute candle", async () => {
    run.hosts.mine(60, [2n * q96]);
    await settle();
    run.hosts.mine(120);
    await look();
    run.hosts.mine(121, [3n * q96]);
    run.hosts.tamper.a = (events) =>
      events.map((event) => (event.block === 9 ? { ...event, time: 100 } : event));
    await look();
    expect(taken()).toEqual(["60: 1 9 1 9, 2"]);
    expect(await proofRound(run.journal, run.hosts, run.nowMs)).toMatchObject({ proven: [v3Pool.pool] });
    expect(taken()).toEqual(["60: 1 4 1 4, 1 final"]);
    run.hosts.tamper = {};
    await look();
    expect(taken()).toEqual(["120: 4 9 4 9, 1"]);
  });

  it("queries a block again if the second host reports a different hash, and drops a false hash", async () => {
    run.hosts.mine(60, [2n * q96]);
    await settle();
    run.hosts.mine(70, [3n * q96, 2n * q96]);
    await look();
    run.hosts.mine(120);
    await look();
    run.hosts.mine(121);
    await look();
    // Looks no longer query this block, because a newer one is known.
    run.journal.hashes.set(8, { hash: "0xlie", isConfirmed: true });
    expect(await proofRound(run.journal, run.hosts, run.nowMs)).toMatchObject({
      proven: [],
      faults: ["foreign"],
    });
    expect(run.journal.hashes.get(8)).toBeUndefined();
    await look();
    await settle();
    expect(taken()).toEqual(["60: 1 4 1 4, 3 final"]);
  });

  it("does not count a failed proof during which blocks are dropped", async () => {
    run.hosts.mine(60, [2n * q96]);
    await settle();
    run.hosts.mine(70, [3n * q96]);
    for (const time of [120, 121]) {
      run.hosts.mine(time);
      await look();
    }
    run.journal.hashes.set(8, { hash: "0xlie", isConfirmed: true });
    const headers = run.hosts.headers.bind(run.hosts);
    run.hosts.headers = async (of, numbers) => {
      if (numbers.includes(8)) cutAfter(run.journal, 7);
      return await headers(of, numbers);
    };
    expect(await proofRound(run.journal, run.hosts, run.nowMs)).toEqual({
      proven: [],
      failed: [],
      faults: ["foreign"],
    });
  });

  it("keeps the events of a minute until its final candle was taken", async () => {
    run.hosts.mine(60, [2n * q96]);
    for (let time = 120; time <= 420; time += 2) {
      run.hosts.mine(time);
      if (time % 20 === 0) await settle();
    }
    await look();
    expect(bookOf().bases).toHaveLength(1);
    expect(taken()).toEqual(["60: 1 4 1 4, 1 final"]);
    await look();
    expect(bookOf().bases).toHaveLength(2);
  });

  it("queries the times of events if a host does not report them", async () => {
    run.hosts.mine(60, [2n * q96]);
    run.hosts.tamper.a = (events) => events.map((event) => ({ ...event, time: 0 }));
    await look();
    expect(run.hosts.asked.slice(-2)).toEqual(["events a 6-6", "headers a 6"]);
    expect(taken()).toEqual(["60: 1 4 1 4, 1"]);
  });

  it("makes a minute final once both hosts show the same events and a block after its end", async () => {
    run.hosts.mine(60, [2n * q96]);
    await settle();
    run.hosts.mine(119, [3n * q96]);
    run.hosts.mine(120);
    await look();
    expect(await proofRound(run.journal, run.hosts, run.nowMs)).toEqual({
      proven: [],
      failed: [],
      faults: [],
    });
    run.hosts.mine(121);
    run.hosts.asked = [];
    expect(await settle()).toMatchObject({ proven: [v3Pool.pool], failed: [] });
    expect(taken()).toEqual(["60: 1 9 1 9, 2 final"]);
    const asked = ["headers b 6,10", "events b 7-10", "headers a 6,10", "events a 7-10"];
    expect(run.hosts.asked.slice(-4)).toEqual(asked);
  });

  it("finds swaps that together leave a pool's state unchanged", async () => {
    run.hosts.mine(60, [2n * q96, q96]);
    run.hosts.mine(120);
    expect(await settle()).toMatchObject({ proven: [v3Pool.pool] });
    expect(taken()).toEqual(["60: 1 1 1 1, 2 final"]);
  });

  it("proves nothing if the second host misses swaps between two equal states", async () => {
    run.hosts.mine(60, [2n * q96, q96]);
    run.hosts.mine(120);
    run.hosts.tamper.b = () => [];
    expect(await settle()).toMatchObject({ proven: [], failed: [v3Pool.pool] });
    expect(taken()).toEqual([]);
  });

  it("adopts the first host's corrected events if the second host shows the same events", async () => {
    run.hosts.mine(60, [2n * q96, 3n * q96]);
    run.hosts.tamper.a = (events) =>
      events.map((event) => ({ ...event, volume: { mantissa: 5n, exponent: 0 } }));
    await look();
    run.hosts.tamper = {};
    run.hosts.mine(120);
    await settle();
    expect(bookOf().events.map(({ volume }) => volume.mantissa)).toEqual([1n, 1n]);
    expect(taken()).toEqual(["60: 1 9 1 9, 2 final"]);
  });

  it("marks gaps where two hosts differ, until the hosts agree", async () => {
    run.hosts.mine(60, [2n * q96]);
    run.hosts.mine(120);
    run.hosts.tamper.b = () => [];
    expect(await settle()).toMatchObject({ failed: [v3Pool.pool] });
    expect(taken()).toEqual(["60: 1 4 1 4, 1"]);
    run.hosts.mine(180);
    await settle();
    expect(taken()).toEqual(["60: 1 4 1 4, 1 gaps"]);
    run.hosts.tamper = {};
    expect(await proofRound(run.journal, run.hosts, run.nowMs)).toMatchObject({ proven: [], failed: [] });
    run.nowMs += 5000;
    expect(await proofRound(run.journal, run.hosts, run.nowMs)).toMatchObject({ proven: [v3Pool.pool] });
    expect(taken()).toEqual(["60: 1 4 1 4, 1 final"]);
  });

  it.each([
    ["the end", 8, { hash: "0xother" }],
    ["the end", 8, { time: 122 }],
    ["the last proof", 6, { hash: "0xother" }],
    ["the last proof", 6, { time: 61 }],
  ])("makes no minute final if the second host has a different block at %s", async (_, place, change) => {
    run.hosts.mine(60, [2n * q96]);
    await settle();
    run.hosts.mine(120);
    await look();
    run.hosts.mine(121);
    await look();
    const blocks = run.hosts.blocks.b as ScriptedBlock[];
    const block = blocks[place] as ScriptedBlock;
    blocks[place] = { ...block, ...change };
    expect(await proofRound(run.journal, run.hosts, run.nowMs)).toMatchObject({ failed: [v3Pool.pool] });
    blocks[place] = block;
    run.nowMs += 5000;
    expect(await proofRound(run.journal, run.hosts, run.nowMs)).toMatchObject({ proven: [v3Pool.pool] });
    expect(taken()).toEqual(["60: 1 4 1 4, 1 final"]);
  });
});

describe("a reorganisation of the chain", () => {
  beforeEach(async () => {
    run.hosts.mine(60, [2n * q96]);
    run.hosts.mine(100, [3n * q96]);
    await settle();
    taken();
  });

  it("corrects a minute candle in the next look after a reorganisation of the newest block", async () => {
    run.hosts.drop(2);
    run.hosts.mine(100, [q96], "'");
    run.hosts.mine(110, [], "'");
    await look();
    expect(run.journal.revision).toBe(8);
    expect(taken()).toEqual(["60: 1 4 1 1, 2"]);
  });

  it("withdraws a minute candle whose swaps have all disappeared", async () => {
    run.hosts.drop(3);
    for (const time of [60, 100, 130]) run.hosts.mine(time, [], "'");
    await look();
    expect(taken()).toEqual(["60: 1 1 1 1, 0"]);
  });

  it("proves a final minute again after a reorganisation", async () => {
    run.hosts.mine(120);
    await settle();
    expect(taken()).toEqual(["60: 1 9 1 9, 2 final"]);
    run.hosts.drop(4);
    for (const time of [100, 120, 121, 122, 123]) run.hosts.mine(time, [], "'");
    await look();
    expect(taken()).toEqual(["60: 1 4 1 4, 1"]);
    await settle();
    expect(taken()).toEqual(["60: 1 4 1 4, 1 final"]);
    expect(run.journal.revision).toBe(8);
  });

  it("starts again with a pool after a reorganisation below its first base, and marks gaps in its minutes", async () => {
    run.hosts.drop(5);
    for (const time of [40, 50, 60, 100, 110]) run.hosts.mine(time, [], "'");
    await look();
    expect(taken()).toEqual(["60: 1 9 1 9, 2 gaps"]);
    expect(bookOf().bases).toMatchObject([{ block: 8, isWhole: false }]);
  });

  it("returns to an older base after a reorganisation deeper than the journal", async () => {
    for (let time = 120; time <= 420; time += 2) {
      run.hosts.mine(time, time % 60 === 0 ? [BigInt(time) * q96] : []);
      if (time % 20 === 0) await settle();
      taken();
    }
    const [first, ...later] = bookOf().bases;
    expect(first).toMatchObject({ block: 5 });
    expect(later.length).toBeGreaterThan(1);
    // A block that was proven only for a different pool proves nothing about this one.
    const other = { block: 14, hash: "0x14", time: 130, isWhole: true };
    watchPool(run.journal, { ...v3Pool, pool: "0xother" }, run.nowMs, [other]);
    run.hosts.drop(148);
    run.hosts.mine(130, [5n * q96], "'");
    for (let time = 132; time <= 440; time += 2) run.hosts.mine(time, [], "'");
    await look();
    expect(bookOf().bases.length).toBeLessThan(1 + later.length);
    expect(taken().filter((minute) => !minute.includes(", 0"))).toEqual(["120: 9 14400 9 25, 2 gaps"]);
    await settle();
    expect(taken()).toEqual(["120: 9 14400 9 25, 2 final"]);
  });

  it("makes no minute final while only the second host shows a reorganisation", async () => {
    run.hosts.mine(120);
    await settle();
    taken();
    const blocks = run.hosts.blocks.b as ScriptedBlock[];
    run.hosts.mine(180);
    await look();
    run.hosts.mine(181);
    for (const [index, block] of blocks.entries())
      if (index > 6) blocks[index] = { ...block, hash: `${block.hash}'` };
    await look();
    expect(await proofRound(run.journal, run.hosts, run.nowMs)).toMatchObject({ failed: [v3Pool.pool] });
    expect(taken()).toEqual(["60: 1 9 1 9, 2 gaps"]);
  });
});

describe("switching to the second host", () => {
  beforeEach(async () => {
    run.hosts.mine(60, [2n * q96]);
    await settle();
    run.hosts.tamper.a = (events) =>
      events.map((event) => ({ ...event, volume: { mantissa: 5n, exponent: 0 } }));
    run.hosts.mine(70, [3n * q96]);
    await look();
    run.hosts.mine(75, [4n * q96]);
    await look();
    run.hosts.first = "b";
  });

  it("proves nothing with events that the previous host reported", async () => {
    run.hosts.mine(120);
    expect(await settle()).toMatchObject({ proven: [], failed: [v3Pool.pool] });
    expect(bookOf().events.map(({ volume }) => volume.mantissa)).toEqual([1n, 1n, 1n]);
  });

  it("tolerates a second host that lags behind", async () => {
    run.hosts.blocks.b?.splice(-2);
    await look();
    expect(run.journal.look?.number).toBe(7);
    expect(run.journal.revision).toBe(8);
    expect(bookOf().events).toHaveLength(1);
  });

  it("tolerates a second host that is on a fork below the proven blocks", async () => {
    run.hosts.tamper = {};
    run.hosts.mine(120);
    run.hosts.first = "a";
    await settle();
    expect(bookOf().proven).toMatchObject({ time: 120 });
    run.hosts.drop(4);
    for (const time of [71, 72, 121, 122]) run.hosts.mine(time, [], "'");
    run.hosts.first = "b";
    await look();
    expect(taken()).toEqual(["60: 1 4 1 4, 1"]);
    expect(bookOf().proven).toMatchObject({ time: 60 });
  });
});
