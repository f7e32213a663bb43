import { fallbackKeysKey, retiredKeyKey, userKeyRecordKey } from "../../lib/plans/item-keys.ts";
import { profileKey } from "../../lib/users/item-keys.ts";
import "./environment.ts";
import {
  APIGatewayClient,
  CreateApiKeyCommand,
  CreateUsagePlanKeyCommand,
  DeleteApiKeyCommand,
  GetApiKeysCommand,
  GetUsagePlanKeysCommand,
  TooManyRequestsException,
} from "@aws-sdk/client-api-gateway";
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
} from "@aws-sdk/lib-dynamodb";
import type { Context } from "aws-lambda";
import { mockClient } from "aws-sdk-client-mock";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { handler as deleteRetiredKeys } from "../../functions/deleteRetiredKeys/handler.ts";
import { handler as freeIdleKeys } from "../../functions/freeIdleKeys/handler.ts";
import { handler as makeFallbackKeys } from "../../functions/makeFallbackKeys/handler.ts";
import { handler as mirrorPlans } from "../../functions/mirrorPlans/handler.ts";
import { LimitReached } from "../../lib/plans/usage-plans.ts";
import { quietConsole } from "../support/console.ts";
import { sequenceNumberOf, streamRecord } from "../support/stream.ts";

const table = mockClient(DynamoDBDocumentClient);
const gateway = mockClient(APIGatewayClient);

const logged = quietConsole();

const value = "4c0883a69102937d6231471b5dbb6204fe512961";
const plan = { name: "Standard", requestsPerMinute: 1000 } as const;

const profile = (userID: string, changes: object = {}) => ({
  ...profileKey(userID),
  userID,
  tier: "Base",
  lastVisited: new Date().toISOString(),
  ...changes,
});

/** Puts profiles into the table, and makes the records of its change stream. */
function visits(...users: string[]) {
  for (const userID of users)
    table.on(GetCommand, { Key: profileKey(userID) }).resolves({ Item: profile(userID) });
  return { Records: users.map((userID) => streamRecord(profile(userID))) };
}

/** Makes an SDK error whose message quotes the request. */
const fault = (name: string) =>
  Object.assign(new Error(`could not handle ${value}`), {
    name,
    $metadata: { requestId: "r1", attempts: 3 },
  });

const line = (operation: string, error: string, rest: object = { awsRequestId: "r1", attempts: 3 }) => ({
  operation,
  error,
  ...rest,
});

/** Makes the context of a run with this much time left. */
const context = (remainingMs = 240_000) => ({ getRemainingTimeInMillis: () => remainingMs }) as Context;

beforeEach(() => {
  for (const mock of [table, gateway]) mock.reset();
  table.on(GetCommand).resolves({});
  table.on(QueryCommand).resolves({ Items: [] });
  table.on(TransactWriteCommand).resolves({});
  table.on(DeleteCommand).resolves({});
  gateway.on(CreateApiKeyCommand).resolves({ id: "k1" });
  gateway.on(CreateUsagePlanKeyCommand).resolves({ id: "k1" });
  gateway.on(DeleteApiKeyCommand).resolves({});
});

afterEach(() => {
  expect(JSON.stringify(logged())).not.toContain(value.slice(0, 8));
});

describe("mirrorPlans", () => {
  it("attaches a new user's key to the plan of their tier, and logs nothing", async () => {
    expect(await mirrorPlans(visits("ann"))).toEqual({ batchItemFailures: [] });
    const [attached] = gateway.commandCalls(CreateUsagePlanKeyCommand);
    expect(attached?.args[0].input).toMatchObject({ usagePlanId: "standard", keyId: "k1" });
    expect(logged()).toEqual([]);
  });

  it("requests a retry for a user that it could not read, and continues with the others", async () => {
    const event = visits("ann", "bob");
    table.on(GetCommand, { Key: profileKey("ann") }).rejects(fault("InternalServerError"));
    expect(await mirrorPlans(event)).toEqual({
      batchItemFailures: [{ itemIdentifier: event.Records.map(sequenceNumberOf)[0] }],
    });
    expect(gateway.commandCalls(CreateApiKeyCommand)).toHaveLength(1);
    expect(logged()).toEqual([line("mirrorPlans", "InternalServerError")]);
  });

  it("leaves the rest of a batch for a retry once API Gateway throttles it", async () => {
    const event = visits("ann", "bob");
    const throttled = new TooManyRequestsException({ $metadata: {}, message: value });
    gateway.on(CreateApiKeyCommand).rejects(throttled);
    expect(await mirrorPlans(event)).toEqual({
      batchItemFailures: [{ itemIdentifier: event.Records.map(sequenceNumberOf)[0] }],
    });
    expect(gateway.commandCalls(CreateApiKeyCommand)).toHaveLength(1);
    expect(logged()).toMatchObject([{ operation: "mirrorPlans", error: "TooManyRequestsException" }]);
  });

  it("warns that the key limit is reached, without failing or requesting a retry", async () => {
    gateway.on(CreateApiKeyCommand).rejects(new LimitReached("KEY_LIMIT_REACHED"));
    expect(await mirrorPlans(visits("ann", "bob"))).toEqual({ batchItemFailures: [] });
    expect(logged()).toMatchObject([{ error: "KeyLimitReached" }, { error: "KeyLimitReached" }]);
    // Errors would keep the alarm on the function's failures raised while the account is full.
    expect(console.error).not.toHaveBeenCalled();
  });
});

describe("deleteRetiredKeys", () => {
  const retired = (name: string) => ({ ...retiredKeyKey(new Date(0), name), name, plan });

  beforeEach(() => {
    table.on(QueryCommand).resolves({ Items: [retired("ann/1"), retired("bob/1")] });
    for (const name of ["ann/1", "bob/1"])
      gateway
        .on(GetApiKeysCommand, { nameQuery: `terminal/${name}` })
        .resolves({ items: [{ id: `id of ${name}`, name: `terminal/${name}`, value }] });
  });

  it("deletes the other keys if one cannot be deleted, and leaves that one to the next run", async () => {
    gateway.on(DeleteApiKeyCommand, { apiKey: "id of ann/1" }).rejects(fault("InternalFailure"));
    await deleteRetiredKeys({}, context());
    const forgotten = table.commandCalls(DeleteCommand).map(({ args: [{ input }] }) => input.Key);
    expect(forgotten).toEqual([retiredKeyKey(new Date(0), "bob/1")]);
    expect(logged()).toEqual([line("deleteRetiredKeys", "InternalFailure")]);
  });

  it("starts no deletion in the last minute of a run", async () => {
    await deleteRetiredKeys({}, context(59_000));
    expect(gateway.calls()).toEqual([]);
    expect(logged()).toEqual([]);
  });

  it("throws if it cannot read the retired keys", async () => {
    table.on(QueryCommand).rejects(fault("InternalServerError"));
    await expect(deleteRetiredKeys({}, context())).rejects.toThrow(/^deleteRetiredKeys failed$/);
    expect(gateway.calls()).toEqual([]);
    expect(logged()).toEqual([line("deleteRetiredKeys", "InternalServerError")]);
  });
});

describe("makeFallbackKeys", () => {
  beforeEach(() => {
    gateway
      .on(GetUsagePlanKeysCommand)
      .resolves({ items: [{ id: "k0", name: "terminal/fallback/0000", value }] });
    gateway.on(GetApiKeysCommand).resolves({ items: [] });
    table.on(PutCommand).resolves({});
  });

  it("records the keys that it made before the account was full, and logs that the key limit was reached", async () => {
    gateway.on(CreateApiKeyCommand).rejects(new LimitReached("KEY_LIMIT_REACHED"));
    await expect(makeFallbackKeys({}, context())).rejects.toThrow(/^makeFallbackKeys failed$/);
    const [written] = table.commandCalls(PutCommand).slice(-1);
    expect(written?.args[0].input.Item).toMatchObject({
      ...fallbackKeysKey,
      planId: "fallback",
      coverage: "Rest:live",
      usable: [{ count: 1 }],
    });
    expect(logged()).toMatchObject([{ operation: "makeFallbackKeys", error: "KeyLimitReached" }]);
  });

  it("makes no key in the last minute of a run", async () => {
    await makeFallbackKeys({}, context(59_000));
    expect(gateway.commandCalls(CreateApiKeyCommand)).toEqual([]);
    expect(logged()).toEqual([]);
  });
});

describe("freeIdleKeys", () => {
  const longAgo = { lastVisited: "2026-01-01T00:00:00.000Z" };

  beforeEach(() => {
    const users = ["ann", "bob", "dora"];
    gateway
      .on(GetApiKeysCommand)
      .resolves({ items: users.map((userID) => ({ id: userID, name: `terminal/${userID}/1`, value })) });
    for (const userID of users) {
      const Item = { userID, version: 1, current: { name: `${userID}/1`, value, plan } };
      table.on(GetCommand, { Key: userKeyRecordKey(userID) }).resolves({ Item });
      table.on(GetCommand, { Key: profileKey(userID) }).resolves({ Item: profile(userID, longAgo) });
    }
  });

  const freed = () =>
    table
      .commandCalls(TransactWriteCommand)
      .map(({ args: [{ input }] }) => input.TransactItems?.[0]?.Delete?.Key);

  it("still retires the remaining idle keys if reading one user fails, but never a recent visitor's key", async () => {
    table.on(GetCommand, { Key: profileKey("ann") }).rejects(fault("InternalServerError"));
    table.on(GetCommand, { Key: profileKey("dora") }).resolves({ Item: profile("dora") });
    await freeIdleKeys({}, context());
    expect(freed()).toEqual([userKeyRecordKey("bob")]);
    expect(logged()).toEqual([line("freeIdleKeys", "InternalServerError")]);
  });

  it("retires no key in the last minute of a run", async () => {
    await freeIdleKeys({}, context(59_000));
    expect(freed()).toEqual([]);
    expect(logged()).toEqual([]);
  });

  it("throws and retires no key if it cannot read the keys", async () => {
    gateway.on(GetApiKeysCommand).rejects(fault("InternalFailure"));
    await expect(freeIdleKeys({}, context())).rejects.toThrow(/^freeIdleKeys failed$/);
    expect(freed()).toEqual([]);
    expect(logged()).toEqual([line("freeIdleKeys", "InternalFailure")]);
  });
});
