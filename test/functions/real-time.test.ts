import "./environment.ts";
import {
  ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  GoneException,
  PostToConnectionCommand,
} from "@aws-sdk/client-apigatewaymanagementapi";
import { TransactionConflictException } from "@aws-sdk/client-dynamodb";
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import type { Context } from "aws-lambda";
import { mockClient } from "aws-sdk-client-mock";
import { beforeEach, describe, expect, it } from "vitest";
import { handler as authorizeConnection } from "../../functions/authorizeConnection/handler.ts";
import { handler as connect } from "../../functions/connect/handler.ts";
import { handler as deliver } from "../../functions/deliver/handler.ts";
import { handler as disconnect } from "../../functions/disconnect/handler.ts";
import { handler as ping } from "../../functions/ping/handler.ts";
import { handler as publishChanges } from "../../functions/publishChanges/handler.ts";
import { handler as recordExecutions } from "../../functions/recordExecutions/handler.ts";
import { handler as subscribe } from "../../functions/subscribe/handler.ts";
import { handler as unknownMessage } from "../../functions/unknownMessage/handler.ts";
import { handler as unsubscribe } from "../../functions/unsubscribe/handler.ts";
import type { Price } from "../../lib/prices/price.ts";
import type { ChannelDelivery } from "../../lib/realtime/deliver.ts";
import { quietConsole } from "../support/console.ts";
import { authorizerEvent } from "../support/events.ts";
import { order, price } from "../support/executions.ts";
import { shortPausesForTests } from "../support/short-pauses.ts";
import { executionItem, sequenceNumberOf, streamRecord } from "../support/stream.ts";
import { connectEvent, connectionItem, disconnectEvent, messageEvent } from "../support/websocket-events.ts";

const table = mockClient(DynamoDBDocumentClient);
const api = mockClient(ApiGatewayManagementApiClient);
const lambda = mockClient(LambdaClient);

const logged = quietConsole();
shortPausesForTests();

beforeEach(() => {
  for (const mock of [table, api, lambda]) mock.reset();
  table.on(GetCommand).resolves({});
  table
    .on(GetCommand, { Key: { PK: "CONNECTIONS#alice", SK: "CONNECTION#c1" } })
    .resolves({ Item: connectionItem });
  table.on(GetCommand, { Key: { PK: "USER#alice", SK: "PROFILE" } }).resolves({ Item: { tier: "Base" } });
  table.on(QueryCommand).resolves({ Items: [] });
  table.on(DeleteCommand).resolves({});
  table.on(PutCommand).resolves({});
  table.on(UpdateCommand).resolves({});
  table.on(TransactWriteCommand).resolves({});
});

const context = { getRemainingTimeInMillis: () => 30_000 } as Context;

const writes = () =>
  [DeleteCommand, PutCommand, TransactWriteCommand].flatMap((command) =>
    table.commandCalls(command as typeof PutCommand),
  );
const posted = () =>
  api.commandCalls(PostToConnectionCommand).map(({ args: [{ input }] }) => JSON.parse(String(input.Data)));

describe("the connection functions", () => {
  it("registers a connection in one of the shards, for its longest duration", async () => {
    const event = connectEvent({ "Sec-WebSocket-Protocol": "access_token, a.b.c" });
    expect(await connect(event)).toEqual({
      statusCode: 200,
      headers: { "Sec-WebSocket-Protocol": "access_token" },
    });
    const [put] = table.commandCalls(PutCommand);
    expect(put?.args[0].input.Item).toEqual({ ...connectionItem, shard: expect.any(Number) });
    expect([0, 1, 2, 3]).toContain(put?.args[0].input.Item?.shard);
  });

  it("removes a connection when it ends", async () => {
    table
      .on(DeleteCommand)
      .resolvesOnce({ Attributes: { ...connectionItem, channels: new Set(["prices"]) } });
    expect(await disconnect(disconnectEvent())).toEqual({ statusCode: 200 });
    expect(table.commandCalls(DeleteCommand).map(({ args: [{ input }] }) => input.Key)).toEqual([
      { PK: "CONNECTIONS#alice", SK: "CONNECTION#c1" },
      { PK: "CHANNEL#prices#2", SK: "CONNECTION#c1" },
    ]);
  });

  it.each([0, 1])("removes a connection even if delete %i conflicts with a transaction", async (index) => {
    const conflict = new TransactionConflictException({ $metadata: {}, message: "conflict" });
    const answers = [{ Attributes: { ...connectionItem, channels: new Set(["prices"]) } }, {}];
    let calls = 0;
    table.on(DeleteCommand).callsFake(() => {
      if (calls++ === index) throw conflict;
      return answers.shift();
    });
    expect(await disconnect(disconnectEvent())).toEqual({ statusCode: 200 });
    expect(calls).toBe(3);
    expect(logged()).toEqual([]);
  });

  it("ignores messages of type $connect and $disconnect", async () => {
    await connect(messageEvent({ type: "$connect" }, "$connect"));
    await disconnect(messageEvent({ type: "$disconnect" }, "$disconnect"));
    expect(writes()).toEqual([]);
  });

  it.each([
    ["nothing", {}],
    ["a bad token", { Authorization: "Bearer secret" }],
    [
      "a cookie, from a page of another site",
      { Cookie: "__Host-access_token=secret", Origin: "https://evil.example" },
    ],
  ])("throws Unauthorized for %s, and logs nothing", async (_, headers) => {
    await expect(authorizeConnection(authorizerEvent(headers))).rejects.toThrow(/^Unauthorized$/);
    expect(logged()).toEqual([]);
  });
});

describe("the message functions", () => {
  it("returns the reply as its result if it cannot push", async () => {
    expect(JSON.parse((await ping(messageEvent({ type: "ping" }))).body ?? "")).toMatchObject({
      type: "pong",
    });
    expect(JSON.parse((await unknownMessage(messageEvent("{"))).body ?? "").code).toBe("INVALID_JSON");
    expect(posted()).toEqual([]);
  });

  it("pushes even a single reply if it can", async () => {
    api.on(PostToConnectionCommand).resolves({});
    const event = messageEvent({ type: "unsubscribe", id: "u1", channels: ["orders"] });
    expect(await unsubscribe(event)).toEqual({ statusCode: 200 });
    expect(posted()).toEqual([{ type: "subscriptions", id: "u1", channels: [], time: expect.any(String) }]);
  });

  it("pushes several replies in order", async () => {
    api.on(PostToConnectionCommand).resolves({});
    // This user has no announced export.
    table
      .on(QueryCommand)
      .resolvesOnce({ Items: [] })
      .resolves({ Items: [executionItem("alice", order())] });
    const channels = ["orders", "trades", "prices"];
    expect(await subscribe(messageEvent({ type: "subscribe", id: 5, channels }))).toEqual({
      statusCode: 200,
    });
    expect(posted()).toMatchObject([
      { type: "error", id: 5, code: "UNKNOWN_CHANNEL" },
      { type: "subscriptions", id: 5, channels: ["orders", "prices"] },
      { type: "snapshot", channel: "orders", data: [order()] },
      { type: "snapshot", channel: "prices", data: [] },
    ]);
  });

  it("starts the market reader for the first tokens, without waiting for it", async () => {
    api.on(PostToConnectionCommand).resolves({});
    lambda.on(InvokeCommand).resolves({ StatusCode: 202 });
    const tokens = [{ chain: "base", token: "0x5fbdb2315678afecb367f032d93f642f64180aa3" }];
    const event = messageEvent({ type: "subscribe", channels: ["prices"], tokens });
    for (let message = 0; message < 2; message++) expect(await subscribe(event)).toEqual({ statusCode: 200 });
    expect(posted()).toMatchObject([
      { type: "subscriptions", every: 1, tokens: [{ token: "0x5FbDB2315678afecb367f032d93F642f64180aa3" }] },
      { type: "snapshot" },
      { type: "subscriptions" },
      { type: "snapshot" },
    ]);
    const [start, ...others] = lambda.commandCalls(InvokeCommand).map(({ args: [{ input }] }) => input);
    expect(start).toEqual({ FunctionName: "readMarkets", InvocationType: "Event", Payload: "{}" });
    // The market reader was started a moment ago.
    expect(others).toEqual([]);
  });

  it("sends the snapshot when a request is repeated after a failed push", async () => {
    let kept: object = connectionItem;
    table
      .on(GetCommand, { Key: { PK: "CONNECTIONS#alice", SK: "CONNECTION#c1" } })
      .callsFake(() => ({ Item: kept }));
    table.on(TransactWriteCommand).callsFake(() => {
      kept = { ...connectionItem, channels: new Set(["orders"]) };
      return {};
    });
    const event = messageEvent({ type: "subscribe", channels: ["orders"] });
    api.on(PostToConnectionCommand).rejects(new Error("no"));
    expect(await subscribe(event)).toEqual({ statusCode: 500 });

    api.reset();
    api.on(PostToConnectionCommand).resolves({});
    expect(await subscribe(event)).toEqual({ statusCode: 200 });
    expect(posted()).toMatchObject([{ type: "subscriptions" }, { type: "snapshot", channel: "orders" }]);
  });

  it.each([
    ["subscribe", subscribe],
    ["unsubscribe", unsubscribe],
    ["ping", ping],
    ["trade", unknownMessage],
  ])("closes a connection that sends too many messages of type %s", async (type, handler) => {
    api.on(PostToConnectionCommand).resolves({});
    api.on(DeleteConnectionCommand).resolves({});
    const event = messageEvent({ type, channels: [] });
    event.requestContext.connectionId = `flood of ${type}`;
    while (api.commandCalls(DeleteConnectionCommand).length === 0) await handler(event);
    expect(posted().filter(({ code }) => code === "RATE_LIMITED")).toHaveLength(1);
  });

  it("logs no error if the connection has closed in the meantime", async () => {
    api.on(PostToConnectionCommand).rejects(new GoneException({ $metadata: {}, message: "Gone" }));
    const event = messageEvent({ type: "subscribe", channels: ["orders"] });
    expect(await subscribe(event)).toEqual({ statusCode: 200 });
    expect(logged()).toEqual([]);
  });
});

/** Makes the event that publishChanges passes on. */
const priceDelivery = (changes: Partial<Price> = {}): ChannelDelivery => ({
  shard: 0,
  update: { type: "update", channel: "prices", time: new Date().toISOString(), data: [price(changes)] },
});

describe("a DynamoDB failure", () => {
  const secret = "4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318";
  const record = streamRecord(executionItem("alice", order({ reason: secret })));
  const pushed = { statusCode: 200 };
  const asking = (type: string) => messageEvent({ type, id: secret, channels: ["orders", secret] });

  beforeEach(() => {
    const fault = Object.assign(new Error(`could not handle ${secret}`), {
      name: "InternalServerError",
      $metadata: { requestId: "r1", attempts: 3 },
    });
    for (const command of [GetCommand, QueryCommand, PutCommand, DeleteCommand, TransactWriteCommand])
      table.on(command as typeof PutCommand).rejects(fault);
    table.on(GetCommand, { Key: { PK: "CONNECTIONS#alice", SK: "CONNECTION#c1" } }).rejects(fault);
    table.on(GetCommand, { Key: { PK: "USER#alice", SK: "PROFILE" } }).rejects(fault);
  });

  it.each<[string, () => Promise<unknown>, unknown]>([
    ["connect", () => connect(connectEvent({ Authorization: `Bearer ${secret}` })), { statusCode: 500 }],
    ["disconnect", () => disconnect(disconnectEvent()), { statusCode: 500 }],
    ["subscribe", () => subscribe(asking("subscribe")), pushed],
    ["unsubscribe", () => unsubscribe(asking("unsubscribe")), pushed],
    [
      "publishChanges",
      () => publishChanges({ Records: [record] }, context),
      { batchItemFailures: [{ itemIdentifier: sequenceNumberOf(record) }] },
    ],
    [
      "deliver",
      () => deliver(priceDelivery({ source: secret }), context).catch(({ message }) => message),
      "deliver failed",
    ],
    [
      "recordExecutions",
      () => recordExecutions({ records: [{ kind: "order", userID: secret, ...order({ reason: secret }) }] }),
      { results: [expect.objectContaining({ index: 0, status: "failed" })] },
    ],
  ])(
    "responds to a DynamoDB failure in the form of %s, and logs only its name",
    async (operation, call, expected) => {
      const result = await call();
      expect(result).toEqual(expected);
      expect(logged()).toEqual([
        { operation, error: "InternalServerError", awsRequestId: "r1", attempts: 3 },
      ]);
      const replies = posted();
      expect(replies).toEqual(
        expected === pushed ? [expect.objectContaining({ code: "INTERNAL_ERROR" })] : [],
      );
      const unasked = replies.map(({ id: _, ...rest }) => rest);
      expect(JSON.stringify([unasked, logged()])).not.toContain(secret.slice(0, 8));
    },
  );
});
