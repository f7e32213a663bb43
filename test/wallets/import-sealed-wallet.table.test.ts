import { createECDH } from "node:crypto";
import { KMSClient } from "@aws-sdk/client-kms";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import bs58 from "bs58";
import { createKms, kmsRequestHandler } from "cdk-local-runner/testing";
import { describe, expect, it } from "vitest";
import { openVault, unseal } from "../../lib/aws/vault.ts";
import { sealedKeyKey } from "../../lib/table/wallet-keys.ts";
import { register } from "../../lib/users/register.ts";
import { importSealedWallet, type SealedBody } from "../../lib/wallets/import-sealed-wallet.ts";
import { importKeysOf } from "../../lib/wallets/keys/import-keys.ts";
import { listImportKeys } from "../../lib/wallets/keys/list-import-keys.ts";
import { walletsOfUser } from "../../lib/wallets/wallet-records.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { type Key, newKey } from "../support/keys.ts";
import { sealedBytes, sealedImport } from "../support/sealing.ts";
import { eventTypes, walletLimits } from "../support/wallets.ts";

const db = tableForTests();
const kms = createKms();
const ids = ["old", "new"].map((label) => kms.ensureKey(label, "ECC_NIST_P256").arn);
const config = {
  region: "us-east-1",
  credentials: { accessKeyId: "test", secretAccessKey: "test" },
  requestHandler: kmsRequestHandler(kms),
  maxAttempts: 1,
};
const vault = openVault(kms.ensureKey("wallets").arn, config);
const importKeys = importKeysOf(new KMSClient(config), ids);
const offered = async () => listImportKeys(importKeys);

type Request = { userID: string; key?: string; body: SealedBody };

const importOf = ({ userID, key, body }: Request, keys = importKeys, limits = walletLimits) => {
  const deps = { table: db.table, vault, importKeys: keys, limits };
  return importSealedWallet(deps, { userID, now: new Date(), key, body });
};

let users = 0;
async function newHolder(): Promise<string> {
  const userID = `sealer-${users++}`;
  await register(db.table, { userID, names: [], ref: undefined }, new Date());
  return userID;
}

/** Makes a valid request of a new user. */
async function requestFor(made: Key = newKey("eth"), own: { userID?: string; at?: number } = {}) {
  const userID = own.userID ?? (await newHolder());
  const key = `key of ${userID} ${made.address}`;
  const [first, second] = await offered();
  const to = own.at === 1 ? second : first;
  if (to === undefined) throw new Error("No key is offered");
  const { network } = made;
  const body = await sealedImport(to, { userID, key, network }, sealedBytes(made, bs58.decode));
  return { userID, key, body: body as SealedBody };
}

const refusal = (request: Promise<unknown>) =>
  request.then(
    () => expect.fail("it was imported"),
    ({ code, message }) => ({ code, message }),
  );

const expectNothing = async (userID: string) => expect(await walletsOfUser(db.table, userID)).toEqual([]);

describe("importSealedWallet", () => {
  it.each(["eth", "base", "bsc", "avax", "sol"])(
    "imports a key of %s that a client has sealed",
    async (network) => {
      const made = newKey(network);
      const request = await requestFor(made);
      const { wallet, isReplayed } = await importOf(request);
      expect(isReplayed).toBe(false);
      expect(wallet).toMatchObject({
        UserID: request.userID,
        generatedWalletAddress: made.address,
        network,
        walletType: "imported",
        slot: 1,
      });
      expect(wallet).not.toHaveProperty("colortag");
      const Key = sealedKeyKey(request.userID, wallet.network, made.address);
      const { Item } = await db.table.client.send(new GetCommand({ TableName: db.table.name, Key }));
      const binding = { userID: request.userID, walletId: wallet._id, network, address: made.address };
      const secret = await unseal(vault, Item?.encryptedPrivateKey, binding);
      expect(Buffer.from(secret)).toEqual(made.secret);
      expect(await eventTypes(db.table, wallet)).toEqual(["imported"]);
    },
  );

  it("accepts the seed of a Solana key, accepts names and colours, and accepts each offered import key", async () => {
    const made = newKey("sol");
    const userID = await newHolder();
    const [, old] = await offered();
    const seed = Buffer.from(made.secret);
    const sealing = sealedImport(
      old ?? { keyId: "", publicKey: "" },
      { userID, key: "k", network: "sol" },
      seed,
    );
    const body = { ...(await sealing), slotName: "Cold", colortag: "red" } as SealedBody;
    // Rejects about half of all seeds, because they are also valid public keys.
    const outcome = await importOf({ userID, key: "k", body }).catch(({ code }) => code);
    if (outcome !== "INVALID_PRIVATE_KEY")
      expect(outcome.wallet).toMatchObject({ slotName: "Cold", colortag: "red", network: "sol" });
  });

  it("imports once per Idempotency-Key, even at the limit or after the import key was deleted", async () => {
    const request = await requestFor();
    const { wallet } = await importOf(request);
    const again = await importOf(request, async () => [], { Base: 0, Pro: 0, Enterprise: 0 });
    expect(again).toEqual({ wallet, isReplayed: true });
    const all = await Promise.all([request, request, request].map((each) => importOf(each)));
    expect(all).toEqual(all.map(() => ({ wallet, isReplayed: true })));
    expect(await walletsOfUser(db.table, request.userID)).toHaveLength(1);
  });

  it("rejects a used Idempotency-Key with a different body", async () => {
    const request = await requestFor();
    await importOf(request);
    const other = await requestFor(newKey("eth"), { userID: request.userID });
    expect(await refusal(importOf({ ...other, key: request.key }))).toMatchObject({
      code: "IDEMPOTENCY_KEY_REUSED",
    });
  });

  it("imports only one of two simultaneous requests with the same Idempotency-Key", async () => {
    const request = await requestFor();
    const both = await Promise.all([importOf(request), importOf(request)]);
    expect(new Set(both.map(({ wallet }) => wallet._id)).size).toBe(1);
    expect(both.map(({ isReplayed }) => isReplayed).sort()).toEqual([false, true]);
  });

  it("rejects a key that does not match the given address, and leaves the Idempotency-Key unused", async () => {
    const made = newKey("eth");
    const request = await requestFor(made);
    const other = { ...request.body, expectedAddress: newKey("eth").address };
    expect(await refusal(importOf({ ...request, body: other }))).toMatchObject({ code: "ADDRESS_MISMATCH" });
    await expectNothing(request.userID);
    const same = { ...request.body, expectedAddress: made.address.toLowerCase() };
    expect((await importOf({ ...request, body: same })).isReplayed).toBe(false);
  });

  it("compares Solana addresses exactly", async () => {
    const made = newKey("sol");
    const request = await requestFor(made);
    const body = { ...request.body, expectedAddress: made.address.toLowerCase() };
    expect(await refusal(importOf({ ...request, body }))).toMatchObject({ code: "ADDRESS_MISMATCH" });
    await importOf({ ...request, body: { ...request.body, expectedAddress: made.address } });
  });

  it("requires an Idempotency-Key", async () => {
    const { key: _, ...request } = await requestFor();
    expect(await refusal(importOf(request))).toMatchObject({ code: "IDEMPOTENCY_KEY_MISSING" });
  });

  it("rejects an import at the limit, and leaves the Idempotency-Key unused", async () => {
    const request = await requestFor();
    const none = { Base: 0, Pro: 0, Enterprise: 0 };
    expect(await refusal(importOf(request, importKeys, none))).toMatchObject({
      code: "WALLET_LIMIT_REACHED",
    });
    expect((await importOf(request)).isReplayed).toBe(false);
  });
});

describe("importSealedWallet with invalid ciphertext", () => {
  const flipped = (text: string, at: number) => {
    const bytes = Buffer.from(text, "base64url");
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    return bytes.toString("base64url");
  };
  const point = (format: "compressed" | "hybrid") => {
    const pair = createECDH("prime256v1");
    pair.generateKeys();
    return pair.getPublicKey(null, format).toString("base64url");
  };

  it("rejects truncated, changed or swapped ciphertext, and ciphertext for another user, network, key or Idempotency-Key", async () => {
    const one = await requestFor();
    const other = await requestFor();
    const [newest, oldest] = await offered();
    const { body } = one;
    const ofOldest = (await requestFor(newKey("eth"), { userID: one.userID, at: 1 })).body;
    const wrong: Partial<Request>[] = [
      ...[0, 20, 47].map((at) => ({ body: { ...body, ciphertext: flipped(body.ciphertext, at) } })),
      ...[0, 47].map((end) => ({
        body: {
          ...body,
          ciphertext: Buffer.from(body.ciphertext, "base64url").subarray(0, end).toString("base64url"),
        },
      })),
      { body: { ...body, ciphertext: other.body.ciphertext } },
      { body: { ...body, enc: other.body.enc } },
      { userID: other.userID },
      { body: { ...body, network: "base" as const } },
      { body: { ...body, keyId: oldest?.keyId ?? "" } },
      { body: { ...ofOldest, keyId: newest?.keyId ?? "" } },
      { key: "another" },
      { key: `${one.key} ` },
    ];
    for (const part of wrong)
      expect(await refusal(importOf({ ...one, ...part }))).toEqual({
        code: "INVALID_CIPHERTEXT",
        message: "The ciphertext does not open for this user, network, keyId and Idempotency-Key",
      });
    await expectNothing(one.userID);
    await expectNothing(other.userID);
    expect((await importOf(one)).isReplayed).toBe(false);
  });

  it("rejects points that are off the curve, compressed or the identity, without calling KMS", async () => {
    const request = await requestFor();
    const { body } = request;
    const keys = await importKeys();
    const asked: unknown[] = [];
    const watched = keys.map((key) => ({
      ...key,
      agree: async (other: Uint8Array) => {
        asked.push(other);
        return other;
      },
    }));
    const wrong = [
      flipped(body.enc, 64),
      flipped(body.enc, 0),
      Buffer.alloc(65).toString("base64url"),
      Buffer.concat([Buffer.of(4), Buffer.alloc(64)]).toString("base64url"),
      Buffer.of(0).toString("base64url"),
      point("compressed"),
      point("hybrid"),
    ];
    for (const enc of wrong) {
      const sent = { ...request, body: { ...body, enc } };
      expect(await refusal(importOf(sent, async () => watched))).toMatchObject({
        code: "INVALID_CIPHERTEXT",
      });
    }
    expect(asked).toEqual([]);
    await expectNothing(request.userID);
  });

  it("rejects an unknown or disabled import key", async () => {
    const request = await requestFor();
    const unknown = { ...request, body: { ...request.body, keyId: "A".repeat(43) } };
    expect(await refusal(importOf(unknown))).toMatchObject({ code: "UNKNOWN_IMPORT_KEY" });
    const disable = (name: "DisableKey" | "EnableKey") =>
      kms.handle(`TrentService.${name}`, { KeyId: ids[1] });
    disable("DisableKey");
    try {
      expect(await refusal(importOf(request))).toMatchObject({ code: "UNKNOWN_IMPORT_KEY" });
    } finally {
      disable("EnableKey");
    }
    await expectNothing(request.userID);
  });

  it("rejects bytes that are not a private key of the network", async () => {
    const solana = newKey("sol");
    const wrong = { ...solana, secret: Buffer.alloc(32, 1) };
    const zero = { ...newKey("eth"), secret: Buffer.alloc(32) };
    for (const made of [wrong, zero]) {
      const request = await requestFor(made);
      const { code, message } = await refusal(importOf(request));
      expect(code).toBe("INVALID_PRIVATE_KEY");
      expect(message).not.toMatch(/[\da-f]{20}/);
      await expectNothing(request.userID);
    }
    const long = await requestFor({ ...solana, network: "eth" } as Key);
    const [to] = await offered();
    const sealing = { userID: long.userID, key: long.key, network: "eth" };
    const body = await sealedImport(
      to ?? { keyId: "", publicKey: "" },
      sealing,
      sealedBytes(solana, bs58.decode),
    );
    expect(await refusal(importOf({ ...long, body: body as SealedBody }))).toMatchObject({
      code: "INVALID_PRIVATE_KEY",
    });
  });
});
