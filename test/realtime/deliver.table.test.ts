import { beforeEach, describe, expect, it, vi } from "vitest";
import { deliverToShard, type PublicUpdate } from "../../lib/realtime/deliver.ts";
import { connectionKey, subscriberKey } from "../../lib/realtime/item-keys.ts";
import { holdPrices } from "../prices/support/held-prices.ts";
import { type Call, connectionsApiForTests } from "../support/connections-api.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { price } from "../support/executions.ts";
import { itemsNamed, putItems } from "../support/items.ts";
import { shortPausesForTests } from "../support/short-pauses.ts";

const db = tableForTests();
const api = connectionsApiForTests();
shortPausesForTests();

const time = "2026-11-21T09:05:00.000Z";
const update: PublicUpdate = { type: "update", channel: "prices", time, data: [price()] };
const reached = { superseded: false, undelivered: 0 };

const onFault = vi.fn();
const onMissed = vi.fn();
beforeEach(() => {
  onFault.mockReset();
  onMissed.mockReset();
});

const later = (ms: number) => new Date(Date.parse(time) + ms);

const deliver = (shard: number, now = later(0), message = update) =>
  deliverToShard(
    { table: db.table, pusher: api.current.pusher, onFault, onMissed },
    { shard, update: { ...message, time: now.toISOString() } },
    { now },
  );

const deliverLate = (shard: number, ageMs: number, late = update) =>
  deliverToShard(
    { table: db.table, pusher: api.current.pusher, onFault, onMissed },
    { shard, update: late },
    { now: later(ageMs) },
  );

const places = async (text: string) =>
  (await itemsNamed(db.table, text)).filter(({ PK }) => PK.startsWith("CHANNEL#"));

const placeOf = (connectionId: string, shard: number, rest: object = {}) => ({
  ...subscriberKey("prices", shard, connectionId),
  userID: "u",
  connectionId,
  ...rest,
});

/** Puts subscribed connections into the table. */
const subscribed = (shard: number, ...connections: string[]) =>
  putItems(
    db.table,
    connections.flatMap((connectionId) => [
      {
        ...connectionKey("u", connectionId),
        userID: "u",
        connectionId,
        shard,
        channels: new Set(["prices"]),
      },
      placeOf(connectionId, shard),
    ]),
  );

const called = () => api.current.calls.map(({ connectionId }) => connectionId).sort();

describe("deliverToShard", () => {
  it("sends the update once to each subscriber in the shard, and to nobody else", async () => {
    await subscribed(1, "s1-a", "s1-b");
    await subscribed(10, "s10-a");
    expect(await deliver(1)).toEqual(reached);
    expect(called()).toEqual(["s1-a", "s1-b"]);
    expect(api.current.messagesTo("s1-a")).toEqual([JSON.stringify(update)]);
  });

  it("reads every page of subscribers", async () => {
    const names = Array.from({ length: 9 }, (_, index) => `s2-${index}`);
    // Three items of this size fill a page of 1 MB.
    for (const name of names) await putItems(db.table, [placeOf(name, 2, { weight: "x".repeat(350_000) })]);
    const send = vi.spyOn(db.table.client, "send");
    expect(await deliver(2)).toEqual(reached);
    expect(send.mock.calls.length).toBeGreaterThan(2);
    send.mockRestore();
    expect(called()).toEqual(names);
  });

  it("removes any number of closed connections with their subscriptions and records", async () => {
    const names = Array.from({ length: 40 }, (_, index) => `s3-${index}`);
    await subscribed(3, ...names);
    api.current.answer = ({ connectionId }) => (connectionId === "s3-7" ? 200 : 410);
    expect(await deliver(3)).toEqual(reached);
    expect((await itemsNamed(db.table, "s3-")).map(({ SK }) => SK)).toEqual([
      "CONNECTION#s3-7",
      "CONNECTION#s3-7",
    ]);
    expect(onFault).not.toHaveBeenCalled();
  });

  it("removes a closed connection from the subscribers even if its record is already gone", async () => {
    await putItems(db.table, [placeOf("s4-a", 4)]);
    api.current.answer = () => 410;
    await deliver(4);
    expect(await itemsNamed(db.table, "s4-a")).toEqual([]);
  });

  it("counts connections that it failed to reach, and keeps them", async () => {
    await subscribed(5, "s5-a", "s5-b");
    api.current.answer = ({ connectionId }) => (connectionId === "s5-a" ? 500 : 200);
    expect(await deliver(5)).toEqual({ ...reached, undelivered: 1 });
    expect(await itemsNamed(db.table, "s5-a")).toHaveLength(2);
    expect(api.current.hungUp).toEqual([]);
  });

  it("neither closes connections nor marks them as stuck while the account is throttled", async () => {
    await subscribed(7, ...Array.from({ length: 100 }, (_, index) => `s7-${index}`));
    // An empty token bucket still lets some pushes through. In this test, six of ten succeed, always the same ones.
    const unlucky = ({ connectionId }: Call) => Number(connectionId.slice("s7-".length)) % 10 < 4;
    api.current.answer = (call) => (unlucky(call) ? 429 : 200);
    for (const ms of [0, 1000, 61_000, 122_000])
      expect(await deliver(7, later(ms))).toEqual({ ...reached, undelivered: 40 });
    expect(api.current.hungUp).toEqual([]);
    expect((await places("s7-")).filter(({ stuckSince }) => stuckSince)).toEqual([]);
    expect(await places("s7-")).toHaveLength(100);
    expect(onFault).not.toHaveBeenCalled();
  });

  it("closes the connection of a client that accepts nothing for a minute while other clients do", async () => {
    await subscribed(11, "s11-a", "s11-b", "s11-c");
    api.current.answer = ({ connectionId }) => (connectionId === "s11-a" ? 429 : 200);
    for (const ms of [0, 1000, 60_000])
      expect(await deliver(11, later(ms))).toEqual({ ...reached, undelivered: 1 });
    expect(api.current.hungUp).toEqual([]);
    expect(await itemsNamed(db.table, "s11-a")).toHaveLength(2);
    await deliver(11, later(60_001));
    expect(api.current.hungUp).toEqual(["s11-a"]);
    expect(await itemsNamed(db.table, "s11-a")).toEqual([]);
  });

  it("resets the count of failed deliveries once a client accepts a message", async () => {
    await subscribed(12, "s12-a", "s12-b");
    let full = true;
    api.current.answer = ({ connectionId }) => (full && connectionId === "s12-a" ? 429 : 200);
    await deliver(12, later(0));
    expect(await places("s12-a")).toMatchObject([{ stuckSince: time }]);
    full = false;
    await deliver(12, later(30_000));
    expect((await places("s12-a"))[0]).not.toHaveProperty("stuckSince");
    full = true;
    await deliver(12, later(61_000));
    expect(api.current.hungUp).toEqual([]);
  });

  it("closes a connection only after refusals, never after other errors", async () => {
    await subscribed(13, "s13-a", "s13-b");
    api.current.answer = ({ connectionId }) => (connectionId === "s13-a" ? 500 : 200);
    await deliver(13, later(0));
    await deliver(13, later(61_000));
    expect(api.current.hungUp).toEqual([]);
    expect((await places("s13-a"))[0]).not.toHaveProperty("stuckSince");
  });

  it("deletes a closed connection's place among the subscribers once", async () => {
    await subscribed(14, "s14-a");
    api.current.answer = () => 410;
    const send = vi.spyOn(db.table.client, "send");
    await deliver(14);
    const deleted = send.mock.calls.map(([{ input }]) => (input as { Key?: { PK: string } }).Key?.PK);
    send.mockRestore();
    expect(deleted.filter((PK) => PK !== undefined)).toEqual(["CONNECTIONS#u", "CHANNEL#prices#14"]);
  });

  it("reports each cause once, as a fault if no subscriber was reached", async () => {
    await subscribed(15, "s15-a", "s15-b", "s15-c");
    api.current.answer = ({ connectionId }) => (connectionId === "s15-c" ? 500 : 403);
    expect(await deliver(15)).toEqual({ ...reached, undelivered: 3 });
    const causes = onFault.mock.calls.map(([{ name, $metadata }, details]) => [
      name,
      $metadata.requestId,
      details,
    ]);
    expect(causes.sort()).toEqual([
      ["ForbiddenException", "r403", { connections: 2 }],
      [expect.stringMatching("Unknown|InternalServer"), "r500", { connections: 1 }],
    ]);
    expect(onMissed).not.toHaveBeenCalled();
  });

  it("reports causes without a fault if other subscribers were reached, or if only one user's clients do not read", async () => {
    await subscribed(16, "s16-a", "s16-b");
    api.current.answer = ({ connectionId }) => (connectionId === "s16-a" ? 403 : 200);
    await deliver(16);
    api.current.answer = () => 429;
    await deliver(16);
    expect(onMissed.mock.calls.map(([{ name }, { connections }]) => [name, connections])).toEqual([
      ["ForbiddenException", 1],
      ["LimitExceededException", 2],
    ]);
    expect(onFault).not.toHaveBeenCalled();
  });

  it("reports a fault if several users' connections were refused and no subscriber was reached", async () => {
    await putItems(db.table, [placeOf("s17-a", 17), { ...placeOf("s17-b", 17), userID: "v" }]);
    api.current.answer = () => 429;
    await deliver(17);
    expect(onFault.mock.calls.map(([{ name }]) => name)).toEqual(["LimitExceededException"]);
    expect(onMissed).not.toHaveBeenCalled();
  });

  it("sends nothing if there are no subscribers", async () => {
    expect(await deliver(6)).toEqual(reached);
    expect(called()).toEqual([]);
  });

  it("drops a late update if newer prices were saved", async () => {
    await subscribed(8, "s8-a");
    await holdPrices(db.table, [price({ price: "2" })]);
    expect(await deliverLate(8, 2001)).toEqual({ superseded: true, undelivered: 0 });
    expect(called()).toEqual([]);
    expect(await deliverLate(8, 2000)).toEqual(reached);
    expect(called()).toEqual(["s8-a"]);
  });

  it("sends a late update if nothing newer was saved", async () => {
    await subscribed(9, "s9-a");
    await holdPrices(db.table, [price(), price({ chain: "eth" })]);
    expect(await deliverLate(9, 3_600_000)).toEqual(reached);
    expect(called()).toEqual(["s9-a"]);
  });

  it("sends only those prices of a late update that are still the latest", async () => {
    await subscribed(10, "s10-a");
    await holdPrices(db.table, [price({ price: "2" }), price({ chain: "eth" })]);
    const both = { ...update, data: [price(), price({ chain: "eth" })] };
    expect(await deliverLate(10, 2001, both)).toEqual(reached);
    expect(api.current.parsedMessagesTo("s10-a")).toEqual([{ ...update, data: [price({ chain: "eth" })] }]);
  });
});
