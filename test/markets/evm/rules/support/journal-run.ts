import { beforeEach } from "vitest";
import { formatDecimal } from "../../../../../lib/core/decimal.ts";
import type { Candle } from "../../../../../lib/markets/core/candle.ts";
import { type Journal, newJournal, watchPool } from "../../../../../lib/markets/evm/rules/journal.ts";
import { lookRound } from "../../../../../lib/markets/evm/rules/look-round.ts";
import {
  type PoolBase,
  type PoolBook,
  takeChangedMinutes,
} from "../../../../../lib/markets/evm/rules/pool-book.ts";
import { proofRound } from "../../../../../lib/markets/evm/rules/proof-round.ts";
import { ScriptedHosts, v3Pool } from "./scripted-hosts.ts";

type Run = { hosts: ScriptedHosts; journal: Journal; nowMs: number };

/**
 * Starts a run with a pool for each test of a file. The pool starts in minute 0, so its first whole minute begins at
 * 60.
 */
export function journalForTests() {
  const run = {} as Run;
  const bookOf = (name = v3Pool.pool) => run.journal.books.get(name) as PoolBook;

  async function look(): Promise<void> {
    run.nowMs += 1000;
    await lookRound(run.journal, run.hosts, run.nowMs);
  }

  beforeEach(async () => {
    Object.assign(run, {
      hosts: new ScriptedHosts(),
      journal: newJournal("avax", 7),
      nowMs: 0,
    } satisfies Run);
    for (let time = 0; time <= 50; time += 10) run.hosts.mine(time);
    watchPool(run.journal, v3Pool, -60_000);
    await look();
  });

  return {
    run,
    bookOf,
    look,
    /** Takes the changed minute candles and returns them as text: start, prices and marks. */
    taken() {
      const time = { blockTime: run.journal.look?.time ?? 0, nowMs: run.nowMs };
      return takeChangedMinutes(bookOf(), time).map(shown);
    },
    /** Looks at the latest block and at a further block that confirms it, then proves the minutes that have ended. */
    async settle() {
      await look();
      run.hosts.mine(run.hosts.lastTime + 1);
      await look();
      return proofRound(run.journal, run.hosts, run.nowMs);
    },
    /** Replaces the run with a new one, which knows these bases of the pool. */
    restart(bases?: readonly PoolBase[]) {
      run.journal = newJournal("avax");
      watchPool(run.journal, v3Pool, run.nowMs, bases);
    },
  };
}

function shown({ start, trades, isFinal, hasGaps, ...prices }: Candle): string {
  const [open, high, low, close] = (["open", "high", "low", "close"] as const).map((name) =>
    formatDecimal(prices[name]),
  );
  const marks = `${isFinal ? " final" : ""}${hasGaps ? " gaps" : ""}`;
  return `${start}: ${open} ${high} ${low} ${close}, ${trades}${marks}`;
}
