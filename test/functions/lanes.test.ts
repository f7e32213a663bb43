import "./environment.ts";
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { BatchGetCommand, DynamoDBDocumentClient, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { Context } from "aws-lambda";
import { mockClient } from "aws-sdk-client-mock";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { handler as executeOrders } from "../../functions/executeOrders/handler.ts";
import { handler as readChains } from "../../functions/readChains/handler.ts";
import { handler as sweepLanes } from "../../functions/sweepLanes/handler.ts";
import { handler as watchTriggers } from "../../functions/watchTriggers/handler.ts";
import { waitingFor } from "../../lib/orders/lane-reservation.ts";
import { isScheduled } from "../../lib/runtime/background.ts";
import type { KeyRange } from "../../lib/table/keys.ts";
import { type WakeEvent, wakeEffect } from "../../lib/trading/execution/wake-effect.ts";
import { laneKey, laneShardsKey, readerLeaseOf, tradeKey } from "../../lib/trading/items/keys.ts";
import { homeShard } from "../../lib/trading/items/lane-places.ts";
import { quietConsole } from "../support/console.ts";

const table = mockClient(DynamoDBDocumentClient);
const lambda = mockClient(LambdaClient);
const logged = quietConsole();

beforeEach(() => {
  table.reset();
  lambda.reset();
});

const lane = { chain: "base", wallet: "0xf39F" } as const;
const queryOf = ({ PK, from, to }: KeyRange) => ({
  ExpressionAttributeValues: { ":pk": PK, ":from": from, ":to": to },
});
const inPartition = (PK: string) => ({ ExpressionAttributeValues: { ":pk": PK } });
const context = { getRemainingTimeInMillis: () => 150_000 } as Context;
const fault = Object.assign(new Error("no"), { name: "Throttled" });

describe("executeOrders", () => {
  const heldByOthers = () => {
    const gone = new ConditionalCheckFailedException({ $metadata: {}, message: "no" });
    table.on(UpdateCommand).rejects(gone).on(BatchGetCommand).resolves({});
  };

  it("claims only the given lane, and then reads only its place if it is gone or held by another run", async () => {
    heldByOthers();
    const lease = { run: "r", epoch: 1, build: "b", startedAtMs: Date.now(), heartbeatMs: Date.now() };
    table.on(QueryCommand, queryOf(readerLeaseOf("base"))).resolves({ Items: [lease] });
    await executeOrders(lane);
    const [taken] = table.commandCalls(UpdateCommand);
    expect(taken?.args[0].input).toMatchObject({ Key: laneKey(lane, homeShard(lane)) });
    expect(table.calls()).toHaveLength(3);
    expect(lambda.calls()).toHaveLength(0);
    expect(logged()).toEqual([]);
  });

  it("starts readChains if no run reads the chain, and continues if that fails", async () => {
    heldByOthers();
    table.on(QueryCommand).resolves({ Items: [] });
    lambda.on(InvokeCommand).rejects(fault);
    await executeOrders(lane);
    const [start] = lambda.commandCalls(InvokeCommand).map(({ args: [{ input }] }) => input);
    expect(start).toMatchObject({ FunctionName: "readChains", InvocationType: "Event" });
    expect(logged()).toEqual([expect.objectContaining({ operation: "executeOrders", error: "Throttled" })]);
  });

  it("requests the data of the job that woke the lane, without waiting for the list of jobs", async () => {
    const job = { orderId: "o1", userID: "alice", token: "0xA0b8" };
    const started = vi.fn(async (_event: WakeEvent) => {});
    await wakeEffect(started, vi.fn()).wake({ lane, job });
    table.on(UpdateCommand).resolves({}).on(QueryCommand).rejects(fault);
    await expect(executeOrders(started.mock.calls[0]?.[0] as WakeEvent)).rejects.toThrow();
    const [read] = table.commandCalls(BatchGetCommand).map(({ args: [{ input }] }) => input);
    const keys = Object.values(read?.RequestItems ?? {})[0]?.Keys;
    expect(keys).toContainEqual(tradeKey("alice", "o1"));
  });

  it("takes a reserved lane only by the reservation, from either of an order's two events", async () => {
    const [queued, direct] = [vi.fn(async (_event: WakeEvent) => {}), vi.fn((_event: WakeEvent) => {})];
    await wakeEffect(queued, vi.fn(), direct).wake({ lane, reservation: "o1" });
    const events = [...queued.mock.calls, ...direct.mock.calls].map(([event]) => event);
    expect(events).toEqual([
      { ...lane, reservation: "o1", ifNotBegun: true },
      { ...lane, reservation: "o1" },
    ]);
    const reserved = { ...laneKey(lane, homeShard(lane)), ...lane, jobs: 1, holder: waitingFor("o1") };
    const Responses = { [process.env.TABLE_NAME ?? ""]: [reserved] };
    table.on(QueryCommand).resolves({ Items: [] }).on(BatchGetCommand).resolves({ Responses });
    table.on(UpdateCommand).rejects(fault);
    for (const event of events) await expect(executeOrders(event)).rejects.toThrow();
    const taken = table.commandCalls(UpdateCommand).map(({ args: [{ input }] }) => input);
    expect(taken.length).toBeGreaterThanOrEqual(2);
    for (const input of taken) {
      expect(input.ConditionExpression).toBeDefined();
      expect(Object.values(input.ExpressionAttributeValues ?? {})).toContain(waitingFor("o1"));
    }
  });

  it("prepares for an order by starting only the signer, with an event that the signer ignores", async () => {
    lambda.on(InvokeCommand).rejects(fault);
    await executeOrders({ prepare: "base" });
    expect(table.calls()).toHaveLength(0);
    const [start, ...others] = lambda.commandCalls(InvokeCommand).map(({ args: [{ input }] }) => input);
    expect(others).toEqual([]);
    expect(start).toMatchObject({ FunctionName: "signTransaction" });
    expect(isScheduled(JSON.parse(String(start?.Payload)))).toBe(true);
    expect(logged()).toEqual([]);
  });

  it("throws, and logs the name of the error", async () => {
    table.on(UpdateCommand).resolves({}).on(QueryCommand).rejects(fault);
    await expect(executeOrders(lane)).rejects.toThrow("executeOrders failed");
    expect(logged()).toContainEqual(
      expect.objectContaining({ operation: "executeOrders", error: "Throttled" }),
    );
  });
});

describe("sweepLanes", () => {
  it("starts executeOrders for each lane of each chain, without waiting for it", async () => {
    table.on(QueryCommand).resolves({ Items: [] });
    table.on(QueryCommand, inPartition(laneKey(lane, homeShard(lane)).PK)).resolves({
      Items: [{ ...laneKey(lane, homeShard(lane)), ...lane, jobs: 1, watch: { jobs: 1, blocks: {} } }],
    });
    lambda.on(InvokeCommand).resolves({ StatusCode: 202 });
    // Gives hosts no time to agree with each other.
    vi.spyOn(AbortSignal, "timeout").mockReturnValue(AbortSignal.abort());
    await sweepLanes();
    // Each of the four chains has two shards, a lease, and two ranges of held tokens. Four shards of subscribers and
    // their note show whether anybody follows markets, and a lease whether resting orders are watched.
    expect(table.commandCalls(QueryCommand)).toHaveLength(26);
    const [start, ...others] = lambda.commandCalls(InvokeCommand).map(({ args: [{ input }] }) => input);
    expect(others).toEqual([]);
    expect(start).toMatchObject({ FunctionName: "executeOrders", InvocationType: "Event" });
    expect(JSON.parse(String(start?.Payload))).toEqual(lane);
    const warning = (error: string, chain: string) => expect.objectContaining({ error, chain });
    const silences = ["eth", "base", "bsc", "avax"].map((chain) => warning("ChainUnavailable", chain));
    expect(logged()).toEqual(expect.arrayContaining([warning("ReaderMissing", "base"), ...silences]));
  });
});

describe("sweepLanes, for markets", () => {
  const follower = { Items: [{ PK: "CHANNEL#markets#2", SK: "CONNECTION#c1" }] };

  const sweep = async (followers: object) => {
    vi.spyOn(AbortSignal, "timeout").mockReturnValue(AbortSignal.abort());
    table.on(QueryCommand).resolves({ Items: [] });
    table.on(QueryCommand, inPartition("CHANNEL#markets#2")).resolves(followers);
    await sweepLanes();
    return lambda.commandCalls(InvokeCommand).map(({ args: [{ input }] }) => input.FunctionName);
  };

  it("starts a run each minute while somebody follows tokens, so that it replaces an older one", async () => {
    lambda.on(InvokeCommand).resolves({ StatusCode: 202 });
    expect(await sweep(follower)).toEqual(["readMarkets"]);
  });

  it("starts no run where nobody follows tokens", async () => {
    expect(await sweep({ Items: [] })).toEqual([]);
  });

  it.each([
    ["that fails", "Throttled", 1],
    ["of a function that does not exist yet", "ResourceNotFoundException", 0],
  ])("logs a start %s as often as it should", async (_, name, count) => {
    lambda.on(InvokeCommand).rejects(Object.assign(new Error("no"), { name }));
    await sweep(follower);
    const line = expect.objectContaining({ operation: "sweepLanes", error: name });
    expect(logged().filter((each) => line.asymmetricMatch(each))).toHaveLength(count);
  });
});

describe("readChains", () => {
  it("writes nothing if no chain has a lane", async () => {
    table.on(QueryCommand).resolves({ Items: [] });
    await readChains({}, context);
    expect(table.commandCalls(QueryCommand)).toHaveLength(12);
    expect(table.calls()).toHaveLength(12);
  });

  it("reads at most 256 shards of a chain, whatever number is stored", async () => {
    table.on(QueryCommand).resolves({ Items: [] });
    const note = { ...laneShardsKey("eth"), shards: 1e9 };
    table.on(QueryCommand, inPartition(note.PK)).resolves({ Items: [note] });
    await readChains({}, context);
    const asked = table.commandCalls(QueryCommand).map(({ args }) => args[0].input.ExpressionAttributeValues);
    expect(new Set(asked.map((values) => values?.[":pk"]).filter((PK) => /^LANES#eth#/.test(PK))).size).toBe(
      256,
    );
  });
});

describe("watchTriggers", () => {
  it("reads the triggers of each chain, and writes nothing if no order rests", async () => {
    table.on(QueryCommand).resolves({ Items: [] });
    await watchTriggers({}, context);
    const asked = table.commandCalls(QueryCommand).map(({ args }) => args[0].input.ExpressionAttributeValues);
    expect(new Set(asked.map((values) => values?.[":pk"]))).toContain("TRIGGERS#eth#7");
    expect(table.calls()).toHaveLength(asked.length);
  });
});
