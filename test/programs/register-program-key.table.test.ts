import { describe, expect, it } from "vitest";
import { mostProgramKeys, type ProgramKey } from "../../lib/orders/program-key.ts";
import { programKeysOfUser, revokeProgramKey } from "../../lib/programs/program-keys.ts";
import { registerProgramKey } from "../../lib/programs/register-program-key.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { makeProgram } from "../support/program-tokens.ts";
import { shortPausesForTests } from "../support/short-pauses.ts";

const db = tableForTests();
shortPausesForTests();

const now = new Date("2026-11-30T09:00:00.000Z");
const signedInAt = new Date(now.getTime() - 60_000);
const expiresAt = "2027-11-30T09:00:00.000Z";
const usdc = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const moon = "So11111111111111111111111111111111111111112";

type Body = Parameters<typeof registerProgramKey>[1]["body"];

const bodyOf = (changes: Partial<Body> = {}): Body => ({
  name: "bot",
  publicKey: makeProgram().publicKey,
  scopes: ["read", "trade"],
  expiresAt,
  ...changes,
});

const register = (userID: string, body: Body, at = { signedInAt, now }) =>
  registerProgramKey(db.table, { userID, body, ...at });

const refusalOf = (changes: Partial<Body>, userID = "ann") =>
  register(userID, bodyOf(changes)).then(
    () => "accepted",
    ({ code, message, details }) => ({ code, message, details }),
  );

describe("registerProgramKey", () => {
  it("keeps the key, with addresses in the form in which orders name them", async () => {
    const body = bodyOf({
      scopes: ["trade", "trade"],
      chains: ["eth", "sol"],
      wallets: [usdc.toLowerCase(), usdc],
      tokens: [moon, usdc],
      maxPerOrder: "0.5",
      maxPerDay: "2",
    });
    const made = await register("carl", body);
    const { publicKey } = body;
    expect(made).toEqual({
      keyId: expect.stringMatching(/^pk_[\w-]{24}$/),
      name: "bot",
      publicKey,
      scopes: ["trade"],
      chains: ["eth", "sol"],
      wallets: [usdc],
      tokens: [moon, usdc],
      maxPerOrder: "0.5",
      maxPerDay: "2",
      createdAt: now.toISOString(),
      expiresAt,
    });
    expect(await programKeysOfUser(db.table, "carl", now)).toMatchObject([
      { userID: "carl", endsAt: expiresAt },
    ]);
  });

  it.each<[string, Partial<Body>, string]>([
    ["publicKey", { publicKey: "" }, "must be an Ed25519 public key: 32 bytes in base64url, without padding"],
    ["publicKey", { publicKey: `${"A".repeat(42)}=` }, "must be an Ed25519 public key"],
    ["publicKey", { publicKey: "A".repeat(43) }, "must be an Ed25519 public key"],
    ["publicKey", { publicKey: `AQ${"A".repeat(41)}` }, "must be an Ed25519 public key"],
    ["expiresAt", { expiresAt: now.toISOString() }, "must be in the future"],
    ["expiresAt", { expiresAt: "2027-11-30T09:00:00.001Z" }, "must be at most a year away"],
    ["wallets.1", { wallets: [usdc, usdc.replace("A", "a")] }, "has a wrong checksum"],
    ["wallets.0", { chains: ["sol"], wallets: [usdc] }, "must"],
    ["tokens.0", { chains: ["eth"], tokens: [moon] }, "must"],
    ["maxPerOrder", { maxPerOrder: "0.0000000001" }, "must have at most 9 decimal places"],
    ["maxPerDay", { chains: ["eth"], maxPerDay: "0.0000000000000000001" }, "must have at most 18 decimal"],
  ])("refuses a wrong %s: %o", async (field, changes, problem) => {
    expect(await refusalOf(changes)).toEqual({
      code: "INVALID_REQUEST",
      message: expect.stringContaining(`${field} ${problem}`),
      details: { field },
    });
    expect(await programKeysOfUser(db.table, "ann", now)).toEqual([]);
  });

  it("needs a sign-in of the last five minutes", async () => {
    for (const signedInAt of [undefined, new Date(now.getTime() - 301_000)])
      await expect(register("ann", bodyOf(), { signedInAt: signedInAt as never, now })).rejects.toMatchObject(
        {
          code: "SIGN_IN_REQUIRED",
        },
      );
  });

  it("answers a repeated request with the key that it made, and refuses other terms for the same public key", async () => {
    const body = bodyOf();
    const made = await register("bea", body);
    expect(await register("bea", body)).toEqual(made);
    expect(await refusalOf({ ...body, scopes: ["read", "trade", "settings"] }, "bea")).toMatchObject({
      details: { field: "publicKey" },
    });
    await revokeProgramKey(db.table, { userID: "bea", keyId: made.keyId }, now);
    expect((await register("bea", body)).keyId).not.toBe(made.keyId);
  });

  it("gives 25 requests at once the same key if they are the same", async () => {
    const body = bodyOf();
    const made = await Promise.all(Array.from({ length: 25 }, () => register("eve", body)));
    expect(new Set(made.map(({ keyId }) => keyId)).size).toBe(1);
    expect(await programKeysOfUser(db.table, "eve", now)).toHaveLength(1);
  });

  it("makes no more keys than the limit of 25 at once, and one more for each that is revoked", async () => {
    const answers = await Promise.all(Array.from({ length: 25 }, () => refusalOf({}, "dora")));
    const limit = { code: "KEY_LIMIT_REACHED", details: { limit: mostProgramKeys } };
    expect(answers.filter((answer) => answer !== "accepted")).toEqual(
      Array.from({ length: 25 - mostProgramKeys }, () => expect.objectContaining(limit)),
    );
    const made = await programKeysOfUser(db.table, "dora", now);
    expect(made).toHaveLength(mostProgramKeys);
    const [{ keyId }] = made as [ProgramKey];
    await revokeProgramKey(db.table, { userID: "dora", keyId }, now);
    await register("dora", bodyOf());
    expect(await refusalOf({}, "dora")).toMatchObject(limit);
  });
});
