import { createPublicKey, diffieHellman, generateKeyPairSync, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { marshall } from "@aws-sdk/util-dynamodb";
import { SignJWT } from "jose";
import { alice } from "trading-terminal-devnet/evm/test-chain";
import { walletKey } from "../../lib/table/wallet-keys.ts";
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
const wallets = Array.from({ length: 3 }, (_, index) => {
  const address = `0x7E5F4552091A69125d5DfCb7b8C2659029395Bd${index}`;
  return {
    ...walletKey("alice", "eth", address),
    _id: `w${index}`,
    UserID: "alice",
    generatedWalletAddress: address,
    network: "eth",
    walletType: "imported",
    createdAt: at,
    slot: index + 1,
  };
});

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

/** Returns a Query's items, chosen by the keys in its body. No wallet has open orders. */
function itemsFor(body: string): object[] {
  if (body.includes("PROFILE")) return [profile];
  if (body.includes("ORDERAT#")) return orders;
  return /JOB#|POSITION/.test(body) ? [] : wallets;
}

/** Returns a GetItem's item. */
function itemFor(body: string): object | undefined {
  if (body.includes("PROFILE")) return profile;
  if (body.includes("ORDER#")) return orders[0];
  // Treats every imported wallet as new.
  return body.includes(alice.address) ? wallets[0] : undefined;
}

/** Returns a data key or a MAC. */
const secretBytes = Buffer.alloc(32, 7).toString("base64");

/** Fixed responses of KMS and of a table with one user who owns three wallets. */
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

/** Key pair to which users seal private keys. */
const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });

const sharedSecretWith = (spki: string) =>
  diffieHellman({
    privateKey,
    publicKey: createPublicKey({ key: Buffer.from(spki, "base64"), format: "der", type: "spki" }),
  });

/** Public import key in the form that clients receive. */
export function offeredKey(): { keyId: string; publicKey: string } {
  const spki = publicKey.export({ format: "der", type: "spki" });
  return { keyId: keyIdOf(spki), publicKey: Buffer.from(pointIn(spki)).toString("base64url") };
}

/** Key pair with which the issuer signs tokens. */
const issuer = generateKeyPairSync("rsa", { modulusLength: 2048 });
const issuerKey = { ...issuer.publicKey.export({ format: "jwk" }), kid: "1", alg: "RS256", use: "sig" };

/** Issues a token for this user, signed with the issuer's published key. */
export const tokenOf = (userID: string, { issuer: name, audience }: { issuer: string; audience: string }) =>
  new SignJWT({ sub: userID, jti: randomUUID() })
    .setProtectedHeader({ alg: "RS256", kid: "1" })
    .setIssuer(name)
    .setAudience(audience)
    .setIssuedAt()
    .setExpirationTime("1h")
    .sign(issuer.privateKey);

/** Path of the issuer's published keys. */
export const keysPath = "/keys";

export type FakeAws = {
  url: string;
  /** Serves synchronous function invocations. */
  invoked: (payload: unknown) => Promise<unknown>;
  close(): void;
};

/** Answers AWS and issuer calls immediately, so that the benchmark measures only the functions' own time. */
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
