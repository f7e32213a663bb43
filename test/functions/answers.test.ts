import "./environment.ts";
import { BatchGetCommand, DynamoDBDocumentClient, GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { mockClient } from "aws-sdk-client-mock";
import { beforeEach, describe, expect, it } from "vitest";
import { handler as getUserData } from "../../functions/getUserData/handler.ts";
import { handler as listRewards } from "../../functions/listRewards/handler.ts";
import { handler as listWallets } from "../../functions/listWallets/handler.ts";
import { handler as storeWallet } from "../../functions/storeWallet/handler.ts";
import { newProfile } from "../../lib/users/profile.ts";
import { quietConsole } from "../support/console.ts";
import { restEvent } from "../support/events.ts";

const identity = { _id: "p1", userID: "alice", username: "Alice", refID: "ABCD2345" };

const table = mockClient(DynamoDBDocumentClient);
const logged = quietConsole();

beforeEach(() => {
  table.reset();
});

describe("a REST function", () => {
  it("responds only with the fields of its schema, whatever the table contains", async () => {
    const wallet = {
      _id: "w1",
      UserID: "alice",
      generatedWalletAddress: "0x7E5F",
      network: "eth",
      walletType: "imported",
      createdAt: "2026-11-21T09:00:00.000Z",
    };
    const key = { PK: "WALLETS#alice", SK: "WALLET#eth#0x7E5F" };
    table.on(QueryCommand).resolves({
      Items: [{ ...key, encryptedPrivateKey: "x", ...wallet, slot: 1, version: 1 }],
    });
    const { body } = await listWallets(restEvent());
    expect(JSON.parse(body)).toEqual([{ ...wallet, slotName: "Wallet 1", colortag: "blue" }]);
  });

  it("returns stored settings even if they exceed the current limits", async () => {
    const profile = { ...newProfile({ ...identity, now: new Date() }), PK: "USER#alice", SK: "PROFILE" };
    const stored = { PK: "SETTINGS#alice", SK: "SETTINGS#eth", slippage: 500, maxGasPrice: -1 };
    table.on(BatchGetCommand).resolves({ Responses: { [process.env.TABLE_NAME ?? ""]: [profile, stored] } });
    const { statusCode, body } = await getUserData(restEvent());
    expect(statusCode).toBe(200);
    expect(JSON.parse(body).tradingSettings.ethereum).toMatchObject({ slippage: 500, maxGasPrice: -1 });
  });

  it("reads every page of a list", async () => {
    table
      .on(QueryCommand)
      .resolvesOnce({ Items: [], LastEvaluatedKey: { PK: "p", SK: "s" } })
      .resolvesOnce({ Items: [] });
    expect((await listWallets(restEvent())).body).toBe("[]");
    expect(table.commandCalls(QueryCommand)).toHaveLength(2);
  });

  it("forbids caching and type sniffing", async () => {
    table.on(QueryCommand).resolves({ Items: [] });
    expect((await listWallets(restEvent())).headers).toMatchObject({
      "Content-Type": "application/json",
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
    });
  });

  it.each([
    ["https://app.example", "https://app.example"],
    ["https://other.example", "https://other.example"],
    ["https://app.example.evil.example", undefined],
    ["http://app.example", undefined],
    ["null", undefined],
  ])("responds to a page of %s with the allowed origin %s", async (origin, allowed) => {
    table.on(QueryCommand).resolves({ Items: [] });
    const { headers } = await listWallets(restEvent({ headers: { origin } }));
    expect(headers?.["Access-Control-Allow-Origin"]).toBe(allowed);
    expect(headers?.["Access-Control-Allow-Credentials"]).toBe(allowed && "true");
    expect(headers?.["Access-Control-Expose-Headers"]).toBe(
      allowed && "ETag, RateLimit-Policy, Retry-After, Idempotent-Replayed",
    );
    expect(headers?.Vary).toBe("Origin");
  });

  it("returns an empty list of rewards before any have been loaded", async () => {
    table.on(GetCommand).resolves({});
    table.on(GetCommand, { Key: { PK: "USER#alice", SK: "PROFILE" } }).resolves({ Item: { points: 5 } });
    expect(JSON.parse((await listRewards(restEvent())).body)).toEqual({
      success: true,
      data: { rewards: [] },
    });
  });
});

describe("listWallets", () => {
  it.each([undefined, null, {}, { principalId: "" }])(
    "reads nothing and responds with a 500 if the authorizer's context %j names no user",
    async (authorizer) => {
      const event = restEvent();
      Object.assign(event.requestContext, { authorizer });
      expect(await listWallets(event)).toMatchObject({
        statusCode: 500,
        body: expect.stringContaining("Internal"),
      });
      expect(table.calls()).toEqual([]);
      expect(logged()).toEqual([expect.objectContaining({ operation: "listWallets", error: "Error" })]);
    },
  );
});

describe("storeWallet", () => {
  it.each([
    ["without a type", 415, {}],
    ["of a form", 415, { "Content-Type": "application/x-www-form-urlencoded" }],
    ["of plain text", 415, { "Content-Type": "text/plain; x=application/json" }],
    ["of JSON with a charset", 400, { "content-type": "Application/JSON; charset=utf-8" }],
  ])("responds to a body %s with %i", async (_, status, headers) => {
    expect((await storeWallet(restEvent({ body: {}, headers }))).statusCode).toBe(status);
  });

  it.each([
    ["no body", null, "The body must be valid JSON"],
    ["an empty body", "", "The body must be valid JSON"],
    ["half a body", '{"network":', "The body must be valid JSON"],
    ["NaN", '{"network":NaN}', "The body must be valid JSON"],
    ["a field twice", '{"network":"eth","network":"sol"}', "network must not be given twice"],
    ["null", "null", "The body must be a JSON object"],
    ["an array", "[]", "The body must be a JSON object"],
    ["a string", '"eth"', "The body must be a JSON object"],
    ["deep nesting", "[".repeat(100_000), "The body must be valid JSON"],
  ])("responds to %s with a 400 and an explanation", async (_, body, message) => {
    const { statusCode, body: text } = await storeWallet(restEvent({ body }));
    expect([statusCode, JSON.parse(text)]).toEqual([400, { message }]);
  });

  it("decodes a body in base64", async () => {
    const event = {
      ...restEvent({ body: Buffer.from('{"network":"x"}').toString("base64") }),
      isBase64Encoded: true,
    };
    expect(JSON.parse((await storeWallet(event)).body).message).toContain("network must be one of");
  });
});
