import { setImmediate as turn } from "node:timers/promises";
import {
  ApiGatewayManagementApiClient,
  PostToConnectionCommand,
} from "@aws-sdk/client-apigatewaymanagementapi";
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import type { Context } from "aws-lambda";
import { mockClient } from "aws-sdk-client-mock";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { pricesKey } from "../../lib/prices/item-keys.ts";
import { openConnection } from "../../lib/realtime/connection-records.ts";
import type { Item } from "../../lib/table/table.ts";
import { type Engine, engineStart, startTable } from "../support/dynamodb.ts";
import { freshHandler } from "../support/fresh-handler.ts";
import { functionEnvironment } from "../support/function-environment.ts";
import { streamRecord } from "../support/stream.ts";
import { messageEvent } from "../support/websocket-events.ts";
import { ScriptedSocket } from "./support/scripted-sockets.ts";

// Runs the real functions on a real table. Virtual time passes only while no function waits for the table. This file
// simulates Lambda, the table's stream, the venue and the gateway of connections.

type Invocations = Partial<Record<string, number>>;

type Handler = (event: never, context: Context) => Promise<unknown>;

let engine: Engine;
let handlers: Record<"subscribe" | "unsubscribe" | "publishChanges" | "deliver" | "feedPrices", Handler>;
let asking = 0;
let invocations: Invocations = {};
const sockets: ScriptedSocket[] = [];
const lambda = mockClient(LambdaClient);
const api = mockClient(ApiGatewayManagementApiClient);
const context = { getRemainingTimeInMillis: () => 900_000 } as Context;

function invoke(name: keyof typeof handlers, event: unknown): Promise<unknown> {
  invocations[name] = (invocations[name] ?? 0) + 1;
  return handlers[name](event as never, context);
}

beforeEach(async () => {
  engine = await startTable();
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: Date.now() });
  const environment = {
    ...functionEnvironment,
    TABLE_NAME: engine.table.name,
    PRICE_FEEDS: JSON.stringify([{ source: "coinbase", venue: "coinbase", url: "wss://venue.example" }]),
    PRICES_EVERY_SECONDS: "10",
    CHANNEL_SHARDS: "1",
    AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI: "http://127.0.0.1:1",
    ...engine.environment,
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  handlers = {
    subscribe: await freshHandler<typeof import("../../functions/subscribe/handler.ts")>("subscribe"),
    unsubscribe: await freshHandler<typeof import("../../functions/unsubscribe/handler.ts")>("unsubscribe"),
    publishChanges:
      await freshHandler<typeof import("../../functions/publishChanges/handler.ts")>("publishChanges"),
    deliver: await freshHandler<typeof import("../../functions/deliver/handler.ts")>("deliver"),
    feedPrices: await freshHandler<typeof import("../../functions/feedPrices/handler.ts")>("feedPrices"),
  };
  const { send } = DynamoDBDocumentClient.prototype;
  vi.spyOn(DynamoDBDocumentClient.prototype, "send").mockImplementation(async function (
    this: DynamoDBDocumentClient,
    ...call: unknown[]
  ) {
    asking++;
    return Reflect.apply(send, this, call).finally(() => asking--);
  });
  class VenueSocket extends ScriptedSocket {
    constructor(url: string) {
      super(url);
      sockets.push(this);
    }
  }
  vi.stubGlobal("WebSocket", VenueSocket);
  api.on(PostToConnectionCommand).resolves({});
  lambda.on(InvokeCommand).callsFake(async ({ FunctionName, Payload }) => {
    void invoke(FunctionName as keyof typeof handlers, JSON.parse(String(Payload)));
    return { StatusCode: 202 };
  });
}, engineStart);

afterEach(async () => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  lambda.restore();
  api.restore();
  await engine.stop();
});

const settled = async () => {
  do for (let turns = 0; turns < 10; turns++) await turn();
  while (asking > 0);
};

let seen: Item | undefined;

async function pricesRecord(): Promise<Item | undefined> {
  const { name, client } = engine.table;
  const { Item } = await client.send(
    new GetCommand({ TableName: name, Key: pricesKey, ConsistentRead: true }),
  );
  return Item as Item | undefined;
}

const pricesSent = () =>
  api.commandCalls(PostToConnectionCommand).filter(({ args: [{ input }] }) => {
    const { type, channel } = JSON.parse(String(input.Data));
    return type === "update" && channel === "prices";
  }).length;

/**
 * Lets time pass. The venue sends new prices every second, and the stream invokes publishChanges.
 *
 * @returns how often each function was invoked
 */
async function pass(seconds: number): Promise<Invocations> {
  invocations = {};
  await settled();
  for (let second = 0; second < seconds; second++) {
    await vi.advanceTimersByTimeAsync(1000);
    for (const socket of sockets) {
      if (socket.state === "connecting") socket.accept();
      else if (socket.state === "closing") socket.drop();
      else if (socket.state === "open")
        for (const asset of ["ETH", "SOL", "BNB", "AVAX"]) socket.ticker(asset, String(Date.now()));
    }
    await settled();
    const now = await pricesRecord();
    if (now?.updatedAt !== seen?.updatedAt)
      await invoke("publishChanges", { Records: [streamRecord(now, seen)] });
    await settled();
    seen = now;
  }
  return invocations;
}

it("runs functions of prices only from the first subscriber to a minute and a half after the last", async () => {
  const client = { userID: "alice", connectionId: "c1" };
  await openConnection(engine.table, client, { shard: 0, now: new Date() });
  await invoke("subscribe", messageEvent({ type: "subscribe", channels: ["orders"] }));
  expect(await pass(10)).toEqual({});

  await invoke("subscribe", messageEvent({ type: "subscribe", channels: ["prices"] }));
  expect(invocations).toEqual({ subscribe: 1, feedPrices: 1 });
  expect(await pass(15)).toEqual({ publishChanges: expect.any(Number), deliver: expect.any(Number) });
  expect(pricesSent()).toBeGreaterThan(1);

  await invoke("unsubscribe", messageEvent({ type: "unsubscribe", channels: ["prices"] }));
  // The run looks for subscribers every 15 seconds, and once more before it ends.
  expect(await pass(90 + 15 + 2)).not.toHaveProperty("feedPrices");
  expect(sockets.map(({ state }) => state)).toEqual(["closed"]);
  expect(await pass(20)).toEqual({});
});
