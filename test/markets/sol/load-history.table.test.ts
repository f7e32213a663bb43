import { startSolTrader } from "trading-terminal-devnet/sol/sol-trader";
import { expect, it, vi } from "vitest";
import { compare } from "../../../lib/core/decimal.ts";
import { historyWriter, tokenStore } from "../../../lib/markets/runs/token-store.ts";
import { SolTokenFinder } from "../../../lib/markets/sol/find-tokens.ts";
import { loadSampledHistory } from "../../../lib/markets/sol/load-history.ts";
import { poolLooks } from "../../../lib/markets/sol/look-at-pools.ts";
import { decimalsOfCoin } from "../../../lib/markets/sol/pools.ts";
import { priceAtState } from "../../../lib/markets/sol/rules/sample-book.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { solDeskForTests, solReaderOf } from "../../support/sol-reader.ts";

const db = tableForTests();
const { chain, hosts } = solDeskForTests();

const patience = { timeout: 30_000, interval: 100 };

it("stores the minutes before the first sample, opening at most one transaction a minute", async () => {
  const { mint } = chain.deployment.tokens.MOON;
  const reader = await solReaderOf(chain, hosts);
  const found = (await new SolTokenFinder(reader).find([mint])).get(mint) ?? expect.fail("no token");
  const pool = found.pools[0] ?? expect.fail("no pool");
  const trader = startSolTrader({
    chain,
    watched: async () => [{ chain: "sol", token: mint }],
    onFailure: (error) => expect.unreachable(String(error)),
    everyMs: 50,
  });
  const signatures = async () =>
    (await chain.request("getSignaturesForAddress", [pool.pool])) as { slot: number; blockTime: number }[];
  await vi.waitFor(async () => expect((await signatures()).length).toBeGreaterThan(10), patience);
  await trader.stop();
  const all = (await signatures()).length;
  await vi.waitFor(async () => expect(await signatures()).toHaveLength(all), patience);
  const sighting = (await poolLooks(reader)([pool]))[0]?.pools.get(pool.pool) ?? expect.fail("no state");
  await vi.waitFor(async () => {
    expect(await chain.request("getSlot", [{ commitment: "finalized" }])).toBeGreaterThan(sighting.slot);
  }, patience);

  const opened: string[] = [];
  for (const host of hosts)
    host.lie = (method, result, params) => {
      if (method === "getTransaction") opened.push(String(params[0]));
      return result;
    };
  const order = {
    name: { chain: "sol", token: mint },
    pool,
    decimals: found.token.decimals,
    first: { block: sighting.slot, time: sighting.time },
  } as const;
  const store = tokenStore(db.table);
  const deps = { reader, store, writer: historyWriter(db.table) };
  expect(await loadSampledHistory(deps, order, Date.now() + 30_000)).toBe("complete");
  const range = { from: sighting.time - 600, to: sighting.time };
  const minutes = await store.loadCandles(order.name, "minutes", range);
  const starts = new Set((await signatures()).map(({ blockTime }) => blockTime - (blockTime % 60)));
  expect(minutes.map(({ start }) => start)).toEqual([...starts].sort());
  expect(opened).toHaveLength(starts.size);
  const price = priceAtState({ decimals: 6, quoteDecimals: decimalsOfCoin }, sighting);
  const close = minutes.at(-1)?.close;
  expect(price && close && compare(price, close)).toBe(0);
  expect(minutes.at(-1)).toMatchObject({
    isFinal: false,
    hasGaps: minutes.at(-1)?.start === sighting.time - (sighting.time % 60),
  });
  expect(await store.loadCandles(order.name, "hours", { from: range.from - 3600, to: range.to })).not.toEqual(
    [],
  );

  const later = sighting.time + 86_400;
  for (const host of hosts)
    host.lie = (method, result) =>
      method === "getTransaction" ? { ...(result as object), blockTime: later } : result;
  expect(await loadSampledHistory(deps, order, Date.now() + 30_000)).toBe("unavailable");
  expect(await store.loadCandles(order.name, "minutes", { from: later - 3600, to: later + 3600 })).toEqual(
    [],
  );

  for (const host of hosts)
    host.lie = (method, result) => {
      if (method === "getTransaction") throw new Error("no answer");
      return result;
    };
  expect(await loadSampledHistory(deps, order, Date.now() + 30_000)).toBe("unavailable");
});
