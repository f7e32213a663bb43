import "./environment.ts";
import {
  ApiGatewayManagementApiClient,
  PostToConnectionCommand,
} from "@aws-sdk/client-apigatewaymanagementapi";
import { DynamoDBDocumentClient, GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { mockClient } from "aws-sdk-client-mock";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { handler as deliver } from "../../functions/deliver/handler.ts";
import { handler as listRewards } from "../../functions/listRewards/handler.ts";
import { handler as subscribe } from "../../functions/subscribe/handler.ts";
import type { PublicUpdate } from "../../lib/realtime/deliver.ts";
import { quietConsole } from "../support/console.ts";
import { price } from "../support/executions.ts";
import { messageEvent } from "../support/websocket-events.ts";

quietConsole();

const table = mockClient(DynamoDBDocumentClient);
const api = mockClient(ApiGatewayManagementApiClient);

beforeEach(() => {
  // A time that no other test uses, so that cached items are out of date.
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2027-01-01T00:00:00.000Z") });
  for (const mock of [table, api]) mock.reset();
  table
    .on(GetCommand)
    .resolves({ Item: { points: 5, rewards: [], prices: [], channels: new Set(["prices"]) } });
  table.on(QueryCommand).resolves({ Items: [] });
  api.on(PostToConnectionCommand).resolves({});
});
afterEach(() => void vi.useRealTimers());

const reads = (PK: string) =>
  table.commandCalls(GetCommand).filter(({ args: [{ input }] }) => input.Key?.PK === PK).length;

const context = { getRemainingTimeInMillis: () => 10_000 } as never;
const update: PublicUpdate = {
  type: "update",
  channel: "prices",
  time: "2026-11-21T09:00:00.000Z",
  data: [price()],
};

describe("an item that all users read", () => {
  it.each<[string, string, number, () => Promise<unknown>]>([
    [
      "the catalogue",
      "CATALOGUE",
      5000,
      () => listRewards({ requestContext: { authorizer: { principalId: "alice" } } } as never, context),
    ],
    [
      "the prices, by subscribe",
      "PRICES",
      1000,
      () => subscribe(messageEvent({ type: "subscribe", channels: ["prices"] })),
    ],
    ["the prices, by deliver", "PRICES", 1000, () => deliver({ shard: 0, update }, context)],
  ])("caches an item that all users read: %s", async (_, PK, ms, run) => {
    await run();
    vi.setSystemTime(Date.now() + ms - 1);
    await run();
    expect(reads(PK)).toBe(1);
    vi.setSystemTime(Date.now() + 1);
    await run();
    expect(reads(PK)).toBe(2);
  });
});
