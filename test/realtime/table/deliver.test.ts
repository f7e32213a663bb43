import { beforeEach, describe, expect, it, vi } from "vitest";
import { savePrices } from "../../../lib/aws/price-records.ts";
import { connectionKey, subscriberKey } from "../../../lib/aws/table-keys.ts";
import { deliverToShard, type PublicUpdate } from "../../../lib/realtime/deliver.ts";
import { connectionsApiForTests } from "../../support/connections-api.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { price } from "../../support/executions.ts";
import { itemsNamed, putItems } from "../../support/items.ts";

const db = tableForTests();
const api = connectionsApiForTests();

const time = "2026-11-21T09:05:00.000Z";
const update: PublicUpdate = { type: "update", channel: "prices", time, data: [price()] };
const reached = { superseded: false, undelivered: 0 };

const onFault = vi.fn();
beforeEach(() => onFault.mockReset());

const deliver = (shard: number, ageMs = 0) =>
  deliverToShard(
    { table: db.table, pusher: api.current.pusher, onFault },
    { shard, update },
    new Date(Date.parse(time) + ageMs),
  );

const placeOf = (connectionID: string, shard: number, rest: object = {}) => ({
  ...subscriberKey("prices", shard, connectionID),
  userID: "u",
  connectionID,
  ...rest,
});

/** Puts subscribed connections into the table. */
const subscribed = (shard: number, ...connections: string[]) =>
  putItems(
    db.table,
    connections.flatMap((connectionID) => [
      {
        ...connectionKey("u", connectionID),
        userID: "u",
        connectionID,
        shard,
        channels: new Set(["prices"]),
      },
      placeOf(connectionID, shard),
    ]),
  );

const called = () => api.current.calls.map(({ connectionID }) => connectionID).sort();

describe("deliverToShard", () => {
  it("sends the update to each subscriber in the shard once, and to nobody else", async () => {
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

  it("removes closed connections from the subscribers, and their records, however many", async () => {
    const names = Array.from({ length: 40 }, (_, index) => `s3-${index}`);
    await subscribed(3, ...names);
    api.current.answer = ({ connectionID }) => (connectionID === "s3-7" ? 200 : 410);
    expect(await deliver(3)).toEqual(reached);
    expect((await itemsNamed(db.table, "s3-")).map(({ SK }) => SK)).toEqual([
      "CONNECTION#s3-7",
      "CONNECTION#s3-7",
    ]);
    expect(onFault).not.toHaveBeenCalled();
  });

  it("removes a closed connection from the subscribers even if its record is gone already", async () => {
    await putItems(db.table, [placeOf("s4-a", 4)]);
    api.current.answer = () => 410;
    await deliver(4);
    expect(await itemsNamed(db.table, "s4-a")).toEqual([]);
  });

  it("counts connections that it failed to reach, and keeps them", async () => {
    await subscribed(5, "s5-a", "s5-b");
    api.current.answer = ({ connectionID }) => (connectionID === "s5-a" ? 500 : 200);
    expect(await deliver(5)).toEqual({ ...reached, undelivered: 1 });
    expect(await itemsNamed(db.table, "s5-a")).toHaveLength(2);
    expect(api.current.hungUp).toEqual([]);
  });

  it("closes the connection of a client that has stopped reading", async () => {
    await subscribed(7, "s7-a", "s7-b");
    api.current.answer = ({ connectionID }) => (connectionID === "s7-a" ? 429 : 200);
    expect(await deliver(7)).toEqual(reached);
    expect(api.current.hungUp).toEqual(["s7-a"]);
    expect(await itemsNamed(db.table, "s7-a")).toEqual([]);
  });

  it("sends nothing if there are no subscribers", async () => {
    expect(await deliver(6)).toEqual(reached);
    expect(called()).toEqual([]);
  });

  it("drops an update that is late if newer prices were saved", async () => {
    await subscribed(8, "s8-a");
    await savePrices(db.table, [price({ price: "2" })], "l1");
    expect(await deliver(8, 2001)).toEqual({ superseded: true, undelivered: 0 });
    expect(called()).toEqual([]);
    expect(await deliver(8, 2000)).toEqual(reached);
    expect(called()).toEqual(["s8-a"]);
  });

  it("sends a late update if nothing newer was saved", async () => {
    await subscribed(9, "s9-a");
    await savePrices(db.table, [price()], "l1");
    expect(await deliver(9, 3_600_000)).toEqual(reached);
    expect(called()).toEqual(["s9-a"]);
  });
});
