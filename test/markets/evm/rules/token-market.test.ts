import { expect, it } from "vitest";
import { decimalOf } from "../../../../lib/core/decimal.ts";
import { newJournal } from "../../../../lib/markets/evm/rules/journal.ts";
import { newBook } from "../../../../lib/markets/evm/rules/pool-book.ts";
import { TokenMarket } from "../../../../lib/markets/evm/rules/token-market.ts";
import { v3Pool } from "./support/scripted-hosts.ts";

const swap = {
  blockHash: "0x",
  logIndex: 0,
  isSwap: true,
  volume: decimalOf(1n, 0),
  price: decimalOf(1n, 0),
  word: 1n,
};

it("switches the reference pool only between two minutes, and marks the first minute of the new pool", () => {
  const poolAtAddress = (pool: string) => ({ ...v3Pool, pool, feeBps: 30, depth: decimalOf(1n, 0) });
  const [first, second] = [poolAtAddress("0xfirst"), poolAtAddress("0xsecond")];
  const token = { chain: "avax", token: "0xtoken", symbol: "T", name: "T", decimals: 18 } as const;
  const found = { token: { ...token, supply: decimalOf(1n, 0) }, pools: [first, second] };
  const market = new TokenMarket(found, { firstSeenAt: "", history: "complete", nowMs: 0 });
  const journal = newJournal("avax");
  for (const pool of [first, second]) {
    const base = { block: 1, hash: "0x1", time: 65, isWhole: false };
    journal.books.set(pool.pool, { ...newBook(pool, 0), bases: [base] });
  }
  const look = (time: number) => {
    journal.look = { number: time, time, parentHash: "", hashes: new Map(), words: new Map() };
    market.refresh(journal, { blockTime: time, nowMs: time * 1000 });
  };
  const poolAt = (time: number) => {
    look(time);
    return market.market(journal, time * 1000).pool?.pool;
  };
  market.choose(first, 0);
  expect(poolAt(70)).toBe("0xfirst");
  market.choose(second, 0);
  expect([80, 119, 120].map(poolAt)).toEqual(["0xfirst", "0xfirst", "0xsecond"]);

  const swaps = [70, 118, 121, 130, 181];
  for (const { pool, ...book } of journal.books.values()) {
    const events = swaps.map((time) => ({ ...swap, pool: pool.pool, block: time, time }));
    journal.books.set(pool.pool, { ...book, pool, events, word: 1n });
  }
  look(190);
  const { minutes } = market.record(journal, { coinUsdAt: () => undefined, sinceMs: 0, nowMs: 190_000 });
  const pools = minutes?.map(({ time, trades, hasNewPool }) => [time.slice(14, 16), trades, hasNewPool]);
  expect(pools).toEqual([
    ["01", 2, undefined],
    ["02", 2, true],
    ["03", 1, undefined],
  ]);
});
