import { beforeEach, describe, expect, it, vi } from "vitest";
import { addChannels, connectionsOfUser, openConnection } from "../../../lib/aws/connection-records.ts";
import { saveSettings } from "../../../lib/aws/settings-records.ts";
import type { Item } from "../../../lib/aws/table.ts";
import { settingsKey } from "../../../lib/aws/table-keys.ts";
import { type Channel, channels } from "../../../lib/domain/channel.ts";
import { defaultSettings } from "../../../lib/domain/settings.ts";
import { publish } from "../../../lib/realtime/publish.ts";
import { connectionsApiForTests } from "../../support/connections-api.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { order, position, price } from "../../support/executions.ts";
import { itemsNamed } from "../../support/items.ts";
import {
  executionItem,
  pricesItem,
  sequenceNumberOf,
  settingsItem,
  streamRecord,
} from "../../support/stream.ts";

const db = tableForTests();
const api = connectionsApiForTests();

const now = new Date("2026-11-21T09:05:00.000Z");
const time = now.toISOString();
const minutesAgo = new Date("2026-11-21T09:00:00.000Z");

const handOver = vi.fn(async () => {});
const onFault = vi.fn();

beforeEach(() => {
  handOver.mockClear();
  onFault.mockReset();
});

const publishAll = (records: readonly ReturnType<typeof streamRecord>[]) =>
  publish({ table: db.table, pusher: api.current.pusher, shards: 4, handOver, onFault }, records, now);

async function connect(
  userID: string,
  connectionID: string,
  wanted: readonly Channel[] = [],
  since = minutesAgo,
) {
  await openConnection(db.table, { userID, connectionID }, { shard: 0, now: since });
  await addChannels(db.table, { userID, connectionID }, wanted);
}

const received = (connectionID: string) => api.current.parsedMessagesTo(connectionID);
const expectOnly = (...connections: string[]) =>
  expect([...new Set(api.current.calls.map(({ connectionID }) => connectionID))].sort()).toEqual(
    connections.sort(),
  );

describe("publish", () => {
  it("sends changed settings to every connection of their user, and to nobody else", async () => {
    await connect("ann", "ann-1");
    await connect("ann", "ann-2", channels);
    await connect("ann2", "other-1", channels);
    await connect("an", "other-2", channels);
    const saved = await saveSettings(db.table, "ann", "sol", { priorityFee: 0.5, slippage: 2 }, now);
    const item = { ...saved, ...settingsKey("ann", "sol") } as Item;
    expect(await publishAll([streamRecord(item)])).toEqual([]);
    const data = {
      chain: "sol",
      version: 1,
      settings: { ...defaultSettings.sol, priorityFee: 0.5, slippage: 2 },
    };
    const message = { type: "TradingSettingsUpdated", time, data };
    expect(received("ann-1")).toEqual([message]);
    expect(received("ann-2")).toEqual([message]);
    expectOnly("ann-1", "ann-2");
  });

  it("sends the changes of a user in order", async () => {
    await connect("bea", "bea-1");
    const versions = [1, 2, 3].map((version) => settingsItem("bea", "eth", { version, slippage: version }));
    await publishAll(versions.map((item, index) => streamRecord(item, versions[index - 1])));
    expect(received("bea-1")).toMatchObject([1, 2, 3].map((version) => ({ data: { version } })));
  });

  it("does nothing for a user without connections", async () => {
    expect(await publishAll([streamRecord(settingsItem("nobody", "eth", {}))])).toEqual([]);
    expectOnly();
  });

  it("sends orders and positions to their owner's subscribed connections, and to nobody else", async () => {
    await connect("cleo", "cleo-both", channels);
    await connect("cleo", "cleo-orders", ["orders"]);
    await connect("cleo", "cleo-prices", ["prices"]);
    await connect("cleo", "cleo-none");
    await connect("carl", "carl-both", channels);
    await publishAll([
      streamRecord(executionItem("cleo", order({ orderId: "cleo-order" }))),
      streamRecord(executionItem("cleo", position({ positionId: "cleo-position" }))),
      streamRecord(executionItem("carl", order({ orderId: "carl-order" }))),
    ]);
    const orders = { type: "update", channel: "orders", time, data: [order({ orderId: "cleo-order" })] };
    const positions = {
      type: "update",
      channel: "positions",
      time,
      data: [position({ positionId: "cleo-position" })],
    };
    expect(received("cleo-both")).toEqual([orders, positions]);
    expect(received("cleo-orders")).toEqual([orders]);
    expect(received("carl-both")).toEqual([{ ...orders, data: [order({ orderId: "carl-order" })] }]);
    expectOnly("cleo-both", "cleo-orders", "carl-both");
  });

  it("combines the orders of a batch, in order, into as many messages as they need", async () => {
    await connect("dora", "dora-1", ["orders"]);
    const many = Array.from({ length: 400 }, (_, index) =>
      order({ orderId: `o${index}`, reason: "価".repeat(200), version: index + 1 }),
    );
    await publishAll(many.map((each) => streamRecord(executionItem("dora", each))));
    const messages = api.current.messagesTo("dora-1");
    expect(messages.length).toBeGreaterThan(1);
    for (const message of messages) expect(Buffer.byteLength(message)).toBeLessThanOrEqual(128 * 1024);
    expect(messages.flatMap((message) => JSON.parse(message).data)).toEqual(many);
  });

  it("hands over the latest prices of a batch, once for each shard", async () => {
    const earlier = pricesItem([price({ price: "1" })]);
    const later = pricesItem([price({ price: "2" })]);
    expect(await publishAll([streamRecord(earlier), streamRecord(later, earlier)])).toEqual([]);
    const update = { type: "update", channel: "prices", time, data: [price({ price: "2" })] };
    expect(handOver.mock.calls).toEqual([0, 1, 2, 3].map((shard) => [{ shard, update }]));
    expectOnly();
  });

  it("forgets a closed connection and its subscriptions, and reaches the user's others", async () => {
    await connect("fay", "fay-gone", channels);
    await connect("fay", "fay-there", channels);
    api.current.answer = ({ connectionID }) => (connectionID === "fay-gone" ? 410 : 200);
    expect(await publishAll([streamRecord(settingsItem("fay", "eth", {}))])).toEqual([]);
    expect(await itemsNamed(db.table, "fay-gone")).toEqual([]);
    expect(received("fay-there")).toHaveLength(1);
    expect((await connectionsOfUser(db.table, "fay")).map(({ connectionID }) => connectionID)).toEqual([
      "fay-there",
    ]);
    expect(onFault).not.toHaveBeenCalled();
  });

  it("keeps the record of a connection whose handshake may still be under way", async () => {
    await connect("gus", "gus-new", [], new Date(now.getTime() - 29_000));
    await connect("gus", "gus-old", [], new Date(now.getTime() - 31_000));
    api.current.answer = () => 410;
    await publishAll([streamRecord(settingsItem("gus", "eth", {}))]);
    expect((await connectionsOfUser(db.table, "gus")).map(({ connectionID }) => connectionID)).toEqual([
      "gus-new",
    ]);
  });

  it("returns the records to retry, and publishes the others", async () => {
    await connect("hal", "hal-unreachable", channels);
    await connect("ida", "ida-1", channels);
    api.current.answer = ({ connectionID }) => (connectionID === "hal-unreachable" ? 500 : 200);
    const first = streamRecord(executionItem("hal", order()));
    const poison = streamRecord({ ...executionItem("ida", order()), amount: "a lot" });
    const second = streamRecord(settingsItem("hal", "eth", {}));
    const good = streamRecord(executionItem("ida", position()));
    const failed = await publishAll([first, poison, second, good, streamRecord(pricesItem([price()]))]);
    expect(failed.sort()).toEqual([first, poison, second].map(sequenceNumberOf).sort());
    expect(received("ida-1")).toMatchObject([{ channel: "positions" }]);
    expect(handOver).toHaveBeenCalledTimes(4);
    expect(onFault.mock.calls.map(([error]) => error.name).sort()).toEqual(["Undelivered", "ValiError"]);
  });

  it("closes the connection of a client that has stopped reading, without a retry", async () => {
    await connect("kim", "kim-full", channels);
    await connect("kim", "kim-1", channels);
    api.current.answer = ({ connectionID }) => (connectionID === "kim-full" ? 429 : 200);
    expect(await publishAll([streamRecord(settingsItem("kim", "eth", {}))])).toEqual([]);
    expect(received("kim-1")).toHaveLength(1);
    expect(api.current.hungUp).toEqual(["kim-full"]);
    expect((await connectionsOfUser(db.table, "kim")).map(({ connectionID }) => connectionID)).toEqual([
      "kim-1",
    ]);
    expect(await itemsNamed(db.table, "kim-full")).toEqual([]);
  });

  it("sends a batch again to everybody after a crash between two pushes", async () => {
    await connect("joy", "joy-1");
    await connect("joy", "joy-2");
    const records = [streamRecord(settingsItem("joy", "eth", {}))];
    const { promise: never, resolve: afterTheTest } = Promise.withResolvers<number>();
    api.current.answer = ({ connectionID }) => (connectionID === "joy-2" ? never : 200);
    const crashed = publishAll(records);
    await vi.waitUntil(() => api.current.calls.length === 2);
    api.current.answer = () => 200;
    expect(await publishAll(records)).toEqual([]);
    const [once] = received("joy-1");
    for (const connectionID of ["joy-1", "joy-2"]) expect(received(connectionID)).toEqual([once, once]);
    afterTheTest(200);
    await crashed;
  });
});
