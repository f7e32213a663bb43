import { beforeEach, describe, expect, it } from "vitest";
import type { Market } from "../../lib/markets/core/market.ts";
import { readMarketIndex } from "../../lib/markets/items/market-index.ts";
import { openReader, type ReaderPorts } from "../../lib/markets/open-reader.ts";
import { readMarkets } from "../../lib/markets/read-markets.ts";
import type { ChainMarkets } from "../../lib/markets/runs/chain-markets.ts";
import { Superseded } from "../../lib/markets/runs/token-store.ts";
import { findTokens } from "../../lib/markets/search-tokens.ts";
import type { Position } from "../../lib/orders/execution.ts";
import { addChannels, marketFollowers, openConnection } from "../../lib/realtime/connection-records.ts";
import { saveExecution } from "../../lib/trading/items/execution-records.ts";
import { readReaderLease } from "../../lib/trading/items/reader-leases.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { position, price } from "../support/executions.ts";
import { decimal, marketAt, moon, otherToken, silentChains } from "./support/markets.ts";

const db = tableForTests();

let faults: unknown[];
beforeEach(() => {
  faults = [];
});

const open = (changes: Partial<ReaderPorts> = {}) =>
  openReader({
    marketTokens: {},
    table: db.table,
    chains: silentChains(),
    countShards: async () => 4,
    readFollowers: () => marketFollowers(db.table, 4),
    readPrices: async () => [],
    deliver: async () => ({ isDelivered: true }),
    startReader: async () => {},
    loadHistory: async () => "unavailable",
    onFault: (error) => void faults.push(error),
    onWarning: () => {},
    ...changes,
  });

const token = { chain: "base", token: moon } as const;

describe("the market reader's held tokens", () => {
  it("reads the tokens of a user's open positions", async () => {
    const save = (execution: Position) =>
      saveExecution(db.table, { userID: "holder", kind: "position", execution, now: new Date() });
    await save(position({ positionId: "p1", chain: "base", token: moon.toLowerCase() }));
    await save(position({ positionId: "p2", chain: "eth", token: otherToken, status: "closed" }));
    const { holdings } = open();
    await holdings.refresh(["holder", "other"], Date.now());
    const has = (userID: string, chain: "base" | "eth", name: string) =>
      holdings.heldBy(userID)?.has(`${chain} ${name}`);
    expect([
      has("holder", "base", moon),
      has("holder", "eth", otherToken),
      has("other", "base", moon),
    ]).toEqual([true, false, false]);
  });
});

describe("the market reader's index", () => {
  const now = new Date();
  const dayAgo = new Date(now.getTime() - 90_000_000).toISOString();
  const old = { ...marketAt(now), firstSeenAt: dayAgo };
  const coin = price({ chain: "base", symbol: "ETH", price: "2500", asOf: now.toISOString() });

  /** Keeps markets in a private field, like the classes that read chains. */
  class Reading {
    readonly chain = "base";
    readonly #markets: Market[];

    constructor(...markets: Market[]) {
      this.#markets = markets;
    }

    markets(): Market[] {
      return this.#markets;
    }
  }

  const reading = (...markets: Market[]) => new Reading(...markets) as Partial<ChainMarkets> as ChainMarkets;

  it("lets searches find stored markets and markets that are being read", async () => {
    const { store, coins, saveIndex } = open();
    const writer = store.writer(1);
    const shallow = { ...old, pool: { ...(old.pool as NonNullable<typeof old.pool>), depth: decimal("1") } };
    await writer.saveMarket({ market: shallow, state: { pools: [], bases: [] } }, now);
    const { pool: _, ...rest } = marketAt(now, { token: otherToken, symbol: "MOONLESS" });
    await writer.saveMarket({ market: rest, state: { pools: [], bases: [] } }, now);
    await saveIndex(reading(), 1);
    // A depth cannot be compared without the coin's price.
    expect(await readMarketIndex(db.table, "base")).toEqual([]);

    await coins.take([coin], ["base"], now.getTime());
    const search = {
      table: db.table,
      chains: silentChains(),
      indexOf: (chain: "base") => readMarketIndex(db.table, chain),
      madeOn: async () => [],
      identify: () => Promise.reject(new Error("not asked")),
    };
    const find = async () =>
      (await findTokens(search as never, { userID: "ann", now, query: "moon" })).tokens.map(
        (each) => each.token,
      );
    await saveIndex(reading(), 1);
    expect(await find()).toEqual([]);
    await saveIndex(reading(old), 1);
    expect(await find()).toEqual([moon]);

    // Nobody wants the token any more.
    await writer.saveMarket({ market: old, state: { pools: [], bases: [] } }, now);
    await saveIndex(reading(), 1);
    const daysLater = (days: number) => new Date(now.getTime() + days * 86_400_000);
    const foundAfter = async (days: number) =>
      (await readMarketIndex(db.table, "base", daysLater(days))).map((each) => each.token);
    expect(await foundAfter(7.9)).toEqual([moon]);
    expect(await foundAfter(8.1)).toEqual([]);
  });
});

describe("runs of readMarkets", () => {
  it("hands over to new code, and rejects later writes of the old run", async () => {
    const name = { userID: "ann", connectionId: "ann1" };
    await openConnection(db.table, name, { shard: 1, now: new Date() });
    await addChannels(db.table, name, ["prices"], () => ({ every: 1, tokens: [token] }));
    const chains = new Map<never, never>();
    const [first, next] = [open({ chains }), open({ chains })];
    const over: string[] = [];
    const run = (deps: typeof first, build: string, longestMs: number) =>
      readMarkets(deps, { build, shiftMs: 600_000, longestMs }).then(() => over.push(build));
    const epochOf = async () => (await readReaderLease(db.table, "markets"))?.epoch;
    const before = run(first, "a", 60_000);
    await expect.poll(epochOf).toBe(1);
    const item = { market: marketAt(new Date()), state: { pools: [], bases: [] } };
    const writer = first.store.writer(1);
    await writer.saveMarket(item, new Date());

    const after = run(next, "b", 6000);
    await expect.poll(epochOf).toBe(2);
    await next.store.writer(2).saveMarket(item, new Date());
    await expect(writer.saveMarket(item, new Date())).rejects.toThrow(Superseded);
    await Promise.all([before, after]);
    expect(over).toEqual(["a", "b"]);
    expect(faults).toEqual([]);
  });
});
