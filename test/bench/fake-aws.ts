import { createPublicKey, diffieHellman, generateKeyPairSync, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { marshall } from "@aws-sdk/util-dynamodb";
import { SignJWT } from "jose";
import { alice } from "trading-terminal-devnet/evm/test-chain";
import { newProfile } from "../../lib/users/profile.ts";
import { keyIdOf, pointIn } from "../../lib/wallets/keys/sealing.ts";
import { order } from "../support/executions.ts";

const at = "2026-11-21T09:00:00.000Z";
const profile = {
  PK: "USER#alice",
  SK: "PROFILE",
  ...newProfile({
    _id: "p1",
    userID: "alice",
    username: "Alice",
    refID: "ABCD2345",
    now: new Date(at),
  }),
};
const wallets = Array.from({ length: 3 }, (_, index) => ({
  _id: `w${index}`,
  UserID: "alice",
  generatedWalletAddress: `0x7E5F4552091A69125d5DfCb7b8C2659029395Bd${index}`,
  network: "eth",
  walletType: "imported",
  createdAt: at,
  slot: index + 1,
}));

const settings = {
  _id: "s1",
  userID: "alice",
  createdAt: at,
  updatedAt: at,
  version: 1,
  slippage: 1,
  misses: 1,
};

const orders = Array.from({ length: 50 }, (_, index) => ({
  PK: "TRADES#alice",
  SK: `ORDERAT#${index}`,
  ...order({ orderId: `o${index}` }),
}));

/** The results of a Query, by the keys in it. No wallet has open orders. */
function itemsFor(body: string): object[] {
  if (body.includes("PROFILE")) return [profile];
  if (body.includes("ORDERAT#")) return orders;
  return /JOB#|POSITION/.test(body) ? [] : wallets;
}

/** The result of a GetItem. */
function itemFor(body: string): object | undefined {
  if (body.includes("PROFILE")) return profile;
  if (body.includes("ORDER#")) return orders[0];
  // Wallets to import are new.
  return body.includes(alice.address) ? wallets[0] : undefined;
}

/** A data key or a MAC. */
const secretBytes = Buffer.alloc(32, 7).toString("base64");

/** The fixed responses of the table, which has a user with three wallets, and of KMS. */
function answerTo(target: string, body: string): object {
  switch (target.split(".").at(-1)) {
    case "Query":
      return { Items: itemsFor(body).map((item) => marshall(item)) };
    case "GetItem": {
      const item = itemFor(body);
      return item === undefined ? {} : { Item: marshall(item) };
    }
    case "BatchGetItem": {
      const [name = ""] = Object.keys(JSON.parse(body).RequestItems);
      const found = body.includes("PROFILE") ? [marshall(profile)] : [];
      return { Responses: { [name]: found }, UnprocessedKeys: {} };
    }
    case "UpdateItem":
      return { Attributes: marshall(settings) };
    case "GenerateDataKey":
      return { Plaintext: secretBytes, CiphertextBlob: secretBytes, KeyId: "key", KeyMaterialId: "material" };
    case "Decrypt":
      return { Plaintext: secretBytes, KeyId: "key" };
    case "GenerateMac":
      return { Mac: secretBytes };
    case "VerifyMac":
      return { MacValid: true };
    case "GetPublicKey":
      return { PublicKey: publicKey.export({ format: "der", type: "spki" }).toString("base64") };
    case "DeriveSharedSecret":
      return { SharedSecret: sharedSecretWith(JSON.parse(body).PublicKey).toString("base64") };
    default:
      return {};
  }
}

/** The key to which users seal private keys. */
const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });

const sharedSecretWith = (spki: string) =>
  diffieHellman({
    privateKey,
    publicKey: createPublicKey({ key: Buffer.from(spki, "base64"), format: "der", type: "spki" }),
  });

/** The import key in the form that clients get. */
export function offeredKey(): { keyId: string; publicKey: string } {
  const spki = publicKey.export({ format: "der", type: "spki" });
  return { keyId: keyIdOf(spki), publicKey: Buffer.from(pointIn(spki)).toString("base64url") };
}

/** The issuer's key, which signs tokens. */
const issuer = generateKeyPairSync("rsa", { modulusLength: 2048 });
const issuerKey = { ...issuer.publicKey.export({ format: "jwk" }), kid: "1", alg: "RS256", use: "sig" };

/** Makes a token of this user, whose key the issuer's keys contain. */
export const tokenOf = (userID: string, { issuer: name, audience }: { issuer: string; audience: string }) =>
  new SignJWT({ sub: userID, jti: randomUUID() })
    .setProtectedHeader({ alg: "RS256", kid: "1" })
    .setIssuer(name)
    .setAudience(audience)
    .setIssuedAt()
    .setExpirationTime("1h")
    .sign(issuer.privateKey);

/** The path of the issuer's keys. */
export const keysPath = "/keys";

export type FakeAws = {
  url: string;
  /** Answers the synchronous invocations of functions. */
  invoked: (payload: unknown) => Promise<unknown>;
  close(): void;
};

/** Answers calls to AWS and to the issuer immediately, so that only the functions' own time is measured. */
export async function fakeAws(): Promise<FakeAws> {
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const answer = JSON.stringify(await answerOf(request, body));
    response.writeHead(200, { "Content-Type": "application/x-amz-json-1.0" }).end(answer);
  });
  const answerOf = ({ url = "", headers }: IncomingMessage, body: string) => {
    if (url === keysPath) return { keys: [issuerKey] };
    const isAwaited = url.endsWith("/invocations") && headers["x-amz-invocation-type"] !== "Event";
    if (isAwaited) return fake.invoked(JSON.parse(body));
    return answerTo(String(headers["x-amz-target"] ?? ""), body);
  };
  await once(server.listen(0, "127.0.0.1"), "listening");
  const fake: FakeAws = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    invoked: async () => ({}),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return fake;
}
