import { expect, it } from "vitest";
import { formatDecimal } from "../../../../lib/core/decimal.ts";
import { isBegunInside, readFirstMinute } from "../../../../lib/markets/evm/rules/first-minute.ts";
import { newJournal, watchPool } from "../../../../lib/markets/evm/rules/journal.ts";
import { lookRound } from "../../../../lib/markets/evm/rules/look-round.ts";
import { minutesOf, type PoolBook } from "../../../../lib/markets/evm/rules/pool-book.ts";
import { q96, ScriptedHosts, v3Pool } from "./support/scripted-hosts.ts";

type Block = readonly [time: number, words?: readonly bigint[]];

/** Starts with the pool at the last of these blocks, and reads the part of the first minute before that block. */
async function begin(blocks: readonly Block[], change: Partial<ScriptedHosts> = {}) {
  const hosts = new ScriptedHosts();
  for (const [time, words] of blocks) hosts.mine(time, words);
  const journal = newJournal("avax", 7);
  watchPool(journal, v3Pool, -60_000);
  await lookRound(journal, hosts, 1000);
  hosts.mine(hosts.lastTime + 1);
  await lookRound(journal, hosts, 2000);
  const book = journal.books.get(v3Pool.pool) as PoolBook;
  expect(isBegunInside(book)).toBe(true);
  Object.assign(hosts, change);
  await readFirstMinute(journal, hosts, book);
  const minutes = minutesOf(book, { blockTime: hosts.lastTime, nowMs: 2000 });
  return {
    isWhole: !isBegunInside(book),
    trades: minutes.map(({ trades }) => trades),
    opens: minutes.map(({ open }) => formatDecimal(open)),
  };
}

const swaps: readonly Block[] = [[70, [2n * q96]], [80, [3n * q96]], [90]];

it.each([
  ["on a chain that began in an earlier one", 0],
  ["on a chain that began in the same one", 62],
])("adds the trades before a pool's first look to its first minute, %s", async (_, genesis) => {
  const read = await begin([[genesis], ...swaps]);
  expect(read).toEqual({ isWhole: true, trades: [2], opens: ["1"] });
});

it.each<[string, readonly Block[]]>([
  ["on an old chain", [[0], ...swaps]],
  ["in the first block of its chain", swaps],
  ["in its first second", [[60, [2n * q96]], [80, [3n * q96]], [90]]],
])("completes the first minute of a pool that was created in that minute, %s", async (_, blocks) => {
  const made = blocks.findIndex(([, words]) => words !== undefined);
  // There is no price before the first trade.
  const read = await begin(blocks, { bornAt: { a: made, b: made } });
  expect(read).toEqual({ isWhole: true, trades: [2], opens: ["4"] });
});

it.each<[string, Partial<ScriptedHosts>]>([
  ["knows an older pool", { bornAt: { a: 1 } }],
  ["says nothing", { bornAt: { a: 1, b: 1 }, silent: ["b"] }],
])(
  "keeps the gaps of a pool's first minute if one host does not have the pool and the other host %s",
  async (_, change) => {
    expect(await begin([[0], ...swaps], change)).toMatchObject({ isWhole: false });
  },
);
