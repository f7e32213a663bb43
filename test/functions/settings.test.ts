import "./environment.ts";
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { mockClient } from "aws-sdk-client-mock";
import { beforeEach, describe, expect, it } from "vitest";
import { handler as getTradingSettings } from "../../functions/getTradingSettings/handler.ts";
import { handler as updateTradingSettings } from "../../functions/updateTradingSettings/handler.ts";
import { defaultSettings } from "../../lib/users/settings.ts";
import { type Headers, restEvent } from "../support/events.ts";

const table = mockClient(DynamoDBDocumentClient);

beforeEach(() => {
  table.reset();
});

const stored = {
  PK: "SETTINGS#alice",
  SK: "SETTINGS#sol",
  _id: "s1",
  userID: "alice",
  slippage: 2,
  createdAt: "2026-11-22T09:00:00.000Z",
  updatedAt: "2026-11-22T09:00:00.000Z",
  version: 5,
  changeId: "c1",
};
const settings = { ...defaultSettings.sol, slippage: 2 };

const read = (headers: Headers = {}, httpMethod: "GET" | "HEAD" = "GET") =>
  getTradingSettings({ ...restEvent({ path: { chain: "sol" }, headers }), httpMethod });

const update = (headers: Headers = {}, body: unknown = { slippage: 3 }) =>
  updateTradingSettings({
    ...restEvent({
      path: { chain: "sol" },
      headers: { "Content-Type": "application/json", ...headers },
      body,
    }),
    httpMethod: "POST",
  });

describe("getTradingSettings", () => {
  it("returns the settings in the form of events, with their version as a strong ETag", async () => {
    table.on(GetCommand).resolves({ Item: stored });
    const { statusCode, headers, body } = await read();
    expect({ statusCode, etag: headers?.ETag }).toEqual({ statusCode: 200, etag: '"5"' });
    expect(JSON.parse(body)).toEqual({
      success: true,
      data: { chain: "sol", version: 5, settings },
      timestamp: expect.any(String),
    });
    expect(table.commandCalls(GetCommand)[0]?.args[0].input).toMatchObject({ ConsistentRead: true });
  });

  it("returns the defaults as version 0 before the first change", async () => {
    table.on(GetCommand).resolves({});
    const { headers, body } = await read();
    expect(headers?.ETag).toBe('"0"');
    expect(JSON.parse(body).data).toEqual({ chain: "sol", version: 0, settings: defaultSettings.sol });
  });

  it.each(['"5"', 'W/"5"', '"4", "5"', "*"])("responds with 304 to If-None-Match: %s", async (tags) => {
    table.on(GetCommand).resolves({ Item: stored });
    const headers = { "If-None-Match": tags, Origin: "https://app.example" };
    const answer = await read(headers);
    expect(answer).toMatchObject({ statusCode: 304, body: "", headers: { ETag: '"5"' } });
    expect(answer.headers).toMatchObject({ "Cache-Control": "no-store", Vary: "Origin" });
    expect(answer.headers?.["Access-Control-Expose-Headers"]).toContain("ETag");
    expect(answer.headers).not.toHaveProperty("Content-Type");
    expect(await read(headers, "HEAD")).toMatchObject({ statusCode: 304 });
  });

  it.each(['"4"', "5", ""])("responds in full to If-None-Match: [%s]", async (tags) => {
    table.on(GetCommand).resolves({ Item: stored });
    expect(await read({ "if-none-match": tags })).toMatchObject({ statusCode: 200 });
  });
});

describe("updateTradingSettings", () => {
  const conditionOf = () =>
    table.commandCalls(UpdateCommand)[0]?.args[0].input.ConditionExpression?.replaceAll(/:\d+/g, ":v");

  it("returns the new version as a strong ETag, but not in the body", async () => {
    table.on(UpdateCommand).resolves({ Attributes: { ...stored, slippage: 3, version: 6 } });
    const { statusCode, headers, body } = await update();
    expect({ statusCode, etag: headers?.ETag }).toEqual({ statusCode: 200, etag: '"6"' });
    expect(Object.keys(JSON.parse(body))).not.toContain("version");
    expect(Object.keys(JSON.parse(body))).not.toContain("changeId");
    expect(conditionOf()).toBeUndefined();
  });

  it("ignores If-None-Match, which is for reads only", async () => {
    table.on(UpdateCommand).resolves({ Attributes: { ...stored, version: 6 } });
    expect(await update({ "If-None-Match": '"6"' })).toMatchObject({ statusCode: 200 });
  });

  it.each([
    ['"5"', "attribute_exists(PK) AND #version IN (:v)"],
    ['"5", "6"', "attribute_exists(PK) AND #version IN (:v, :v)"],
    [['"5"', '"6"'], "attribute_exists(PK) AND #version IN (:v, :v)"],
    ['"0"', "attribute_not_exists(PK) OR attribute_exists(PK) AND #version IN (:v)"],
    ["*", undefined],
  ])("writes only if the stored version matches If-Match: %s", async (tags, condition) => {
    table.on(UpdateCommand).resolves({ Attributes: stored });
    expect(await update({ "If-Match": tags })).toMatchObject({ statusCode: 200 });
    expect(conditionOf()).toBe(condition);
  });

  it("responds with 412 {message} if If-Match does not match", async () => {
    table
      .on(UpdateCommand)
      .rejects(new ConditionalCheckFailedException({ message: "failed", $metadata: {}, Item: {} }));
    const { statusCode, headers, body } = await update({ "If-Match": '"4"' });
    expect(statusCode).toBe(412);
    expect(JSON.parse(body)).toEqual({ message: expect.stringContaining("If-Match") });
    expect(headers).not.toHaveProperty("ETag");
  });

  it.each([
    ["5", 400],
    ['"5', 400],
    ["", 400],
    [Array.from({ length: 101 }, (_, index) => `"${index}"`).join(), 400],
  ])("responds with 400 to If-Match: %s, and writes nothing", async (tags, status) => {
    const { statusCode, body } = await update({ "If-Match": tags });
    expect(statusCode).toBe(status);
    expect(JSON.parse(body).message).toMatch(/^The header If-Match must be \* or a list/);
    expect(table.calls()).toEqual([]);
  });

  it("names an invalid setting before it checks If-Match", async () => {
    const answer = await update({ "If-Match": 'W/"1"' }, { gasPreset: "fast" });
    expect(answer).toMatchObject({ statusCode: 400, body: expect.stringContaining("gasPreset") });
    expect(table.calls()).toEqual([]);
  });
});
