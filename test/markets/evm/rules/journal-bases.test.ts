import { describe, expect, it } from "vitest";
import { decimalOf } from "../../../../lib/core/decimal.ts";
import { watchPool } from "../../../../lib/markets/evm/rules/journal.ts";
import {
  addShown,
  baseAt,
  basesToKeep,
  completeFirstMinute,
  minutesOf,
} from "../../../../lib/markets/evm/rules/pool-book.ts";
import { journalForTests } from "./support/journal-run.ts";
import { q96, v3Pool } from "./support/scripted-hosts.ts";

const { run, bookOf, look, restart, settle, taken } = journalForTests();

describe("a base", () => {
  it("lets the next run continue from a base in the middle of a minute", async () => {
    run.hosts.mine(60, [2n * q96]);
    run.hosts.mine(120, [3n * q96]);
    run.hosts.mine(121);
    await settle();
    const anchor = bookOf().proven;
    expect(anchor).toMatchObject({ block: 8, time: 121 });
    const base = anchor && baseAt(bookOf(), anchor);
    restart(base && [base]);
    run.hosts.mine(130, [4n * q96]);
    run.hosts.mine(180);
    await settle();
    expect(taken()).toEqual(["120: 4 16 4 16, 2 final"]);
  });

  it("gives the next run time to prove the minutes again", async () => {
    run.hosts.mine(60, [2n * q96]);
    await settle();
    const bases = basesToKeep(bookOf());
    expect(bases).toMatchObject([{ block: 5 }]);
    for (const time of [120, 180, 240]) run.hosts.mine(time);
    restart(bases);
    await look();
    expect(taken()).toEqual(["60: 1 4 1 4, 1"]);
    run.nowMs += 30_000;
    expect(taken()).toEqual(["60: 1 4 1 4, 1 gaps"]);
  });

  it("keeps a base together with older ones, always including the oldest", () => {
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

  it("lets a run revoke minute candles that the previous run has shown", async () => {
    run.hosts.mine(60, [2n * q96]);
    run.hosts.mine(120);
    await settle();
    const shownBefore = minutesOf(bookOf(), { blockTime: 120, nowMs: run.nowMs });
    const bases = basesToKeep(bookOf());
    run.hosts.drop(3);
    for (const time of [60, 120, 121]) run.hosts.mine(time, [], "'");
    restart(bases);
    await look();
    addShown(bookOf(), shownBefore);
    expect(taken()).toEqual(["60: 1 1 1 1, 0"]);
  });

  it("revokes no minute candle before the events of that minute are read", async () => {
    const bases = basesToKeep(bookOf());
    run.hosts.mine(60, [2n * q96]);
    run.hosts.mine(120);
    await settle();
    const before = minutesOf(bookOf(), { blockTime: 121, nowMs: run.nowMs });
    taken();
    restart(bases);
    addShown(bookOf(), before);
    expect(taken()).toEqual([]);
    await look();
    expect(taken()).toEqual(["60: 1 4 1 4, 1"]);
  });

  it("compares a base with the chain, however old it is", async () => {
    run.hosts.mine(60, [2n * q96]);
    run.hosts.mine(120);
    await settle();
    const bases = basesToKeep(bookOf()).map((base) => ({ ...base, hash: "0xfork" }));
    restart(bases);
    run.hosts.isForgetful = true;
    await look();
    expect(bookOf().bases).toMatchObject([{ block: 8, hash: "0x8" }]);
  });

  it("drops a base whose block was undone between two runs, once two hosts no longer have that block", async () => {
    run.hosts.mine(60, [2n * q96]);
    run.hosts.mine(120, [3n * q96]);
    await settle();
    const anchor = bookOf().proven;
    const base = anchor && baseAt(bookOf(), anchor);
    run.hosts.drop(2);
    for (const time of [120, 121, 122]) run.hosts.mine(time, [5n * q96], "'");
    restart(base && [base]);
    // A newer block still exists, so looks do not query the older one.
    const newer = { block: 9, hash: "0x9'", time: 122, isWhole: true };
    watchPool(run.journal, { ...v3Pool, pool: "0xother" }, run.nowMs, [newer]);
    run.hosts.isForgetful = true;
    await look();
    expect(bookOf().bases).toEqual([base]);
    run.hosts.mine(180);
    await settle();
    expect(bookOf().bases).toEqual([]);
    expect(bookOf("0xother").bases).toEqual([newer]);
    await look();
    expect(bookOf().bases).toMatchObject([{ time: 181 }]);
  });

  it("adds earlier trades to a pool's first minute", async () => {
    run.hosts.mine(55, [2n * q96]);
    run.hosts.mine(60, [3n * q96]);
    run.hosts.mine(61);
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
