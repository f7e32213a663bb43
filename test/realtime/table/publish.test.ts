import { setTimeout as pause } from "node:timers/promises";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { addChannels, connectionsOfUser, openConnection } from "../../../lib/aws/connection-records.ts";
import { saveSettings } from "../../../lib/aws/settings-records.ts";
import { giveUpOn, noteMiss } from "../../../lib/aws/stuck-records.ts";
import type { Item } from "../../../lib/aws/table.ts";
import { settingsKey } from "../../../lib/aws/table-keys.ts";
import { type Channel, channels } from "../../../lib/domain/channel.ts";
import { defaultSettings } from "../../../lib/domain/settings.ts";
import type { CatchUp } from "../../../lib/realtime/catch-up.ts";
import { type PublishTimes, publish } from "../../../lib/realtime/publish.ts";
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
const startCatchUp = vi.fn(async (_: CatchUp) => {});
const onFault = vi.fn();
const onMissed = vi.fn();

beforeEach(() => {
  for (const mock of [handOver, startCatchUp, onFault, onMissed]) mock.mockReset();
});

const soon = () => new Date(Date.now() + 60_000);

const publishAll = async (
  records: readonly ReturnType<typeof streamRecord>[],
  times: Partial<PublishTimes> = {},
) => {
  const { pusher } = api.current;
  const publisher = { table: db.table, pusher, shards: 4, handOver, startCatchUp, onFault, onMissed };
  return [...(await publish(publisher, records, { now, deadline: soon(), ...times }))];
};

const caughtUp = () =>
  startCatchUp.mock.calls.flatMap(([{ connections }]) => connections.map(({ connectionID }) => connectionID));

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

  it("sends only the newest settings of each chain", async () => {
    await connect("bea", "bea-1");
    const versions = [1, 2, 3].map((version) => settingsItem("bea", "eth", { version, slippage: version }));
    const ofEth = versions.map((item, index) => streamRecord(item, versions[index - 1]));
    const ofSol = streamRecord(settingsItem("bea", "sol", { version: 7 }));
    const [first, ...others] = ofEth;
    if (first === undefined) throw new Error("No records");
    expect(await publishAll([first, ofSol, ...others])).toEqual([]);
    expect(received("bea-1")).toMatchObject([
      { data: { chain: "eth", version: 3, settings: { slippage: 3 } } },
      { data: { chain: "sol", version: 7 } },
    ]);
  });

  it("serves users with few connections before those with many", async () => {
    for (let index = 0; index < 80; index++) await connect("abe", `abe-${index}`);
    await connect("lea", "lea-1");
    const { promise: lea, resolve } = Promise.withResolvers<void>();
    let answered = 0;
    let answeredBeforeLea = Number.NaN;
    api.current.answer = async ({ connectionID }) => {
      if (connectionID === "lea-1") {
        answeredBeforeLea = answered;
        resolve();
      }
      await Promise.race([lea, pause(2000)]);
      answered++;
      return 200;
    };
    await publishAll(["abe", "lea"].map((userID) => streamRecord(settingsItem(userID, "eth", {}))));
    expect(api.current.calls).toHaveLength(81);
    expect(answeredBeforeLea).toBe(0);
  });

  it("starts no push after the deadline, and returns the records that it did not finish", async () => {
    await connect("mia", "mia-1");
    await connect("ned", "ned-1");
    const records = ["mia", "ned"].map((userID) => streamRecord(settingsItem(userID, "eth", {})));
    expect(await publishAll(records, { deadline: new Date() })).toEqual(records.map(sequenceNumberOf));
    expectOnly();
    expect(onFault.mock.calls.map(([{ name }]) => name)).toEqual(["OutOfTime"]);
    expect(startCatchUp).not.toHaveBeenCalled();
    expect(await publishAll(records)).toEqual([]);
    expectOnly("mia-1", "ned-1");
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

  it("drops records that cannot be read, and publishes the others", async () => {
    await connect("ida", "ida-1", channels);
    const poison = streamRecord({ ...executionItem("ida", order()), amount: "a lot" });
    const noImage = { ...streamRecord(settingsItem("ida", "eth", {})), dynamodb: { SequenceNumber: "1" } };
    const good = streamRecord(executionItem("ida", position()));
    expect(await publishAll([poison, noImage, good])).toEqual([]);
    expect(received("ida-1")).toMatchObject([{ channel: "positions" }]);
    expect(onFault.mock.calls.map(([error]) => error.name).sort()).toEqual(["Error", "ValiError"]);
  });

  it("brings a connection that it cannot reach up to date later, and retries no record for it", async () => {
    await connect("hal", "hal-unreachable", channels);
    await connect("hal", "hal-1", channels);
    await connect("ivy", "ivy-1", channels);
    api.current.answer = ({ connectionID }) => (connectionID === "hal-unreachable" ? 500 : 200);
    const records = ["hal", "ivy"].map((userID) => streamRecord(executionItem(userID, order())));
    expect(await publishAll(records)).toEqual([]);
    expect(received("hal-unreachable")).toHaveLength(2);
    expect(received("hal-1")).toHaveLength(1);
    expect(received("ivy-1")).toHaveLength(1);
    expect(startCatchUp.mock.calls).toEqual([
      [{ connections: [{ userID: "hal", connectionID: "hal-unreachable" }] }],
    ]);
    expect(onMissed.mock.calls).toEqual([[expect.anything(), { connections: 1 }]]);
    expect(onFault).not.toHaveBeenCalled();
  });

  it("tries a connection again before it brings it up to date later", async () => {
    await connect("oda", "oda-1");
    const answers = [429, 200];
    api.current.answer = () => answers.shift() ?? 200;
    expect(await publishAll([streamRecord(settingsItem("oda", "eth", {}))])).toEqual([]);
    expect(received("oda-1")).toHaveLength(2);
    expect(startCatchUp).not.toHaveBeenCalled();
    expect(onMissed).not.toHaveBeenCalled();
  });

  it("returns the records if nobody can be told to bring the connection up to date", async () => {
    await connect("jon", "jon-1");
    await connect("kay", "kay-1");
    api.current.answer = ({ connectionID }) => (connectionID === "jon-1" ? 500 : 200);
    startCatchUp.mockRejectedValue(Object.assign(new Error(), { name: "TooManyRequestsException" }));
    const [first, second] = ["jon", "kay"].map((userID) => streamRecord(settingsItem(userID, "eth", {})));
    if (first === undefined || second === undefined) throw new Error("No records");
    expect(await publishAll([first, second])).toEqual([sequenceNumberOf(first)]);
    expect(onFault.mock.calls.map(([{ name }]) => name)).toEqual(["TooManyRequestsException"]);
  });

  it("does not wait for connections of a user that do not read, nor blame anybody for them", async () => {
    await connect("kim", "kim-1", channels);
    await connect("kim", "kim-2", channels);
    api.current.answer = () => 429;
    const records = [streamRecord(settingsItem("kim", "eth", {}))];
    expect(await publishAll(records)).toEqual([]);
    expect(caughtUp().sort()).toEqual(["kim-1", "kim-2"]);
    // One catch-up at a time.
    expect(await publishAll(records, { now: new Date(now.getTime() + 61_000) })).toEqual([]);
    expect(caughtUp()).toHaveLength(2);
    // Two attempts at first, and then one, so that others do not wait.
    expect(api.current.calls).toHaveLength(6);
    // Nobody was reached, so this may be the account's throttle.
    expect(api.current.hungUp).toEqual([]);
    expect(onFault).not.toHaveBeenCalled();
  });

  it("closes a connection that takes nothing for a minute while others do", async () => {
    await connect("leo", "leo-full", channels);
    await connect("leo", "leo-1", channels);
    api.current.answer = ({ connectionID }) => (connectionID === "leo-full" ? 429 : 200);
    const records = [streamRecord(settingsItem("leo", "eth", {}))];
    for (const ms of [0, 60_000]) await publishAll(records, { now: new Date(now.getTime() + ms) });
    expect(api.current.hungUp).toEqual([]);
    expect(await publishAll(records, { now: new Date(now.getTime() + 60_001) })).toEqual([]);
    expect(api.current.hungUp).toEqual(["leo-full"]);
    expect(await itemsNamed(db.table, "leo-full")).toEqual([]);
    expect(received("leo-1")).toHaveLength(3);
  });

  it("has a connection brought up to date that reads again after it was given up", async () => {
    await connect("max", "max-1");
    const name = { userID: "max", connectionID: "max-1" };
    await noteMiss(db.table, name, now);
    await publishAll([streamRecord(settingsItem("max", "eth", {}))]);
    expect(caughtUp()).toEqual([]);
    await giveUpOn(db.table, name);
    await publishAll([streamRecord(settingsItem("max", "eth", { version: 2 }))]);
    expect(caughtUp()).toEqual(["max-1"]);
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
