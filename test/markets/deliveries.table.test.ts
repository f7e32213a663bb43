import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { TokenName } from "../../lib/markets/core/market.ts";
import type { ChangedRecord } from "../../lib/markets/core/market-delivery.ts";
import type { FollowedToken } from "../../lib/markets/core/market-subscription.ts";
import { Deliveries } from "../../lib/markets/deliveries.ts";
import { Demand } from "../../lib/markets/demand.ts";
import { readNewsSince } from "../../lib/markets/items/news.ts";
import type { ChainMarkets } from "../../lib/markets/runs/chain-markets.ts";
import { marketFollowers, openConnection } from "../../lib/realtime/connection-records.ts";
import { deliverMarkets, SubscriberLists } from "../../lib/realtime/deliver-markets.ts";
import { subscribe, unsubscribe } from "../../lib/realtime/subscribe.ts";
import { connectionsApiForTests } from "../support/connections-api.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { price } from "../support/executions.ts";
import { shortPausesForTests } from "../support/short-pauses.ts";
import { moon, otherToken } from "./support/markets.ts";

const db = tableForTests();
const api = connectionsApiForTests();
shortPausesForTests();

const startMs = Date.parse("2026-11-21T09:05:00.000Z");
let atMs: number;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  // Gives each test an hour of its own, because the tests of a file share a table.
  atMs = (atMs ?? startMs) + 3_600_000;
  vi.setSystemTime(atMs);
});
afterEach(() => void vi.useRealTimers());

const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);

const [first, second] = [
  { chain: "base", token: moon },
  { chain: "base", token: otherToken },
] as const;

/** Simulates rounds of readMarkets with the real table. The test sets the records of the chain. */
function serving() {
  const changed = new Map<string, { block: number; changedAtMs: number }>();
  const chain = {
    chain: "base",
    revision: 0,
    head: { block: 57, time: startMs / 1000 },
    records(tokens: readonly string[], { sinceMs, isFull }: { sinceMs: number; isFull: boolean }) {
      if (isFull) state.full.push(...tokens);
      return tokens.flatMap((token): ChangedRecord[] => {
        const { block, changedAtMs } = changed.get(token) ?? { block: 0, changedAtMs: 0 };
        if (changedAtMs === 0 || (changedAtMs <= sinceMs && !isFull)) return [];
        const asOf = new Date().toISOString();
        return [{ record: { chain: "base", token, flags: [], revision: 0, block, asOf }, changedAtMs }];
      });
    },
  };
  const lists = new SubscriberLists(db.table);
  const onFault = vi.fn();
  const state = {
    isThrottled: false,
    isLate: false,
    invoked: [] as number[],
    /** Tokens that were asked for although they might not have changed. */
    full: [] as string[],
    wanted: [first, second] as TokenName[],
    refused: new Map<string, TokenName[]>(),
  };
  const deliveries = new Deliveries({
    chains: [chain as unknown as ChainMarkets],
    async deliver(delivery) {
      state.invoked.push(delivery.shard);
      if (state.isThrottled) throw new Error("throttled");
      if (state.isLate) return { isDelivered: false };
      const { pusher } = api.current;
      return deliverMarkets({ table: db.table, pusher, lists, onFault, onMissed: onFault }, delivery);
    },
    onFault,
  });
  const readFollowers = () => marketFollowers(db.table, 2);
  const readNews = (sinceMs: number) => readNewsSince(db.table, sinceMs, 2);
  const demand = new Demand({ readFollowers, readNewsSince: readNews }, Date.now());
  return {
    state,
    deliveries,
    change(token: string, block: number) {
      changed.set(token, { block, changedAtMs: Date.now() });
      // Changes in the millisecond of a delivery are sent again with the next delivery.
      pass(1);
    },
    async round() {
      const nowMs = Date.now();
      await demand.read(nowMs);
      deliveries.want(state.wanted, state.refused, nowMs);
      deliveries.serve(demand.followers, demand.takeArrivals(), nowMs);
      pass(1);
      deliveries.begin(Date.now());
      await deliveries.emptied();
      pass(1000);
    },
  };
}

const markets = {
  chains: ["base"],
  startReader: async () => {},
  onFault(error: unknown) {
    throw error;
  },
} as const;
const nameOf = (connectionId: string) => ({ userID: `user of ${connectionId}`, connectionId });
const follow = async (connectionId: string, shard: number, ...tokens: FollowedToken[]) => {
  const now = new Date();
  await openConnection(db.table, nameOf(connectionId), { shard, now });
  const request = { ...nameOf(connectionId), now, channels: ["prices"], tokens };
  await subscribe(db.table, request, { markets });
};
const leave = (connectionId: string) =>
  unsubscribe(db.table, { ...nameOf(connectionId), now: new Date(), channels: ["prices"] }, markets);

/** Lists the blocks of the records in each message to a connection. */
const blocksTo = (connectionId: string) =>
  (api.current.parsedMessagesTo(connectionId) as { data: { block?: number }[] }[]).map(({ data }) =>
    data.map(({ block }) => block),
  );

describe("Deliveries", () => {
  it("sends each connection all its tokens at first, and then only changes", async () => {
    const { round, change } = serving();
    await follow("a0", 0, first);
    await follow("a1", 1, first, second);
    change(moon, 5);
    change(otherToken, 6);
    await round();
    change(otherToken, 7);
    await round();
    await round();
    await follow("a2", 0, second);
    await round();
    expect([blocksTo("a0"), blocksTo("a1"), blocksTo("a2")]).toEqual([[[5]], [[5, 6], [7]], [[7]]]);
    await Promise.all(["a0", "a1", "a2"].map(leave));
  });

  it("assembles everything only for the tokens of a new connection", async () => {
    const { round, change, state } = serving();
    await follow("f0", 0, first);
    change(moon, 5);
    change(otherToken, 6);
    // Each phase of slow connections begins with everything.
    for (let rounds = 0; rounds < 6; rounds++) await round();
    state.full = [];
    await follow("f1", 0, second);
    await round();
    expect([state.full, blocksTo("f0"), blocksTo("f1")]).toEqual([[otherToken], [[5]], [[6]]]);
    await Promise.all(["f0", "f1"].map(leave));
  });

  it("repeats a change after a failed delivery, and starts no other delivery for four seconds", async () => {
    const { round, change, state } = serving();
    await follow("b0", 0, first);
    change(moon, 5);
    await round();
    state.isThrottled = true;
    change(moon, 6);
    await round();
    state.isThrottled = false;
    state.invoked = [];
    for (let rounds = 0; rounds < 3; rounds++) await round();
    expect([state.invoked, blocksTo("b0")]).toEqual([[], [[5]]]);
    await round();
    expect(blocksTo("b0")).toEqual([[5], [6]]);
    await leave("b0");
  });

  it("repeats a change after a late delivery", async () => {
    const { round, change, state } = serving();
    await follow("e0", 0, first);
    await round();
    state.isLate = true;
    change(moon, 6);
    await round();
    state.isLate = false;
    for (let rounds = 0; rounds < 2; rounds++) await round();
    expect(blocksTo("e0").flat()).toEqual([6]);
    await leave("e0");
  });

  it("invokes nothing for shards without followers, and stops when the last subscription ends", async () => {
    const { round, change, state, deliveries } = serving();
    change(moon, 5);
    await round();
    expect(state.invoked).toEqual([]);
    await follow("c1", 1, first);
    await round();
    await leave("c1");
    change(moon, 6);
    deliveries.takeCoins([price()], Date.now());
    await round();
    expect(blocksTo("c1")).toEqual([[5]]);
    // The news of markets announces the end of the subscription, and the next full read drops the connection.
    pass(60_000);
    state.invoked = [];
    await round();
    expect(state.invoked).toEqual([]);
  });

  it("informs connections once, in their next full message, that their tokens are not read", async () => {
    const { round, state } = serving();
    await follow("d0", 0, second);
    await round();
    state.wanted = [first];
    state.refused = new Map([["user of d0", [second]]]);
    for (let rounds = 0; rounds < 3; rounds++) await round();
    const refused = { ...second, flags: ["TOO_MANY_TOKENS"], revision: 0, block: 57 };
    const messages = api.current.parsedMessagesTo("d0") as { data: object[] }[];
    expect(messages.flatMap(({ data }) => data)).toMatchObject([refused]);
    await leave("d0");
  });
});
