import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { Context } from "aws-lambda";
import { startVenue } from "trading-terminal-devnet/venue/venue";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { networks } from "../../lib/core/network.ts";
import { pricesKey } from "../../lib/prices/item-keys.ts";
import type { Price } from "../../lib/prices/price.ts";
import { keepFeed, leaveFeed, readFeed, savePrices, takeFeed } from "../../lib/prices/price-records.ts";
import { openPrices } from "../../lib/realtime/snapshots.ts";
import type { Table } from "../../lib/table/table.ts";
import { type Engine, engineStart, startTable } from "../support/dynamodb.ts";
import { freshHandler } from "../support/fresh-handler.ts";
import { holdPrices, runOf } from "./support/held-prices.ts";

let engine: Engine;
let table: Table;

beforeAll(async () => {
  engine = await startTable();
}, engineStart);
afterAll(() => engine.stop());
beforeEach(async () => {
  table = await engine.newTable();
});

const prices = (price: string): Price[] => [
  {
    chain: "eth",
    symbol: "ETH",
    price,
    currency: "USD",
    source: "coinbase",
    asOf: "2026-11-21T09:00:00.000Z",
  },
];

async function record() {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: pricesKey, ConsistentRead: true }),
  );
  return Item;
}

const aliveWith = (text: string) => ({ isAlive: true, prices: prices(text) });
const free = { isAlive: false, prices: [] };

describe("the feed", () => {
  it("has no run and no prices before the first run", async () => {
    expect(await readFeed(table)).toEqual(free);
  });

  it("keeps the latest prices exactly, in one item together with their run and time", async () => {
    const [run, now] = [runOf("l1"), new Date()];
    expect(await takeFeed(table, run)).toBe("l1");
    expect(await savePrices(table, run, prices("1.10"))).toBe(true);
    expect(await savePrices(table, run, prices("2616.260"), now)).toBe(true);
    expect(await readFeed(table)).toEqual(aliveWith("2616.260"));
    const { lease, startedAt } = run;
    const updatedAt = now.toISOString();
    expect(await record()).toEqual({ ...pricesKey, prices: prices("2616.260"), lease, startedAt, updatedAt });
  });

  it("gives the feed to one of many runs that start at once", async () => {
    const leases = Array.from({ length: 20 }, (_, index) => `l${index}`);
    const holders = await Promise.all(leases.map((lease) => takeFeed(table, runOf(lease))));
    expect(new Set(holders).size).toBe(1);
    expect((await record())?.lease).toBe(holders[0]);
  });

  it("frees the feed eight seconds after the last heartbeat, and shows no old prices from then on", async () => {
    const begun = Date.now();
    const later = (ms: number) => new Date(begun + ms);
    await holdPrices(table, prices("1"), "dead");
    expect(await keepFeed(table, runOf("dead"), later(1000))).toBe(true);
    expect(await readFeed(table, later(9000))).toEqual(aliveWith("1"));
    expect(await takeFeed(table, runOf("next"), later(9000))).toBe("dead");
    expect(await readFeed(table, later(9001))).toEqual(free);
    expect(await takeFeed(table, runOf("next"), later(9001))).toBe("next");
    expect(await readFeed(table)).toEqual({ isAlive: true, prices: [] });
    expect(await savePrices(table, runOf("dead"), prices("2"))).toBe(false);
    expect(await keepFeed(table, runOf("dead"))).toBe(false);
    await leaveFeed(table, runOf("dead"));
    expect((await record())?.lease).toBe("next");
  });

  it("frees the feed at once when its run leaves it", async () => {
    await holdPrices(table, prices("1"));
    await leaveFeed(table, runOf("l1"));
    expect(await readFeed(table)).toEqual(free);
    expect(await savePrices(table, runOf("l1"), prices("2"))).toBe(false);
    expect(await takeFeed(table, runOf("l2"))).toBe("l2");
  });

  it("lets one of several runs take over the feed with its first save, without a gap", async () => {
    await holdPrices(table, prices("1"), "old");
    const [next, other] = [runOf("next", "old"), runOf("other", "old")];
    expect(await takeFeed(table, next)).toBe("old");
    expect(await savePrices(table, runOf("old"), prices("2"))).toBe(true);
    expect(await savePrices(table, next, prices("3"))).toBe(true);
    expect(await savePrices(table, other, prices("4"))).toBe(false);
    expect(await savePrices(table, runOf("old"), prices("5"))).toBe(false);
    expect(await readFeed(table)).toEqual(aliveWith("3"));
  });
});

describe("openPrices", () => {
  it("starts a run if none is alive, and otherwise shows the prices of the live run", async () => {
    const start = vi.fn(async () => {});
    expect(await openPrices(table, start)()).toEqual([]);
    expect(start.mock.calls).toEqual([[{}]]);
    await holdPrices(table, prices("1"));
    expect(await openPrices(table, start)()).toEqual(prices("1"));
    expect(start).toHaveBeenCalledTimes(1);
  });

  it("throws if a run cannot be started, so that the client tries again", async () => {
    const fault = new Error("no");
    await expect(openPrices(table, () => Promise.reject(fault))()).rejects.toBe(fault);
  });
});

describe("feedPrices", () => {
  const context = { getRemainingTimeInMillis: () => 900_000 } as Context;

  /** Loads the handler with the environment that the stack gives it. */
  async function loadHandler(url: string) {
    const environment = {
      TABLE_NAME: table.name,
      PRICE_FEEDS: JSON.stringify([{ source: "simulated", venue: "coinbase", url }]),
      PRICES_EVERY_SECONDS: "1",
      CHANNEL_SHARDS: "4",
      ...engine.environment,
    };
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    return freshHandler<typeof import("../../functions/feedPrices/handler.ts")>("feedPrices");
  }

  it("takes a free feed, ignores other runs that are starting, and gives way to the run that replaces it", async () => {
    const venue = await startVenue();
    onTestFinished(venue.close);
    const handler = await loadHandler(venue.url);
    const untilSaved = (after = "") =>
      vi.waitFor(
        async () => {
          const { lease, prices } = (await record()) ?? {};
          expect(prices).toHaveLength(networks.length);
          expect(lease).not.toBe(after);
          return String(lease);
        },
        { timeout: 30_000, interval: 20 },
      );

    const first = handler({}, context);
    const lease = await untilSaved();
    await handler({}, context);
    await handler({ after: "unknown" }, context);
    const second = handler({ after: lease }, context);
    await untilSaved(lease);
    await first;
    expect((await readFeed(table)).prices.map(({ chain, source }) => [chain, source])).toEqual(
      networks.map((chain) => [chain, "simulated"]),
    );
    await leaveFeed(table, runOf(String((await record())?.lease)));
    await second;
  });

  it("throws without a stack trace if no other run replaces it in time, so that Lambda restarts it", async () => {
    const handler = await loadHandler("ws://127.0.0.1:1");
    const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
    const logged = vi.spyOn(console, "error").mockImplementation(() => {});
    const nearlyOver = { getRemainingTimeInMillis: () => 15_450 } as Context;
    await expect(handler({}, nearlyOver)).rejects.toMatchObject({ message: "feedPrices failed", stack: "" });
    expect(warned.mock.calls).toEqual([
      [{ operation: "feedPrices", source: "simulated", fault: "closed", count: 1 }],
    ]);
    expect(logged.mock.calls).toEqual([
      [{ operation: "feedPrices", error: "NotReplaced", code: "NOT_REPLACED" }],
    ]);
    expect(await readFeed(table)).toEqual(free);
  });
});
