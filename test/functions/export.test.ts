import "./environment.ts";
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { mockClient } from "aws-sdk-client-mock";
import { beforeEach, describe, expect, it } from "vitest";
import { handler as exportWallet } from "../../functions/exportWallet/handler.ts";
import { handler as importWallet } from "../../functions/importWallet/handler.ts";
import { handler as lockExports } from "../../functions/lockExports/handler.ts";
import { handler as refuseExport } from "../../functions/refuseExport/handler.ts";
import { handler as unlockExports } from "../../functions/unlockExports/handler.ts";
import { quietConsole } from "../support/console.ts";
import { restEvent } from "../support/events.ts";
import { exportKeyPair } from "../support/sealing.ts";

const table = mockClient(DynamoDBDocumentClient);
const lambda = mockClient(LambdaClient);
const logged = quietConsole();

beforeEach(() => {
  table.reset();
  lambda.reset();
});

/** Makes a request of a user who signed in this many seconds ago. */
function eventOf(body: object, ageSeconds: number | undefined) {
  const event = restEvent({ body, path: { walletId: "w1" } });
  const signedInAt =
    ageSeconds === undefined ? {} : { signedInAt: String(Math.floor(Date.now() / 1000) - ageSeconds) };
  const authorizer = { ...event.requestContext.authorizer, ...signedInAt };
  return { ...event, requestContext: { ...event.requestContext, authorizer } } as typeof event;
}

const { jwk } = await exportKeyPair();
const answerTo = async (body: object, ageSeconds: number | undefined = 10) => {
  const { statusCode, body: text } = await exportWallet(eventOf(body, ageSeconds));
  return { statusCode, answer: JSON.parse(text) };
};

describe("exportWallet", () => {
  it("requires a sign-in within the last five minutes", async () => {
    for (const age of [301, undefined]) {
      const { statusCode, body } = await exportWallet(eventOf({ publicKey: jwk }, age));
      expect(statusCode).toBe(403);
      expect(JSON.parse(body).error).toEqual({
        code: "SIGN_IN_REQUIRED",
        message: expect.stringContaining("5 minutes"),
        details: { maxAgeSeconds: 300 },
      });
    }
    expect([...table.calls(), ...lambda.commandCalls(InvokeCommand), ...logged()]).toEqual([]);
  });

  it.each([
    ["a private part", { ...jwk, d: jwk.x }, /publicKey\.d/],
    ["another curve", { ...jwk, crv: "P-384" }, /publicKey\.crv/],
    ["another kind", { ...jwk, kty: "OKP" }, /publicKey\.kty/],
    ["a coordinate with padding", { ...jwk, x: `${jwk.x}=` }, /publicKey\.x/],
    ["a coordinate with a space", { ...jwk, y: ` ${jwk.y}` }, /publicKey\.y/],
    ["a short coordinate", { ...jwk, x: jwk.x.slice(0, 42) }, /publicKey\.x/],
    ["an unknown field", { ...jwk, n: jwk.x }, /publicKey\.n/],
    ["no point of the curve", { ...jwk, y: jwk.x }, /publicKey/],
  ])("refuses a key with %s, and logs no part of the key", async (_, publicKey, message) => {
    const { statusCode, answer } = await answerTo({ publicKey });
    expect(statusCode).toBe(400);
    expect(answer.error).toMatchObject({ code: "INVALID_REQUEST", message: expect.stringMatching(message) });
    expect(JSON.stringify(answer)).not.toContain(jwk.x.slice(0, 12));
    expect([...table.calls(), ...logged()]).toEqual([]);
  });
});

describe("calls from exportWallet to sealExport", () => {
  it("invokes sealExport only once, because each seal counts", async () => {
    const stored = { _id: "w1", UserID: "alice", network: "eth", generatedWalletAddress: "0x1" };
    table.on(QueryCommand).resolves({
      Items: [{ PK: "WALLETS#alice", SK: "WALLET#eth#0x1", ...stored }],
    });
    table.on(GetCommand).resolves({});
    lambda.on(InvokeCommand).rejects(Object.assign(new Error("slow"), { name: "TimeoutError" }));
    expect((await answerTo({ publicKey: jwk })).statusCode).toBe(500);
    const [{ thisValue } = { thisValue: undefined }] = lambda.commandCalls(InvokeCommand);
    expect(await (thisValue as LambdaClient).config.maxAttempts()).toBe(1);
  });
});

describe("lockExports", () => {
  it("locks exports with a single unconditional write, without a read", async () => {
    table.on(PutCommand).resolves({});
    const { statusCode, body } = await lockExports(eventOf({}, 86_400));
    expect(statusCode).toBe(200);
    const { lock } = JSON.parse(body).data;
    expect(lock).toEqual({ status: "locked", lockedAt: expect.any(String) });
    expect(table.calls().map(({ args: [{ input }] }) => input)).toEqual([
      {
        TableName: expect.any(String),
        Item: {
          PK: "LOCK#alice",
          SK: "LOCK",
          userID: "alice",
          lockId: expect.stringMatching(/^[\da-f-]{36}$/),
          lockedAt: lock.lockedAt,
        },
      },
    ]);
  });

  it("refuses a request body that has any field", async () => {
    expect((await lockExports(eventOf({ lockId: "x" }, 1))).statusCode).toBe(400);
    expect(table.calls()).toEqual([]);
  });
});

describe("unlockExports", () => {
  it("requires a sign-in within the last five minutes", async () => {
    for (const age of [301, undefined])
      expect(await unlockExports({ ...eventOf({}, age), httpMethod: "DELETE" })).toMatchObject({
        statusCode: 403,
      });
    expect([...table.calls(), ...lambda.commandCalls(InvokeCommand)]).toEqual([]);
  });
});

describe("importWallet", () => {
  const good = {
    network: "eth",
    keyId: "A".repeat(43),
    enc: Buffer.alloc(65, 4).toString("base64url"),
    ciphertext: Buffer.alloc(48, 1).toString("base64url"),
  };

  it.each([
    ["keyId", "A".repeat(42)],
    ["keyId", `${"A".repeat(42)}B`],
    ["enc", Buffer.alloc(33, 2).toString("base64url")],
    ["enc", Buffer.alloc(64, 4).toString("base64url")],
    ["enc", `${good.enc}=`],
    ["enc", ` ${good.enc}`],
    ["enc", Buffer.alloc(65, 0xfb).toString("base64")],
    ["ciphertext", Buffer.alloc(47).toString("base64url")],
    ["ciphertext", `${good.ciphertext}\n`],
    ["ciphertext", ""],
    ["expectedAddress", "0x1"],
    ["network", "btc"],
    ["d", "x"],
  ])("refuses a malformed %s: %j", async (field, value) => {
    const { statusCode, body } = await importWallet(restEvent({ body: { ...good, [field]: value } }));
    expect(statusCode).toBe(400);
    expect(JSON.parse(body).error).toMatchObject({ code: "INVALID_REQUEST", details: { field } });
    expect([...table.calls(), ...logged()]).toEqual([]);
  });
});

describe("refuseExport", () => {
  it("refuses exports in a deployment without the export methods", async () => {
    const { statusCode, body } = await refuseExport(restEvent({ body: {} }));
    expect(statusCode).toBe(403);
    expect(JSON.parse(body).error).toMatchObject({ code: "EXPORT_DISABLED" });
  });
});
