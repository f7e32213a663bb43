import { expect, it } from "vitest";
import { isBegunInside, readFirstMinute } from "../../../lib/markets/core/first-minute.ts";
import { newJournal, watchPool } from "../../../lib/markets/core/journal.ts";
import { lookRound } from "../../../lib/markets/core/look-round.ts";
import { minutesOf, type PoolBook } from "../../../lib/markets/core/pool-book.ts";
import { q96, ScriptedHosts, v3Pool } from "./support/scripted-hosts.ts";

/** Begins with the pool at the last of these blocks, and reads the minute before it. */
async function begin(blocks: readonly (readonly [time: number, words?: readonly bigint[]])[]) {
  const hosts = new ScriptedHosts();
  for (const [time, words] of blocks) hosts.mine(time, words);
  const journal = newJournal("avax", 7);
  watchPool(journal, v3Pool, -60_000);
  await lookRound(journal, hosts, 1000);
  hosts.mine(hosts.lastTime + 1);
  await lookRound(journal, hosts, 2000);
  const book = journal.books.get(v3Pool.pool) as PoolBook;
  expect(isBegunInside(book)).toBe(true);
  await readFirstMinute(journal, hosts, book);
  const minutes = minutesOf(book, { blockTime: hosts.lastTime, nowMs: 2000 });
  return { isWhole: !isBegunInside(book), trades: minutes.map(({ trades }) => trades) };
}

it.each([
  ["on a chain that began in an earlier one", 0],
  ["on a chain that began in the same one", 62],
])("the first minute of a pool gets the trades before its first look, %s", async (_, genesis) => {
  const read = await begin([[genesis], [70, [2n * q96]], [80, [3n * q96]], [90]]);
  expect(read).toEqual({ isWhole: true, trades: [2] });
});
