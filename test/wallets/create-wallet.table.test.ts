import { GenerateDataKeyCommand, KMSClient } from "@aws-sdk/client-kms";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { mockClient } from "aws-sdk-client-mock";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { openVault } from "../../lib/aws/vault.ts";
import { networks } from "../../lib/core/network.ts";
import { readProfile } from "../../lib/users/profile-records.ts";
import { createWallet } from "../../lib/wallets/create-wallet.ts";
import { generateKey } from "../../lib/wallets/keys/generate-key.ts";
import { restoreWallet } from "../../lib/wallets/restore-wallet.ts";
import { retireWallet } from "../../lib/wallets/retire-wallet.ts";
import type { Wallet } from "../../lib/wallets/wallet.ts";
import { walletsOfUser } from "../../lib/wallets/wallet-records.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { interceptedTable } from "../support/intercepted-table.ts";
import { eventTypes, holderOf, walletLimits as limits } from "../support/wallets.ts";

const db = tableForTests();
const kms = mockClient(KMSClient);
const vault = openVault("key");
const now = new Date();

beforeEach(() => {
  kms.reset();
  kms
    .on(GenerateDataKeyCommand)
    .callsFake(() => ({ Plaintext: Buffer.alloc(32, 7), CiphertextBlob: Buffer.alloc(184, 1) }));
});

type Body = Parameters<typeof createWallet>[1]["body"];

const create = (userID: string, key: string | undefined, body: Body = { network: "eth" }) =>
  createWallet({ table: db.table, vault, limits }, { userID, now, key, body });

const countOf = async (userID: string) => (await readProfile(db.table, userID))?.walletCount;
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "done",
    (error) => error.code,
  );

describe("createWallet", () => {
  it.each(networks)("creates a wallet on %s, with its event", async (network) => {
    const userID = `maker on ${network}`;
    await holderOf(db.table, userID, []);
    const { wallet, isReplayed } = await create(userID, "k", { network, slotName: "Own", colortag: null });
    expect(wallet).toMatchObject({ network, walletType: "generated", slot: 1, slotName: "Own", version: 1 });
    expect(isReplayed).toBe(false);
    expect(await walletsOfUser(db.table, userID)).toEqual([wallet]);
    expect(await eventTypes(db.table, wallet)).toEqual(["created"]);
  });

  it("creates one wallet from 10 identical simultaneous requests", async () => {
    await holderOf(db.table, "repeater", []);
    const answers = await Promise.all(Array.from({ length: 10 }, () => create("repeater", "k")));
    expect(new Set(answers.map(({ wallet }) => wallet._id)).size).toBe(1);
    expect(answers.filter(({ isReplayed }) => !isReplayed)).toHaveLength(1);
    expect(await countOf("repeater")).toBe(1);
  });

  it("returns the wallet of a used key, even at the limit or after the wallet's retirement", async () => {
    await holderOf(db.table, "returner", []);
    const { wallet } = await create("returner", "k");
    await holderOf(
      db.table,
      "returner",
      Array.from({ length: 9 }, (_, index) => `0x${index}`),
    );
    expect(await create("returner", "k")).toEqual({ wallet, isReplayed: true });
    const wake = async () => undefined;
    await retireWallet(
      { table: db.table, limits, wake, endResting: wake },
      { userID: "returner", walletId: wallet._id, now },
    );
    expect(await create("returner", "k")).toMatchObject({ wallet: { _id: wallet._id, version: 2 } });
  });

  it("rejects a used key with a different body, and names the wallet", async () => {
    await holderOf(db.table, "reuser", []);
    const { wallet } = await create("reuser", "k", { network: "eth", colortag: "red" });
    await create("reuser", "k", { colortag: "red", network: "eth", slotName: null });
    for (const body of [{ network: "eth" }, { network: "base", colortag: "red" }] as const)
      await expect(create("reuser", "k", body)).rejects.toMatchObject({
        code: "IDEMPOTENCY_KEY_REUSED",
        details: { walletId: wallet._id },
      });
    expect(await countOf("reuser")).toBe(1);
  });

  it("requires an Idempotency-Key, and distinguishes equal keys of different users", async () => {
    await holderOf(db.table, "one", []);
    await holderOf(db.table, "other", []);
    await expect(create("one", undefined)).rejects.toMatchObject({ code: "IDEMPOTENCY_KEY_MISSING" });
    const [first, second] = [await create("one", "k"), await create("other", "k")];
    expect(second.isReplayed).toBe(false);
    expect(second.wallet._id).not.toBe(first.wallet._id);
  });

  it("does not use up the key of a refused request", async () => {
    await holderOf(db.table, "patient", []);
    const none = { Base: 0, Pro: 0, Enterprise: 0 };
    const request = { userID: "patient", now, key: "k", body: { network: "eth" } } as const;
    const refused = createWallet({ table: db.table, vault, limits: none }, request);
    await expect(refused).rejects.toMatchObject({ code: "WALLET_LIMIT_REACHED" });
    expect(await create("patient", "k")).toMatchObject({ isReplayed: false });
  });

  it("stores nothing if the two libraries compute different addresses", async () => {
    await holderOf(db.table, "unlucky", []);
    const makeKey = () => generateKey("eth", [() => "0x1", () => "0x2"]);
    const request = { userID: "unlucky", now, key: "k", body: { network: "eth" } } as const;
    const failed = createWallet({ table: db.table, vault, limits, makeKey }, request);
    await expect(failed).rejects.toThrow("different addresses");
    expect([await walletsOfUser(db.table, "unlucky"), await countOf("unlucky")]).toEqual([[], 0]);
  });

  it("wipes the private key", async () => {
    await holderOf(db.table, "tidy", []);
    const made = vi.fn(generateKey);
    const request = { userID: "tidy", now, key: "k", body: { network: "eth" } } as const;
    await createWallet({ table: db.table, vault, limits, makeKey: made }, request);
    const key = await made.mock.results[0]?.value;
    expect(Buffer.from(key.secret)).toEqual(Buffer.alloc(32));
  });
});

describe("the last place for a wallet", () => {
  const nine = Array.from({ length: 9 }, (_, index) => `0x${index}`);

  it("gives the last place to one of two wallets created at once", async () => {
    await holderOf(db.table, "pair", nine);
    const codes = await Promise.all(["a", "b"].map((key) => codeOf(create("pair", key))));
    expect(codes.sort()).toEqual(["WALLET_LIMIT_REACHED", "done"]);
    expect([await countOf("pair"), (await walletsOfUser(db.table, "pair")).length]).toEqual([10, 10]);
  });

  it("gives the last place to a request that is sent twice at once, and returns the wallet to both", async () => {
    await holderOf(db.table, "twin", nine);
    let first: ReturnType<typeof create> | undefined;
    const reads = (command: unknown, ofProfile: boolean) =>
      command instanceof GetCommand && (command.input.Key?.SK === "PROFILE") === ofProfile;
    const foundNoKey = Promise.withResolvers<void>();
    // The second request finds no used key, and then finds the limit reached.
    const late = interceptedTable(
      db.table,
      async (command) => {
        if (!reads(command, true) || first !== undefined) return;
        await foundNoKey.promise;
        first = create("twin", "k");
        await first;
      },
      (command) => {
        if (reads(command, false)) foundNoKey.resolve();
      },
    );
    const request = { userID: "twin", now, key: "k", body: { network: "eth" } } as const;
    const second = await createWallet({ table: late, vault, limits }, request);
    expect(second).toEqual({ wallet: (await first)?.wallet, isReplayed: true });
  });

  it.each(["create", "import"])(
    "gives the last place to a restored wallet or to a concurrent %s",
    async (what) => {
      const userID = `${what} beside restore`;
      const [retired] = (await holderOf(db.table, userID, ["0xA"])) as [Wallet];
      const walletId = retired._id;
      await retireWallet(
        { table: db.table, limits, wake: async () => undefined, endResting: async () => undefined },
        { userID, walletId, now },
      );
      await holderOf(db.table, userID, nine);
      const codes = await Promise.all([
        codeOf(restoreWallet(db.table, { userID, walletId, limits, now })),
        codeOf(what === "create" ? create(userID, "k") : holderOf(db.table, userID, ["0xB"])),
      ]);
      expect(codes.sort()).toEqual(["WALLET_LIMIT_REACHED", "done"]);
      expect(await countOf(userID)).toBe(10);
      const active = (await walletsOfUser(db.table, userID)).filter(
        ({ retiredAt }) => retiredAt === undefined,
      );
      expect(active).toHaveLength(10);
      expect(new Set(active.map(({ slot }) => slot)).size).toBe(10);
    },
  );
});
