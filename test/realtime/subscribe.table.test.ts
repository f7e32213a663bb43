import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Order } from "../../lib/orders/execution.ts";
import {
  type ConnectionName,
  closeConnection,
  openConnection,
} from "../../lib/realtime/connection-records.ts";
import { subscribe, unsubscribe } from "../../lib/realtime/subscribe.ts";
import { saveExecution } from "../../lib/trading/items/execution-records.ts";
import { holdPrices } from "../prices/support/held-prices.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { order, position, price } from "../support/executions.ts";
import { itemsNamed, putItems } from "../support/items.ts";
import { executionItem } from "../support/stream.ts";

const db = tableForTests();

const now = new Date("2026-11-21T09:00:00.000Z");
const time = now.toISOString();

async function connected(userID = randomUUID() as string): Promise<ConnectionName> {
  const name = { userID, connectionId: randomUUID() };
  await openConnection(db.table, name, { shard: 0, now });
  return name;
}

const onFault = (error: unknown) => {
  throw error;
};
const subscribeTo = (name: ConnectionName, ...channels: string[]) =>
  subscribe(db.table, { ...name, channels, now });
const unsubscribeFrom = (name: ConnectionName, ...channels: string[]) =>
  unsubscribe(db.table, { ...name, channels, now }, { onFault });

const saveOrder = (userID: string, execution: Order) =>
  saveExecution(db.table, { userID, kind: "order", execution, now });

const subscriptions = (...channels: string[]) => ({ type: "subscriptions", channels, time });
const unknown = (list: string) => ({
  type: "error",
  code: "UNKNOWN_CHANNEL",
  message: `Unknown in channels: ${list}. Channels are orders, positions, prices.`,
});
const notConnected = [expect.objectContaining({ type: "error", code: "NOT_CONNECTED" })];

describe("subscribe", () => {
  it("replies with all subscriptions, sorted, and then with a snapshot of each channel in the request", async () => {
    const name = await connected();
    await saveOrder(name.userID, order());
    await saveOrder("somebody-else", order({ orderId: "theirs" }));
    await holdPrices(db.table, [price()]);
    expect(await subscribeTo(name, "prices", "orders")).toEqual([
      subscriptions("orders", "prices"),
      { type: "snapshot", channel: "orders", time, data: [expect.objectContaining(order())] },
      { type: "snapshot", channel: "prices", time, data: [price()] },
    ]);
    const execution = position();
    await saveExecution(db.table, { userID: name.userID, kind: "position", execution, now });
    expect(await subscribeTo(name, "positions", "orders")).toEqual([
      subscriptions("orders", "positions", "prices"),
      { type: "snapshot", channel: "orders", time, data: [expect.objectContaining(order())] },
      { type: "snapshot", channel: "positions", time, data: [expect.objectContaining(execution)] },
    ]);
  });

  it("changes nothing for channels that the connection already has, and sends the channels' snapshots again", async () => {
    const name = await connected();
    expect(await subscribeTo(name, "orders", "orders")).toHaveLength(2);
    const before = await itemsNamed(db.table, name.connectionId);
    expect(await subscribeTo(name, "orders", "orders")).toEqual([
      subscriptions("orders"),
      { type: "snapshot", channel: "orders", time, data: [] },
    ]);
    expect(await subscribeTo(name)).toEqual([subscriptions("orders")]);
    expect(await itemsNamed(db.table, name.connectionId)).toEqual(before);
  });

  it("sends an empty snapshot of an empty channel", async () => {
    expect(await subscribeTo(await connected(), "positions")).toEqual([
      subscriptions("positions"),
      { type: "snapshot", channel: "positions", time, data: [] },
    ]);
  });

  it("subscribes to the known channels of a request and names the unknown ones", async () => {
    const name = await connected();
    expect(await subscribeTo(name, "Orders", "orders", "trades", "trades")).toEqual([
      unknown("Orders, trades"),
      subscriptions("orders"),
      { type: "snapshot", channel: "orders", time, data: [] },
    ]);
    expect(await subscribeTo(name, "constructor")).toEqual([unknown("constructor"), subscriptions("orders")]);
  });

  it("names at most five unknown channels, and none that may be a secret", async () => {
    const name = await connected();
    const secret = "4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318";
    const [problem] = await subscribeTo(name, secret, "a", "b", "c", "d", "e", "f", "");
    expect(problem).toEqual(unknown("a, b, c, d, e, 3 others"));
    expect((await subscribeTo(name, "a b"))[0]).toEqual(unknown("1 other"));
  });

  it("splits a large snapshot into several messages, all marked with `more` except the last one", async () => {
    const name = await connected();
    const many = Array.from({ length: 250 }, (_, index) =>
      order({ orderId: `o${String(index).padStart(3, "0")}`, reason: "価".repeat(250) }),
    );
    await putItems(
      db.table,
      many.map((each) => executionItem(name.userID, each)),
    );
    const [, ...snapshots] = (await subscribeTo(name, "orders")) as { more?: true; data: Order[] }[];
    expect(snapshots.map(({ more }) => more)).toEqual([true, true, undefined]);
    const ids = snapshots.flatMap(({ data }) => data.map(({ orderId }) => orderId));
    expect(ids).toEqual(many.map(({ orderId }) => orderId));
  });
});

describe("unsubscribe", () => {
  it("replies with the remaining subscriptions, whether or not the request ended any", async () => {
    const name = await connected();
    await subscribeTo(name, "orders", "prices");
    expect(await unsubscribeFrom(name, "prices", "positions")).toEqual([subscriptions("orders")]);
    expect(await unsubscribeFrom(name, "prices")).toEqual([subscriptions("orders")]);
    expect(await unsubscribeFrom(name, "trades", "orders")).toEqual([unknown("trades"), subscriptions()]);
  });
});

describe("subscribe and unsubscribe", () => {
  it("replies NOT_CONNECTED to an unknown connection, and writes nothing", async () => {
    const name = await connected();
    await subscribeTo(name, "prices");
    await closeConnection(db.table, name);
    expect(await subscribeTo(name, "prices", "trades")).toEqual(notConnected);
    expect(await subscribeTo(name)).toEqual(notConnected);
    expect(await unsubscribeFrom(name, "prices")).toEqual(notConnected);
    expect(await itemsNamed(db.table, name.connectionId)).toEqual([]);
  });
});
