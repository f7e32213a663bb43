import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { closeConnection, openConnection } from "../../lib/aws/connection-records.ts";
import { saveExecution } from "../../lib/aws/execution-records.ts";
import { savePrices } from "../../lib/aws/price-records.ts";
import type { Order } from "../../lib/domain/execution.ts";
import { subscribe, unsubscribe } from "../../lib/realtime/subscribe.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { order, position, price } from "../support/executions.ts";
import { itemsNamed, putItems } from "../support/items.ts";
import { executionItem } from "../support/stream.ts";

const db = tableForTests();

const now = new Date("2026-11-21T09:00:00.000Z");
const time = now.toISOString();

type Who = { userID: string; connectionID: string };

async function connected(userID = randomUUID() as string): Promise<Who> {
  const who = { userID, connectionID: randomUUID() };
  await openConnection(db.table, who, { shard: 0, now });
  return who;
}

const subscribeTo = (who: Who, ...channels: string[]) => subscribe(db.table, { ...who, channels, now });
const unsubscribeFrom = (who: Who, ...channels: string[]) => unsubscribe(db.table, { ...who, channels, now });

const saveOrder = (userID: string, execution: Order) =>
  saveExecution(db.table, { userID, kind: "order", execution, now });

const subscriptions = (...channels: string[]) => ({ type: "subscriptions", channels, time });
const unknown = (list: string) => ({
  type: "error",
  code: "UNKNOWN_CHANNEL",
  message: `Unknown in channels: ${list}; there are orders, positions, prices`,
});
const notConnected = [expect.objectContaining({ type: "error", code: "NOT_CONNECTED" })];

describe("subscribing", () => {
  it("is answered with the whole set, sorted, then with a snapshot of each channel that is new", async () => {
    const who = await connected();
    await saveOrder(who.userID, order());
    await saveOrder("somebody-else", order({ orderId: "theirs" }));
    await savePrices(db.table, [price()], "l1", now);
    expect(await subscribeTo(who, "prices", "orders")).toEqual([
      subscriptions("orders", "prices"),
      { type: "snapshot", channel: "orders", time, data: [expect.objectContaining(order())] },
      { type: "snapshot", channel: "prices", time, data: [price()] },
    ]);
    const execution = position();
    await saveExecution(db.table, { userID: who.userID, kind: "position", execution, now });
    expect(await subscribeTo(who, "positions", "orders")).toEqual([
      subscriptions("orders", "positions", "prices"),
      { type: "snapshot", channel: "positions", time, data: [expect.objectContaining(execution)] },
    ]);
  });

  it("again changes nothing, and is answered with the set alone", async () => {
    const who = await connected();
    expect(await subscribeTo(who, "orders", "orders")).toHaveLength(2);
    const before = await itemsNamed(db.table, who.connectionID);
    expect(await subscribeTo(who, "orders")).toEqual([subscriptions("orders")]);
    expect(await subscribeTo(who)).toEqual([subscriptions("orders")]);
    expect(await itemsNamed(db.table, who.connectionID)).toEqual(before);
  });

  it("to nothing that there is yet has a snapshot all the same, an empty one", async () => {
    expect(await subscribeTo(await connected(), "positions")).toEqual([
      subscriptions("positions"),
      { type: "snapshot", channel: "positions", time, data: [] },
    ]);
  });

  it("to good channels counts beside bad ones, which are named", async () => {
    const who = await connected();
    expect(await subscribeTo(who, "Orders", "orders", "trades", "trades")).toEqual([
      unknown("Orders, trades"),
      subscriptions("orders"),
      { type: "snapshot", channel: "orders", time, data: [] },
    ]);
    expect(await subscribeTo(who, "constructor")).toEqual([unknown("constructor"), subscriptions("orders")]);
  });

  it("to bad channels names five of them, and none that may be a secret", async () => {
    const who = await connected();
    const secret = "4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318";
    const [told] = await subscribeTo(who, secret, "a", "b", "c", "d", "e", "f", "");
    expect(told).toEqual(unknown("a, b, c, d, e, 3 others"));
    expect((await subscribeTo(who, "a b"))[0]).toEqual(unknown("1 other"));
  });

  it("to more than one message can hold has it in several, of which all but the last say so", async () => {
    const who = await connected();
    const many = Array.from({ length: 250 }, (_, index) =>
      order({ orderId: `o${String(index).padStart(3, "0")}`, reason: "価".repeat(250) }),
    );
    await putItems(
      db.table,
      many.map((each) => executionItem(who.userID, each)),
    );
    const [, ...snapshots] = (await subscribeTo(who, "orders")) as { more?: true; data: Order[] }[];
    expect(snapshots.map(({ more }) => more)).toEqual([true, true, undefined]);
    const ids = snapshots.flatMap(({ data }) => data.map(({ orderId }) => orderId));
    expect(ids).toEqual(many.map(({ orderId }) => orderId));
  });
});

describe("unsubscribing", () => {
  it("is answered with what is left, whether it was there or not", async () => {
    const who = await connected();
    await subscribeTo(who, "orders", "prices");
    expect(await unsubscribeFrom(who, "prices", "positions")).toEqual([subscriptions("orders")]);
    expect(await unsubscribeFrom(who, "prices")).toEqual([subscriptions("orders")]);
    expect(await unsubscribeFrom(who, "trades", "orders")).toEqual([unknown("trades"), subscriptions()]);
  });

  it("and subscribing again brings a snapshot again", async () => {
    const who = await connected();
    await subscribeTo(who, "orders");
    await unsubscribeFrom(who, "orders");
    await saveOrder(who.userID, order());
    expect(await subscribeTo(who, "orders")).toMatchObject([{}, { type: "snapshot", data: [order()] }]);
  });
});

describe("a connection that is not known", () => {
  it("is told so, whatever it asks", async () => {
    const who = await connected();
    await subscribeTo(who, "prices");
    await closeConnection(db.table, who);
    expect(await subscribeTo(who, "prices", "trades")).toEqual(notConnected);
    expect(await subscribeTo(who)).toEqual(notConnected);
    expect(await unsubscribeFrom(who, "prices")).toEqual(notConnected);
    expect(await itemsNamed(db.table, who.connectionID)).toEqual([]);
  });
});
