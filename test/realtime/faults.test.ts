import {
  ApiGatewayManagementApiClient,
  GoneException,
  PostToConnectionCommand,
} from "@aws-sdk/client-apigatewaymanagementapi";
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { mockClient } from "aws-sdk-client-mock";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { openPusher } from "../../lib/aws/push.ts";
import { deliverToShard } from "../../lib/realtime/deliver.ts";
import { connectionKey } from "../../lib/realtime/item-keys.ts";
import { publish } from "../../lib/realtime/publish.ts";
import { subscribe } from "../../lib/realtime/subscribe.ts";
import { openTable } from "../../lib/table/table.ts";
import { order, price } from "../support/executions.ts";
import {
  executionItem,
  pricesItem,
  sequenceNumberOf,
  settingsItem,
  streamRecord,
} from "../support/stream.ts";

const db = mockClient(DynamoDBDocumentClient);
const api = mockClient(ApiGatewayManagementApiClient);
const table = openTable("table", { region: "us-east-1" });
const pusher = openPusher({ endpoint: "http://127.0.0.1:1", region: "us-east-1" });
const handOver = vi.fn(async () => {});
const startCatchUp = vi.fn(async () => {});
const putNotice = vi.fn(async () => {});
const onFault = vi.fn();
const onMissed = vi.fn();

const now = new Date("2026-11-21T09:05:00.000Z");
const fault = (name: string) => Object.assign(new Error("secret"), { name });
const gone = () => new GoneException({ $metadata: {}, message: "Gone" });
const throttled = fault("ProvisionedThroughputExceededException");

const connectionOf = (userID: string) => ({
  ...connectionKey(userID, `${userID}-1`),
  userID,
  connectionId: `${userID}-1`,
  shard: 0,
  connectedAt: "2026-11-21T09:00:00.000Z",
  channels: new Set(["orders"]),
});

const publishAll = async (records: Parameters<typeof publish>[1]) => {
  const publisher = {
    table,
    pusher,
    occupiedShards: async () => [0, 1],
    handOver,
    startFeed: handOver,
    startCatchUp,
    putNotice,
    onFault,
    onMissed,
  };
  const deadline = new Date(Date.now() + 60_000);
  return [...(await publish(publisher, records, { now, deadline }))];
};

const faults = () => onFault.mock.calls.map(([error]) => error.name);
const posted = () =>
  api.commandCalls(PostToConnectionCommand).map(({ args: [{ input }] }) => input.ConnectionId);

beforeEach(() => {
  db.reset();
  api.reset();
  for (const mock of [handOver, startCatchUp, onFault, onMissed]) mock.mockReset();
  api.on(PostToConnectionCommand).resolves({});
  db.on(QueryCommand).callsFake(({ ExpressionAttributeValues }) => ({
    Items: [connectionOf(ExpressionAttributeValues[":pk"].slice("CONNECTIONS#".length))],
  }));
});

describe("publish", () => {
  const ofAnn = [streamRecord(executionItem("ann", order())), streamRecord(settingsItem("ann", "eth", {}))];
  const ofBob = streamRecord(executionItem("bob", order()));
  const prices = streamRecord(pricesItem([price()]));

  it("fails only the records of a user whose connections cannot be read", async () => {
    db.on(QueryCommand, { ExpressionAttributeValues: { ":pk": "CONNECTIONS#ann" } }, false).rejects(
      throttled,
    );
    const [first, second] = ofAnn;
    const failed = await publishAll([first, ofBob, second, prices].filter((record) => record !== undefined));
    expect(failed.sort()).toEqual(ofAnn.map(sequenceNumberOf).sort());
    expect(posted()).toEqual(["bob-1"]);
    expect(handOver).toHaveBeenCalledTimes(2);
    expect(faults()).toEqual(["ProvisionedThroughputExceededException"]);
  });

  it("reads a user's connections once for all of their records", async () => {
    expect(await publishAll([...ofAnn, ofBob])).toEqual([]);
    expect(db.commandCalls(QueryCommand)).toHaveLength(2);
    expect(posted().sort()).toEqual(["ann-1", "ann-1", "bob-1"]);
  });

  it("retries nothing if a shard does not get the prices, because newer prices follow", async () => {
    handOver.mockResolvedValueOnce().mockRejectedValueOnce(fault("TooManyRequestsException"));
    expect(await publishAll([prices, ofBob])).toEqual([]);
    expect(posted()).toEqual(["bob-1"]);
    expect(faults()).toEqual(["TooManyRequestsException"]);
  });

  it("succeeds if a closed connection cannot be removed, and removes the others", async () => {
    api.on(PostToConnectionCommand).rejects(gone());
    db.on(DeleteCommand).rejectsOnce(throttled).resolves({});
    expect(await publishAll([...ofAnn, ofBob])).toEqual([]);
    expect(db.commandCalls(DeleteCommand)).toHaveLength(2);
    expect(faults()).toEqual(["ProvisionedThroughputExceededException"]);
  });

  it("updates a connection even if its missed message cannot be recorded", async () => {
    api.on(PostToConnectionCommand).rejects(fault("InternalServerError"));
    db.on(UpdateCommand).rejects(throttled);
    expect(await publishAll([ofBob])).toEqual([]);
    expect(startCatchUp).toHaveBeenCalledExactlyOnceWith({
      connections: [{ userID: "bob", connectionId: "bob-1" }],
    });
    expect(faults()).toEqual(["InternalServerError", "ProvisionedThroughputExceededException"]);
  });
});

describe("deliverToShard", () => {
  const deliver = (ageMs = 0) =>
    deliverToShard(
      { table, pusher, onFault, onMissed },
      { shard: 0, update: { type: "update", channel: "prices", time: now.toISOString(), data: [price()] } },
      { now: new Date(now.getTime() + ageMs) },
    );

  it("continues if a closed connection cannot be removed", async () => {
    db.on(QueryCommand).resolves({ Items: [connectionOf("ann"), connectionOf("bob")] });
    api.on(PostToConnectionCommand).rejects(gone());
    db.on(DeleteCommand).resolves({});
    db.on(DeleteCommand, { Key: { PK: "CONNECTIONS#ann", SK: "CONNECTION#ann-1" } }).rejects(throttled);
    expect(await deliver()).toEqual({ superseded: false, undelivered: 0 });
    const deleted = db.commandCalls(DeleteCommand).map(({ args: [{ input }] }) => input.Key);
    expect(deleted).toContainEqual({ PK: "CHANNEL#prices#0", SK: "CONNECTION#bob-1" });
    expect(deleted).not.toContainEqual({ PK: "CHANNEL#prices#0", SK: "CONNECTION#ann-1" });
    expect(faults()).toEqual(["ProvisionedThroughputExceededException"]);
  });

  it("throws if the subscribers cannot be read", async () => {
    db.on(QueryCommand).rejects(throttled);
    await expect(deliver()).rejects.toBe(throttled);
  });

  it("throws and sends nothing if a late update cannot be compared with the latest prices", async () => {
    db.on(QueryCommand).resolves({ Items: [connectionOf("ann")] });
    db.on(GetCommand).rejects(throttled);
    await expect(deliver(60_000)).rejects.toBe(throttled);
    expect(posted()).toEqual([]);
  });
});

describe("subscribe", () => {
  const request = { userID: "ann", connectionId: "ann-1", channels: ["orders", "prices"], now };

  it("sends every requested snapshot when repeated after a fault", async () => {
    const kept = { ...connectionOf("ann"), channels: new Set(["orders"]) };
    db.on(GetCommand, { Key: { PK: "LOCK#ann", SK: "LOCK" } }).resolves({});
    db.on(GetCommand, { Key: { PK: "PRICES", SK: "LATEST" } })
      .rejectsOnce(throttled)
      .resolves({});
    db.on(GetCommand, { Key: { PK: "CONNECTIONS#ann", SK: "CONNECTION#ann-1" } }).callsFake(() => ({
      Item: kept,
    }));
    db.on(QueryCommand).resolves({ Items: [] });
    db.on(TransactWriteCommand).callsFake(() => {
      kept.channels = new Set(["orders", "prices"]);
      return {};
    });
    await expect(subscribe(table, request)).rejects.toBe(throttled);
    expect(await subscribe(table, request)).toMatchObject([
      { type: "subscriptions", channels: ["orders", "prices"] },
      { type: "snapshot", channel: "orders" },
      { type: "snapshot", channel: "prices" },
    ]);
    expect(db.commandCalls(TransactWriteCommand)).toHaveLength(1);
  });
});
