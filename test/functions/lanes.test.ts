import "./environment.ts";
import { ConditionalCheckFailedException, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import {
  DynamoDBDocumentClient,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import type { Context } from "aws-lambda";
import { mockClient } from "aws-sdk-client-mock";
import { beforeEach, describe, expect, it } from "vitest";
import { handler as executeOrders } from "../../functions/executeOrders/handler.ts";
import { handler as sweepLanes } from "../../functions/sweepLanes/handler.ts";
import { handler as watchReceipts } from "../../functions/watchReceipts/handler.ts";
import { laneKey, lanesOf } from "../../lib/trading/items/keys.ts";
import { quietConsole } from "../support/console.ts";

const table = mockClient(DynamoDBDocumentClient);
const lambda = mockClient(LambdaClient);
const logged = quietConsole();

beforeEach(() => {
  table.reset();
  lambda.reset();
});

const lane = { chain: "base", wallet: "0xf39F" } as const;
const context = { getRemainingTimeInMillis: () => 150_000 } as Context;
const fault = Object.assign(new Error("no"), { name: "Throttled" });

describe("executeOrders", () => {
  it("takes one lane, and reads nothing if it is gone or another run has it", async () => {
    const CancellationReasons = [{ Code: "ConditionalCheckFailed" }];
    const gone = new TransactionCanceledException({ $metadata: {}, message: "no", CancellationReasons });
    table.on(TransactWriteCommand).rejects(gone);
    await executeOrders(lane);
    const [taken] = table.commandCalls(TransactWriteCommand);
    expect(taken?.args[0].input.TransactItems).toEqual([
      { Update: expect.objectContaining({ Key: laneKey(lane) }) },
    ]);
    expect(table.calls()).toHaveLength(1);
    expect(logged()).toEqual([]);
  });

  it("fails with the name of its error", async () => {
    table.on(TransactWriteCommand).resolves({}).on(QueryCommand).rejects(fault);
    await expect(executeOrders(lane)).rejects.toThrow("executeOrders failed");
    expect(logged()).toEqual([expect.objectContaining({ operation: "executeOrders", error: "Throttled" })]);
  });
});

describe("sweepLanes", () => {
  it("starts executeOrders for each lane of each chain, without waiting for it", async () => {
    const [shard] = lanesOf("base");
    table.on(QueryCommand).resolves({ Items: [] });
    table
      .on(QueryCommand, {
        ExpressionAttributeValues: { ":pk": shard?.PK, ":from": shard?.from, ":to": shard?.to },
      })
      .resolves({ Items: [{ ...laneKey(lane), ...lane, jobs: 1, watch: { jobs: 1, blocks: {} } }] });
    lambda.on(InvokeCommand).resolves({ StatusCode: 202 });
    await sweepLanes();
    // Each of the four chains has two shards.
    expect(table.commandCalls(QueryCommand)).toHaveLength(8);
    const [start, ...others] = lambda.commandCalls(InvokeCommand).map(({ args: [{ input }] }) => input);
    expect(others).toEqual([]);
    expect(start).toMatchObject({ FunctionName: "executeOrders", InvocationType: "Event" });
    expect(JSON.parse(String(start?.Payload))).toEqual(lane);
  });
});

describe("watchReceipts", () => {
  it("leaves every chain to a newer run", async () => {
    table.on(UpdateCommand).rejects(new ConditionalCheckFailedException({ $metadata: {}, message: "no" }));
    await watchReceipts({ id: "e1", time: "2026-11-21T09:00:00Z" }, context);
    const leases = table.commandCalls(UpdateCommand).map(({ args: [{ input }] }) => input);
    expect(leases.map(({ Key }) => Key?.SK)).toEqual([
      "WATCHER#eth",
      "WATCHER#base",
      "WATCHER#bsc",
      "WATCHER#avax",
    ]);
    for (const { ExpressionAttributeValues: values } of leases)
      expect(Object.values(values ?? {})[0]).toMatch(/^2026-11-21T09:00:00\.000Z#e1#/);
    expect(table.calls()).toHaveLength(4);
  });
});
