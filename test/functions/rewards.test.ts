import { catalogueKey, redemptionKey, redemptionPlaceKey, stockKey } from "../../lib/rewards/item-keys.ts";
import { profileKey } from "../../lib/users/item-keys.ts";
import "./environment.ts";
import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand,
  DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  TransactWriteCommand,
} from "@aws-sdk/lib-dynamodb";
import { mockClient } from "aws-sdk-client-mock";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { handler as listRedemptions } from "../../functions/listRedemptions/handler.ts";
import { handler as listRewards } from "../../functions/listRewards/handler.ts";
import { handler as redeemReward } from "../../functions/redeemReward/handler.ts";
import { newRedemption, redemptionIdFor } from "../../lib/rewards/redemption.ts";
import type { Reward } from "../../lib/rewards/reward.ts";
import { quietConsole } from "../support/console.ts";
import { restEvent } from "../support/events.ts";
import { reward } from "../support/rewards.ts";

quietConsole();
const table = mockClient(DynamoDBDocumentClient);

const redemptionId = redemptionIdFor("alice", "k");
const now = new Date("2027-02-01T00:00:00.000Z");
const stored = newRedemption(reward("mug"), { redemptionId, userID: "alice", now });
const { userID: _, isLimited: __, ...shown } = stored;
const bought = { ...shown, createdAt: expect.any(String), updatedAt: expect.any(String) };

let startedAt = now.getTime();
beforeEach(() => {
  // A time later than in any other test, so that cached items are out of date.
  startedAt += 60_000;
  vi.useFakeTimers({ toFake: ["Date"], now: startedAt });
  table.reset();
  table.on(GetCommand).resolves({});
  table.on(QueryCommand).resolves({});
  table.on(GetCommand, { Key: { PK: "USER#alice", SK: "PROFILE" } }).resolves({
    Item: { userID: "alice", points: 250 },
  });
  const rewards = [reward("mug"), reward("cap"), reward("course", { stock: -1 })];
  table.on(GetCommand, { Key: catalogueKey }).resolves({ Item: { rewards } });
  table.on(TransactWriteCommand).resolves({});
  purchase();
});

/** Items that redeemReward reads besides the profile. */
const purchase = (...items: object[]) =>
  table
    .on(BatchGetCommand)
    .resolves({ Responses: { table: [{ ...profileKey("alice"), userID: "alice", points: 250 }, ...items] } });
afterEach(() => void vi.useRealTimers());

const headers = { "Content-Type": "application/json", "idempotency-key": "k" };
const redeem = (parts: Parameters<typeof restEvent>[0] = {}) =>
  redeemReward(restEvent({ path: { rewardId: "mug" }, headers, body: {}, ...parts }));

describe("redeemReward", () => {
  it("responds with the redemption and the remaining points, without internal fields", async () => {
    const { statusCode, body, headers } = await redeem();
    expect(statusCode).toBe(200);
    expect(JSON.parse(body)).toEqual({
      success: true,
      data: { redemption: bought, points: 150 },
      timestamp: expect.any(String),
    });
    expect(headers).not.toHaveProperty("Idempotent-Replayed");
  });

  it("sells at the current price and limit in the catalogue", async () => {
    const written = (rest: Partial<Reward>) =>
      table
        .on(GetCommand, { Key: catalogueKey, ConsistentRead: true })
        .resolves({ Item: { rewards: [reward("mug", rest)] } });
    const points = async () => JSON.parse((await redeem()).body).data.points;
    const takesPiece = () =>
      JSON.stringify(table.commandCalls(TransactWriteCommand).at(-1)?.args[0].input).includes("REWARD#mug");
    written({ stock: -1 });
    expect([await points(), takesPiece()]).toEqual([150, false]);
    written({ cost: 200, stock: 3 });
    expect([await points(), takesPiece()]).toEqual([50, true]);
    written({ available: false });
    expect((await redeem()).statusCode).toBe(409);
  });

  it("reports that an Idempotency-Key was repeated", async () => {
    const place = { ...redemptionPlaceKey(redemptionId), ...stored };
    purchase(place);
    table.on(GetCommand, { Key: redemptionPlaceKey(redemptionId) }).resolves({ Item: place });
    table
      .on(GetCommand, { Key: redemptionKey("alice", now, redemptionId) })
      .resolves({ Item: { ...stored, status: "fulfilled", version: 2 } });
    const { body, headers } = await redeem();
    expect(JSON.parse(body).data).toMatchObject({ points: 250, redemption: { status: "fulfilled" } });
    expect(headers).toMatchObject({ "Idempotent-Replayed": "true" });
    expect(table.commandCalls(TransactWriteCommand)).toEqual([]);
  });

  it.each([
    [415, "UNSUPPORTED_MEDIA_TYPE", { headers: { "idempotency-key": "k" } }],
    [400, "IDEMPOTENCY_KEY_MISSING", { headers: { "Content-Type": "application/json" } }],
    [400, "INVALID_REQUEST", { body: { count: 2 } }],
    [400, "INVALID_REQUEST", { path: { rewardId: "no id" } }],
    [404, "REWARD_NOT_FOUND", { path: { rewardId: "nothing" } }],
  ])("refuses with %i %s, without writing: %j", async (status, code, parts) => {
    const { statusCode, body } = await redeem(parts);
    expect([statusCode, JSON.parse(body).error.code]).toEqual([status, code]);
    expect(table.commandCalls(TransactWriteCommand)).toEqual([]);
  });

  it("tells the client to retry after a second while others change the same items", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    table.on(TransactWriteCommand).rejects(
      new TransactionCanceledException({
        $metadata: {},
        message: "cancelled",
        CancellationReasons: [{ Code: "TransactionConflict" }],
      }),
    );
    const { statusCode, body, headers } = await redeem();
    expect([statusCode, JSON.parse(body).error.code]).toEqual([503, "REWARD_BUSY"]);
    expect(headers).toMatchObject({ "Retry-After": "1" });
    vi.restoreAllMocks();
  });
});

describe("listRedemptions", () => {
  it("responds with the redemptions and the points", async () => {
    table.on(QueryCommand).resolves({ Items: [{ PK: "p", SK: "s", ...stored }] });
    expect(JSON.parse((await listRedemptions(restEvent())).body).data).toEqual({
      redemptions: [bought],
      points: 250,
    });
  });

  it.each([{ limit: "0" }, { status: "pending" }, { cursor: "A".repeat(40) }])(
    "refuses %j",
    async (query) => {
      expect((await listRedemptions(restEvent({ query }))).statusCode).toBe(400);
    },
  );
});

describe("listRewards", () => {
  it("shows the stock of limited rewards, which it caches for a second", async () => {
    const left = (stock: number) =>
      table.on(BatchGetCommand).resolves({
        Responses: { table: [{ ...stockKey("mug"), rewardId: "mug", stock }] },
      });
    const stocks = async () =>
      JSON.parse((await listRewards(restEvent())).body).data.rewards.map(
        (each: { stock: number }) => each.stock,
      );
    left(2);
    expect(await stocks()).toEqual([2, 5, -1]);
    left(1);
    vi.setSystemTime(Date.now() + 999);
    expect(await stocks()).toEqual([2, 5, -1]);
    vi.setSystemTime(Date.now() + 1);
    expect(await stocks()).toEqual([1, 5, -1]);
    left(0);
    table.on(GetCommand, { Key: profileKey("alice") }).resolves({
      Item: { userID: "alice", points: 150, pointsChangedAt: new Date(Date.now() - 1999).toISOString() },
    });
    expect(await stocks(), "the stock after the user has bought a reward").toEqual([0, 5, -1]);
    const [keys] = table
      .commandCalls(BatchGetCommand)
      .map(({ args }) => args[0].input.RequestItems?.table?.Keys);
    expect(keys).toEqual([stockKey("mug"), stockKey("cap")]);
  });
});
