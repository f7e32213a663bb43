import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { MarketDelivery, Markets } from "../../lib/markets/core/market-delivery.ts";
import type { MarketRecord } from "../../lib/markets/core/market-record.ts";
import type { FollowedToken, MarketSubscription } from "../../lib/markets/core/market-subscription.ts";
import {
  addChannels,
  type ConnectionName,
  openConnection,
  removeChannels,
} from "../../lib/realtime/connection-records.ts";
import { deliverToShard, type PublicUpdate } from "../../lib/realtime/deliver.ts";
import { deliverMarkets, SubscriberLists } from "../../lib/realtime/deliver-markets.ts";
import { connectionsApiForTests } from "../support/connections-api.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { price } from "../support/executions.ts";
import { interceptedTable } from "../support/intercepted-table.ts";
import { itemsNamed } from "../support/items.ts";
import { shortPausesForTests } from "../support/short-pauses.ts";

const db = tableForTests();
const api = connectionsApiForTests();
shortPausesForTests();

const onFault = vi.fn();
const onMissed = vi.fn();
beforeEach(() => {
  onFault.mockReset();
  onMissed.mockReset();
});

const moon: FollowedToken = { chain: "base", token: "0x1" };
const other: FollowedToken = { chain: "base", token: "0x2" };

const record = (token: FollowedToken, block: number): MarketRecord => ({
  chain: token.chain,
  token: token.token,
  flags: [],
  revision: 0,
  block,
  asOf: "2026-11-21T09:05:00.000Z",
});

let block = 0;

/** Makes a delivery of new records with the current time. */
function delivery(shard: number, changes: Partial<Markets> = {}): MarketDelivery {
  const atMs = Date.now();
  block++;
  return {
    shard,
    markets: {
      atMs,
      heads: { base: { block, time: "2026-11-21T09:05:00.000Z" } },
      coins: [],
      records: [moon, other].map((token) => ({ record: record(token, block), changedAtMs: atMs })),
      fast: { sinceMs: atMs - 1000, least: "changes" },
      slow: { sinceMs: atMs - 5000, least: "changes", phase: 0 },
      newConnections: [],
      listSinceMs: 0,
      ...changes,
    },
  };
}

const delivererOf = (lists = new SubscriberLists(db.table)) => ({
  table: db.table,
  pusher: api.current.pusher,
  lists,
  onFault,
  onMissed,
});

const deliver = (
  shard: number,
  changes: Partial<Markets> = {},
  { lists, ...times }: { lists?: SubscriberLists; now?: Date; deadline?: Date } = {},
) => deliverMarkets(delivererOf(lists), delivery(shard, changes), times);

const nameOf = (connectionId: string): ConnectionName => ({ userID: "u", connectionId });

async function follow(shard: number, connectionId: string, markets?: MarketSubscription): Promise<void> {
  await openConnection(db.table, nameOf(connectionId), { shard, now: new Date() });
  await addChannels(
    db.table,
    nameOf(connectionId),
    ["prices"],
    () => markets ?? { every: 1, tokens: [moon] },
  );
}

type Update = { heads: object; data: readonly { token?: string; block?: number }[] };
const received = (connectionId: string) => api.current.parsedMessagesTo(connectionId) as Update[];

describe("deliverMarkets", () => {
  it("sends each connection its own tokens in one message", async () => {
    await follow(1, "s1-a");
    await follow(1, "s1-b", { every: 1, tokens: [moon, other] });
    await follow(1, "s1-c", { every: 1, tokens: [{ ...moon, chain: "eth" }] });
    await follow(10, "s10-a");
    expect(await deliver(1)).toEqual({ isDelivered: true, reached: 2, undelivered: 0 });
    expect(received("s1-a")).toEqual([
      {
        type: "update",
        channel: "prices",
        time: expect.any(String),
        heads: { base: { block, time: expect.any(String) } },
        data: [record(moon, block)],
      },
    ]);
    expect(received("s1-b").map(({ data }) => data)).toEqual([[record(moon, block), record(other, block)]]);
    expect(api.current.calls).toHaveLength(2);
  });

  it("drops a delivery that is three seconds old before it reads anything", async () => {
    await follow(2, "s2-a");
    const read = vi.fn();
    const lists = new SubscriberLists(interceptedTable(db.table, read));
    const atMs = Date.now();
    const late = { now: new Date(atMs + 3000), lists };
    expect(await deliver(2, { atMs }, late)).toEqual({ isDelivered: false, reached: 0, undelivered: 0 });
    expect(read).not.toHaveBeenCalled();
    expect(api.current.calls).toEqual([]);
  });

  it("starts no push of an old delivery or after its own deadline, and reports the connections as undelivered", async () => {
    await follow(3, "s3-a");
    await follow(3, "s3-b");
    const undelivered = { isDelivered: false, reached: 0, undelivered: 2 };
    expect(await deliver(3, {}, { now: new Date(0), deadline: new Date() })).toEqual(undelivered);
    const atMs = Date.now() - 3000;
    expect(await deliver(3, { atMs }, { now: new Date(atMs) })).toEqual(undelivered);
    expect(api.current.calls).toEqual([]);
  });

  it("reports no delivery if too few connections are reached, not counting clients that do not read", async () => {
    for (let index = 0; index < 10; index++) await follow(4, `s4-${index}`);
    const refuse = (count: number) => {
      api.current.answer = ({ connectionId }) =>
        Number(connectionId.slice("s4-".length)) < count ? 429 : 200;
    };
    refuse(3);
    expect(await deliver(4)).toEqual({ isDelivered: false, reached: 7, undelivered: 3 });
    refuse(2);
    expect(await deliver(4)).toEqual({ isDelivered: true, reached: 8, undelivered: 2 });
    await follow(40, "s4-0");
    expect(await deliver(40)).toEqual({ isDelivered: true, reached: 0, undelivered: 1 });
  });

  it("throws if the subscribers cannot be read", async () => {
    const fault = new Error("throttled");
    const lists = new SubscriberLists(interceptedTable(db.table, () => Promise.reject(fault)));
    await expect(deliver(5, {}, { lists })).rejects.toBe(fault);
  });

  it("caches the list of a shard for five seconds unless it is outdated", async () => {
    await follow(6, "s6-a");
    const read = vi.fn();
    const lists = new SubscriberLists(interceptedTable(db.table, read));
    const startMs = Date.now();
    const readsAfter = async (ms: number, listSinceMs = 0) => {
      read.mockReset();
      const atMs = startMs + ms;
      await deliver(6, { atMs, listSinceMs }, { lists, now: new Date(atMs) });
      return read.mock.calls.length;
    };
    expect(await readsAfter(0)).toBe(1);
    expect(await readsAfter(4999, startMs)).toBe(0);
    expect(await readsAfter(4999, startMs + 1)).toBe(1);
    expect(await readsAfter(9998)).toBe(0);
    expect(await readsAfter(9999)).toBe(1);
    // Simulates a clock that was set back.
    expect(await readsAfter(9998)).toBe(1);
  });

  it("forgets closed connections, and reads the list again", async () => {
    await follow(7, "s7-a");
    await follow(7, "s7-b");
    const lists = new SubscriberLists(db.table);
    api.current.answer = ({ connectionId }) => (connectionId === "s7-a" ? 410 : 200);
    expect(await deliver(7, {}, { lists })).toEqual({ isDelivered: true, reached: 1, undelivered: 0 });
    expect(await itemsNamed(db.table, "s7-a")).toEqual([]);
    await deliver(7, {}, { lists });
    expect(api.current.messagesTo("s7-a")).toHaveLength(1);
    expect(api.current.messagesTo("s7-b")).toHaveLength(2);
  });

  it("closes the connection of a client that accepts nothing for a minute while other clients do", async () => {
    await follow(8, "s8-a");
    await follow(8, "s8-b");
    const lists = new SubscriberLists(db.table);
    api.current.answer = ({ connectionId }) => (connectionId === "s8-a" ? 429 : 200);
    const startMs = Date.now();
    for (const ms of [0, 1000, 60_000, 60_001]) {
      expect(api.current.hungUp).toEqual([]);
      const now = new Date(startMs + ms);
      await deliver(8, { atMs: now.getTime() }, { lists, now });
    }
    expect(api.current.hungUp).toEqual(["s8-a"]);
    expect(await itemsNamed(db.table, "s8-a")).toEqual([]);
    // Retries only the first refusal, and no later one, because the connection is then known to be stuck.
    expect(api.current.messagesTo("s8-a")).toHaveLength(5);
  });
});

describe("deliverMarkets after its invocations were refused for a minute", () => {
  afterEach(() => void vi.useRealTimers());

  it("sends no client a stale message or two messages in a second, and loses no change", async () => {
    await follow(30, "s30-a", { every: 1, tokens: [moon, other] });
    await follow(30, "s30-b", { every: 5, tokens: [moon, other] });
    const startMs = Date.now();
    vi.useFakeTimers({ toFake: ["Date"], now: startMs });
    const lists = new SubscriberLists(db.table);
    const pushes: { connectionId: string; second: number; blocks: Record<string, number> }[] = [];
    let second = 0;
    api.current.answer = ({ connectionId, message }) => {
      const { data } = JSON.parse(message) as Update;
      const blocks = Object.fromEntries(data.map(({ token, block }) => [token, block]));
      pushes.push({ connectionId, second, blocks });
      return 200;
    };

    // The market reader sends every second what has changed since the last successful delivery.
    const since = { fast: startMs, slow: Array(5).fill(startMs) as number[] };
    const queued: { at: number; event: MarketDelivery }[] = [];
    const [refusedFrom, refusedUntil] = [5, 65];
    for (; second < 80; second++) {
      const atMs = startMs + second * 1000;
      vi.setSystemTime(atMs);
      for (const { event } of queued.filter(({ at }) => at === second))
        expect(await deliverMarkets(delivererOf(lists), event)).toMatchObject({ isDelivered: false });
      const phase = second % 5;
      const event = delivery(30, {
        atMs,
        // One token changes every second, and the other one once while no delivery arrives.
        records: [
          { record: record(moon, second), changedAtMs: atMs },
          ...(second < 20 ? [] : [{ record: record(other, 20), changedAtMs: startMs + 20_000 }]),
        ],
        fast: { sinceMs: since.fast, least: "changes" },
        slow: { sinceMs: since.slow[phase] ?? 0, least: "changes", phase },
      });
      if (second >= refusedFrom && second < refusedUntil) {
        queued.push({ at: second + 3, event });
        continue;
      }
      const { isDelivered } = await deliverMarkets(delivererOf(lists), event);
      if (isDelivered) since.fast = since.slow[phase] = atMs;
    }

    for (const [connectionId, pace] of [
      ["s30-a", 1],
      ["s30-b", 5],
    ] as const) {
      const own = pushes.filter((each) => each.connectionId === connectionId);
      const seconds = own.map((each) => each.second);
      expect(seconds.filter((each) => each >= refusedFrom && each < refusedUntil)).toEqual([]);
      expect(seconds.length).toBeGreaterThan(3);
      const gaps = seconds.slice(1).map((each, index) => each - (seconds[index] ?? 0));
      expect(Math.min(...gaps)).toBe(pace);
      // Expects no record older than its message.
      expect(own.map(({ blocks }) => blocks["0x1"])).toEqual(seconds);
      expect(own.filter(({ blocks }) => "0x2" in blocks).map((each) => each.second)).toEqual([
        seconds.find((each) => each >= refusedUntil),
      ]);
    }
  });
});

describe("the two functions that send prices", () => {
  const deliverCoins = (shard: number) => {
    const update: PublicUpdate = {
      type: "update",
      channel: "prices",
      time: new Date().toISOString(),
      data: [price()],
    };
    return deliverToShard(delivererOf(), { shard, update });
  };
  const sendersTo = (connectionId: string) =>
    received(connectionId).map((message) => ("heads" in message ? "readMarkets" : "publishChanges"));

  it("never serves a connection twice while it moves between senders and prices of coins are on their way", async () => {
    for (const id of ["s20-a", "s20-b"]) {
      await openConnection(db.table, nameOf(id), { shard: 20, now: new Date() });
      await addChannels(db.table, nameOf(id), ["prices"]);
    }
    let hasMoved = false;
    api.current.answer = async () => {
      if (!hasMoved) {
        hasMoved = true;
        for (const id of ["s20-a", "s20-b"])
          await addChannels(db.table, nameOf(id), ["prices"], () => ({ every: 1, tokens: [moon] }));
      }
      return 200;
    };
    await deliverCoins(20);
    for (let second = 0; second < 3; second++) await Promise.all([deliverCoins(20), deliver(20)]);
    for (const id of ["s20-a", "s20-b"]) {
      const senders = sendersTo(id);
      expect(senders.filter((sender) => sender === "publishChanges").length).toBeLessThanOrEqual(1);
      expect(senders.slice(-3)).toEqual(Array(3).fill("readMarkets"));
    }
  });

  it("serves a connection from only one sender at a time if it moves back, even with a cached list", async () => {
    await follow(21, "s21-a");
    const lists = new SubscriberLists(db.table);
    await deliver(21, {}, { lists });
    await removeChannels(db.table, nameOf("s21-a"), ["prices"]);
    await addChannels(db.table, nameOf("s21-a"), ["prices"]);
    // The market reader has learned of the change by now.
    const listSinceMs = Date.now();
    for (let second = 0; second < 3; second++)
      await Promise.all([deliverCoins(21), deliver(21, { listSinceMs }, { lists })]);
    expect(sendersTo("s21-a")).toEqual(["readMarkets", ...Array(3).fill("publishChanges")]);
  });
});
