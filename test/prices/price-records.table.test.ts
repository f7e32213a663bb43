import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { Context } from "aws-lambda";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { networks } from "../../lib/core/network.ts";
import { pricesKey } from "../../lib/prices/item-keys.ts";
import type { Price } from "../../lib/prices/price.ts";
import { readPrices, savePrices } from "../../lib/prices/price-records.ts";
import { leaseOf } from "../../lib/runtime/lease.ts";
import type { Table } from "../../lib/table/table.ts";
import { startVenue } from "../../lib/tools/dev/venue/venue.ts";
import { type Engine, engineStart, startTable } from "../support/dynamodb.ts";

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

const event = (minute: number) => ({ time: `2026-11-21T09:0${minute}:00Z`, id: `event-${minute}` });
const leaseAt = (minute: number) => leaseOf(event(minute));

async function record() {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: pricesKey, ConsistentRead: true }),
  );
  return Item;
}

describe("savePrices and readPrices", () => {
  it("read an empty list before the first save", async () => {
    expect(await readPrices(table)).toEqual([]);
  });

  it("keep the last prices to the digit, in one item with lease and time", async () => {
    const lease = leaseAt(1);
    const now = new Date("2026-11-21T09:01:02.003Z");
    expect(await savePrices(table, prices("1.10"), lease, now)).toBe(true);
    expect(await savePrices(table, prices("2616.260"), lease, now)).toBe(true);
    expect(await readPrices(table)).toEqual(prices("2616.260"));
    expect(await record()).toEqual({
      ...pricesKey,
      prices: prices("2616.260"),
      lease,
      updatedAt: now.toISOString(),
    });
  });

  it("keep the prices of the newer run once it has saved any", async () => {
    const [older, newer] = [leaseAt(1), leaseAt(2)];
    expect(await savePrices(table, prices("1"), older)).toBe(true);
    expect(await savePrices(table, prices("2"), newer)).toBe(true);
    expect(await savePrices(table, prices("3"), older)).toBe(false);
    expect(await readPrices(table)).toEqual(prices("2"));
    expect(await savePrices(table, prices("4"), newer)).toBe(true);
    expect(await readPrices(table)).toEqual(prices("4"));
  });

  it("keep the prices of one of two runs that the same event has started", async () => {
    const [lesser, greater] = [leaseAt(1), leaseAt(1)].sort() as [string, string];
    expect(await savePrices(table, prices("1"), greater)).toBe(true);
    expect(await savePrices(table, prices("2"), lesser)).toBe(false);
    expect(await readPrices(table)).toEqual(prices("1"));
  });

  it("keep the prices of the newest run, however many save at once", async () => {
    const leases = Array.from({ length: 20 }, (_, index) => leaseAt(index % 10)).sort();
    await Promise.all(
      leases
        .toReversed()
        .flatMap((lease, index) => [
          savePrices(table, prices(lease), lease),
          savePrices(table, prices(leases[index] as string), leases[index] as string),
        ]),
    );
    expect(await readPrices(table)).toEqual(prices(leases.at(-1) as string));
  });
});

describe("feedPrices", () => {
  const context = { getRemainingTimeInMillis: () => 150_000 } as Context;

  /** The handler, with the environment that the stack gives it. */
  async function loadHandler(url: string) {
    vi.resetModules();
    const environment = {
      TABLE_NAME: table.name,
      PRICE_FEEDS: JSON.stringify([{ source: "simulated", venue: "coinbase", url }]),
      ...engine.environment,
    };
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    return (await import("../../functions/feedPrices/handler.ts")).handler;
  }

  it("saves at most once a second, until the next run takes over", async () => {
    const venue = await startVenue();
    onTestFinished(venue.close);
    const handler = await loadHandler(venue.url);
    const saved = new Map<string, { lease: string; at: number }>();
    const savedBy = (minute: number) =>
      [...saved.values()].filter(({ lease }) => lease.includes(`event-${minute}`)).map(({ at }) => at);
    const untilSaved = (minute: number, times: number) =>
      vi.waitFor(
        async () => {
          const { lease, updatedAt } = (await record()) ?? {};
          if (updatedAt !== undefined) saved.set(updatedAt, { lease, at: Date.parse(updatedAt) });
          expect(savedBy(minute).length).toBeGreaterThanOrEqual(times);
        },
        { timeout: 30_000, interval: 20 },
      );

    const first = handler(event(1), context);
    await untilSaved(1, 2);
    const read = await readPrices(table);
    expect(read.map(({ chain, source }) => [chain, source])).toEqual(
      networks.map((chain) => [chain, "simulated"]),
    );
    const second = handler(event(2), context);
    await untilSaved(2, 1);
    await first;
    await savePrices(table, prices("1"), leaseAt(3));
    await second;
    expect(await readPrices(table)).toEqual(prices("1"));
    const [once = 0, again = 0] = savedBy(1);
    expect(again - once).toBeGreaterThanOrEqual(1000);
  });

  it("throws, without a stack, if it could save nothing, so that its alarm fires", async () => {
    const handler = await loadHandler("ws://127.0.0.1:1");
    const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
    const logged = vi.spyOn(console, "error").mockImplementation(() => {});
    const nearlyOver = { getRemainingTimeInMillis: () => 15_450 } as Context;
    await expect(handler(event(1), nearlyOver)).rejects.toMatchObject({
      message: "feedPrices failed",
      stack: "",
    });
    expect(warned.mock.calls).toEqual([
      [{ operation: "feedPrices", source: "simulated", fault: "closed", count: 1 }],
    ]);
    expect(logged.mock.calls).toEqual([[{ operation: "feedPrices", error: "NoPrices" }]]);
  });
});
