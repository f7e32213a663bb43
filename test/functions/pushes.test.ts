import "./environment.ts";
import {
  ApiGatewayManagementApiClient,
  LimitExceededException,
  PostToConnectionCommand,
} from "@aws-sdk/client-apigatewaymanagementapi";
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { DynamoDBDocumentClient, GetCommand, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { Context } from "aws-lambda";
import { mockClient } from "aws-sdk-client-mock";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { handler as catchUp } from "../../functions/catchUp/handler.ts";
import { handler as deliver } from "../../functions/deliver/handler.ts";
import { handler as publishChanges } from "../../functions/publishChanges/handler.ts";
import type { MarketDelivery } from "../../lib/markets/core/market-delivery.ts";
import type { ChannelDelivery } from "../../lib/realtime/deliver.ts";
import { quietConsole } from "../support/console.ts";
import { order, price } from "../support/executions.ts";
import { shortPausesForTests } from "../support/short-pauses.ts";
import { executionItem, pricesItem, streamRecord } from "../support/stream.ts";
import { connectionItem } from "../support/websocket-events.ts";

const table = mockClient(DynamoDBDocumentClient);
const api = mockClient(ApiGatewayManagementApiClient);
const lambda = mockClient(LambdaClient);

const logged = quietConsole();
shortPausesForTests();

const context = { getRemainingTimeInMillis: () => 30_000 } as Context;

beforeEach(() => {
  for (const mock of [table, api, lambda]) mock.reset();
});

const posted = () =>
  api.commandCalls(PostToConnectionCommand).map(({ args: [{ input }] }) => JSON.parse(String(input.Data)));

const priceDelivery = (): ChannelDelivery => ({
  shard: 0,
  update: { type: "update", channel: "prices", time: new Date().toISOString(), data: [price()] },
});

describe("publishChanges and deliver", () => {
  it("invokes one delivery of new prices per occupied shard, and the market reader, without waiting", async () => {
    lambda.on(InvokeCommand).resolves({ StatusCode: 202 });
    const occupied = ["CHANNEL#prices#0", "CHANNEL#prices#2", "CHANNEL#markets#1"];
    table.on(QueryCommand).callsFake(({ ExpressionAttributeValues: { ":pk": PK, ":from": from } }) => ({
      Items: from.startsWith("CONNECTION") && occupied.includes(PK) ? [{ PK }] : [],
    }));
    const Records = [streamRecord(pricesItem([price()], { startedAt: new Date().toISOString() }))];
    expect(await publishChanges({ Records }, context)).toEqual({ batchItemFailures: [] });
    const calls = lambda.commandCalls(InvokeCommand).map(({ args: [{ input }] }) => input);
    expect(calls.map(({ FunctionName, InvocationType }) => [FunctionName, InvocationType]).sort()).toEqual([
      ["deliver", "Event"],
      ["deliver", "Event"],
      ["readMarkets", "Event"],
    ]);
    const payloads = calls
      .filter(({ FunctionName }) => FunctionName === "deliver")
      .map(({ Payload }) => JSON.parse(String(Payload)));
    expect(payloads.map(({ shard }) => shard)).toEqual([0, 2]);

    api.on(PostToConnectionCommand).resolves({});
    table.on(QueryCommand).resolves({ Items: [connectionItem] });
    await deliver(payloads[1], context);
    expect(logged()).toEqual([]);
    const query = table.commandCalls(QueryCommand).at(-1);
    expect(query?.args[0].input.ExpressionAttributeValues).toMatchObject({ ":pk": "CHANNEL#prices#2" });
    expect(posted()).toEqual([
      { type: "update", channel: "prices", time: expect.any(String), data: [price()] },
    ]);
  });

  it("if no connection could be reached, logs an error with its cause, which raises the alarm", async () => {
    const cause = Object.assign(new Error("secret"), {
      name: "ForbiddenException",
      $metadata: { requestId: "r1", attempts: 1 },
    });
    api.on(PostToConnectionCommand).rejects(cause);
    table.on(QueryCommand).resolves({ Items: [connectionItem, { ...connectionItem, connectionId: "c2" }] });
    await deliver(priceDelivery(), context);
    const line = { operation: "deliver", error: "ForbiddenException", awsRequestId: "r1", attempts: 1 };
    expect(vi.mocked(console.error).mock.calls).toEqual([[{ ...line, connections: 2 }]]);
    expect(vi.mocked(console.warn).mock.calls).toEqual([
      [{ operation: "deliver", channel: "prices", superseded: false, undelivered: 2 }],
    ]);
  });

  it("warns with the cause and the number of unreachable subscribers", async () => {
    const refused = new LimitExceededException({
      message: "secret",
      $metadata: { requestId: "r2", attempts: 1 },
    });
    api.on(PostToConnectionCommand).resolves({});
    api.on(PostToConnectionCommand, { ConnectionId: "c2" }).rejects(refused);
    table.on(QueryCommand).resolves({ Items: [connectionItem, { ...connectionItem, connectionId: "c2" }] });
    await deliver(priceDelivery(), context);
    expect(vi.mocked(console.error)).not.toHaveBeenCalled();
    expect(logged()).toEqual([
      {
        operation: "deliver",
        error: "LimitExceededException",
        awsRequestId: "r2",
        attempts: 1,
        connections: 1,
      },
      { operation: "deliver", channel: "prices", superseded: false, undelivered: 1 },
    ]);
  });
});

describe("deliver for the market reader", () => {
  const token = { chain: "base", token: "0x1" } as const;
  const asOf = "2026-11-21T09:05:00.000Z";
  const marketDelivery = (atMs = Date.now()): MarketDelivery => ({
    shard: 3,
    markets: {
      atMs,
      heads: { base: { block: 57, time: asOf } },
      coins: [],
      records: [{ record: { ...token, flags: [], revision: 0, block: 57, asOf }, changedAtMs: atMs }],
      fast: { sinceMs: 0, least: "changes" },
      slow: { sinceMs: 0, least: "changes", phase: 0 },
      newConnections: [],
      listSinceMs: atMs,
    },
  });
  const follower = { ...connectionItem, every: 1, tokens: [token] };

  it("returns the outcome, and warns if connections were not reached", async () => {
    table.on(QueryCommand).resolves({ Items: [follower] });
    api.on(PostToConnectionCommand).resolves({});
    expect(await deliver(marketDelivery(), context)).toEqual({
      isDelivered: true,
      reached: 1,
      undelivered: 0,
    });
    const query = table.commandCalls(QueryCommand).at(-1);
    expect(query?.args[0].input.ExpressionAttributeValues).toMatchObject({ ":pk": "CHANNEL#markets#3" });
    expect(posted()).toMatchObject([
      { type: "update", channel: "prices", data: [{ token: "0x1", block: 57 }] },
    ]);
    expect(logged()).toEqual([]);
    const late = { isDelivered: false, reached: 0, undelivered: 0 };
    expect(await deliver(marketDelivery(Date.now() - 3000), context)).toEqual(late);
    expect(logged()).toEqual([{ operation: "deliver", audience: "markets", ...late }]);
  });

  it("throws if it cannot read the subscribers", async () => {
    table.on(QueryCommand).rejects(new Error("secret"));
    await expect(deliver(marketDelivery(Date.now() + 1), context)).rejects.toThrow("deliver failed");
  });
});

describe("catchUp", () => {
  it("sends the current state to a connection that missed a change", async () => {
    lambda.on(InvokeCommand).resolves({ StatusCode: 202 });
    table.on(UpdateCommand).resolves({ Attributes: { misses: 1 } });
    const behind = { ...connectionItem, channels: new Set(["orders"]) };
    table.on(QueryCommand).resolves({ Items: [behind] });
    table.on(GetCommand).resolves({});
    const fault = new Error("secret");
    api.on(PostToConnectionCommand).rejectsOnce(fault).rejectsOnce(fault).resolves({});
    const Records = [streamRecord(executionItem("alice", order()))];
    expect(await publishChanges({ Records }, context)).toEqual({ batchItemFailures: [] });
    const [invoked] = lambda.commandCalls(InvokeCommand).map(({ args: [{ input }] }) => input);
    expect(invoked).toMatchObject({ FunctionName: "catchUp", InvocationType: "Event" });
    const event = JSON.parse(String(invoked?.Payload));
    expect(event).toEqual({ connections: [{ userID: "alice", connectionId: "c1" }] });

    const stored: Record<string, object[]> = {
      "CONNECTION#": [behind],
      "ORDER#": [executionItem("alice", order())],
    };
    table.on(QueryCommand).callsFake(({ ExpressionAttributeValues }) => ({
      Items: stored[ExpressionAttributeValues[":from"]] ?? [],
    }));
    await catchUp(event, context);
    expect(posted().at(-1)).toMatchObject({ type: "snapshot", channel: "orders" });
  });
});
