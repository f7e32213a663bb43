import { pendingReferralKey, profileKey, referralCodeKey } from "../../lib/users/item-keys.ts";
import "./environment.ts";
import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import type { Context } from "aws-lambda";
import { mockClient } from "aws-sdk-client-mock";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { handler as authorize } from "../../functions/authorize/handler.ts";
import { handler as creditReferrals } from "../../functions/creditReferrals/handler.ts";
import { newProfile } from "../../lib/users/profile.ts";
import { quietConsole } from "../support/console.ts";
import { authorizerEvent } from "../support/events.ts";

const table = mockClient(DynamoDBDocumentClient);
const logged = quietConsole();

const conflict = () =>
  Object.assign(
    new TransactionCanceledException({
      $metadata: { requestId: "r1", attempts: 1 },
      message: "cancelled",
      CancellationReasons: [{ Code: "TransactionConflict" }],
    }),
    { stack: "quotes what was sent" },
  );
const line = (operation: string, error: string) => expect.objectContaining({ operation, error });

beforeEach(() => {
  table.reset();
  vi.spyOn(Math, "random").mockReturnValue(0);
});

describe("creditReferrals", () => {
  const joinedAt = "2026-11-21T09:00:00.000Z";
  const referral = (userID: string) => ({ referrerId: "rita", userID, username: userID, joinedAt });
  const withTime = (ms: number) => ({ getRemainingTimeInMillis: () => ms }) as Context;

  beforeEach(() => {
    table.on(QueryCommand).resolves({ Items: [referral("ann"), referral("bob")] });
    table.on(DeleteCommand).resolves({});
  });

  it("logs and keeps a referral that cannot be credited, and credits the others", async () => {
    table.on(TransactWriteCommand).rejectsOnce(new Error("no")).resolves({});
    await creditReferrals(undefined, withTime(50_000));
    const forgotten = table.commandCalls(DeleteCommand).map(({ args: [{ input }] }) => input.Key);
    expect(forgotten).toEqual([pendingReferralKey(joinedAt, "bob")]);
    expect(logged()).toEqual([line("creditReferrals", "Error")]);
  });

  it("leaves the remaining referrals to the next run when time runs out", async () => {
    await creditReferrals(undefined, withTime(20_000));
    expect(table.commandCalls(TransactWriteCommand)).toEqual([]);
  });

  it("throws if it cannot read the referrals", async () => {
    table.on(QueryCommand).rejects(new Error("no"));
    await expect(creditReferrals(undefined, withTime(50_000))).rejects.toThrow(/^creditReferrals failed$/);
  });
});

describe("authorize while the table rejects writes", async () => {
  const pair = await generateKeyPair("ES256", { extractable: true });
  const published = { ...(await exportJWK(pair.publicKey)), kid: "k1", alg: "ES256", use: "sig" };
  const eventOf = async (claims: object) => {
    const token = new SignJWT({ iss: "https://id.example/", aud: "terminal", ...claims })
      .setProtectedHeader({ alg: "ES256", kid: "k1" })
      .setExpirationTime("1h");
    return authorizerEvent({ Authorization: `Bearer ${await token.sign(pair.privateKey)}` });
  };

  beforeEach(() => {
    vi.stubGlobal("fetch", async () => Response.json({ keys: [published] }));
    table.on(GetCommand).resolves({});
  });
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it("accepts a user whose visit it cannot record, and logs the failure as a warning", async () => {
    const identity = { _id: "p1", userID: "alice", username: "Alice", refID: "ABCD2345" };
    const visited = newProfile({ ...identity, now: new Date("2026-01-01T00:00:00Z") });
    table.on(GetCommand, { Key: profileKey("alice") }).resolves({ Item: visited });
    table.on(UpdateCommand).rejects(conflict());
    expect(await authorize(await eventOf({ sub: "alice" }))).toMatchObject({ principalId: "alice" });
    expect(logged()).toEqual([line("authorize", "TransactionCanceledException")]);
    expect(console.warn).toHaveBeenCalledOnce();
  });

  it("accepts a new user whose referrer it cannot credit", async () => {
    const rita = { userID: "rita", username: "Rita" };
    table.on(GetCommand, { Key: referralCodeKey("ABCDEFGH") }).resolves({ Item: rita });
    table.on(GetCommand, { Key: profileKey("rita") }).resolves({ Item: rita });
    table.on(TransactWriteCommand).resolvesOnce({}).rejects(conflict());
    const event = await eventOf({ sub: "newcomer", ref: "ABCDEFGH" });
    expect(await authorize(event)).toMatchObject({ principalId: "newcomer" });
    expect(table.commandCalls(TransactWriteCommand)).toHaveLength(2);
    expect(logged()).toEqual([line("authorize", "TransactionCanceledException")]);
  });
});
