import { createPublicKey, diffieHellman, generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { marshall } from "@aws-sdk/util-dynamodb";
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
  return body.includes("WALLET#") ? wallets[0] : undefined;
}

/** The table's fixed responses: a user with three wallets. */
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
    case "GenerateDataKey": {
      const bytes = Buffer.alloc(32, 7).toString("base64");
      return { Plaintext: bytes, CiphertextBlob: bytes, KeyId: "key", KeyMaterialId: "material" };
    }
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

/** Answers AWS calls immediately, so that only the functions' own time is measured. */
export async function fakeAws(): Promise<{ url: string; close(): void }> {
  const server = createServer(async (request, response) => {
    const answer = JSON.stringify(
      answerTo(String(request.headers["x-amz-target"] ?? ""), await text(request)),
    );
    response.writeHead(200, { "Content-Type": "application/x-amz-json-1.0" }).end(answer);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
