import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it, vi } from "vitest";
import type { Network } from "../../lib/core/network.ts";
import type { WalletLimits } from "../../lib/core/tier.ts";
import { profileKey } from "../../lib/users/item-keys.ts";
import { readProfile } from "../../lib/users/profile-records.ts";
import { register } from "../../lib/users/register.ts";
import { addWallet } from "../../lib/wallets/add-wallet.ts";
import { listed, type NewWallet, newWallet } from "../../lib/wallets/wallet.ts";
import { walletsOfUser } from "../../lib/wallets/wallet-records.ts";
import { tableForTests } from "../support/dynamodb.ts";

const db = tableForTests();

const limits = { Base: 10, Pro: 50, Enterprise: 500 };
const seal = async () => ({ encryptedPrivateKey: Buffer.from("sealed"), keyMaterialId: "m1" });

/** Imports a wallet and returns the outcome. */
async function importWallet(wallet: NewWallet, sealing: typeof seal = seal, allowed: WalletLimits = limits) {
  const addition = { wallet, seal: sealing, limits: allowed, now: new Date() };
  return (await addWallet(db.table, addition)).outcome;
}

const add = (userID: string, address: string, network: Network = "eth") =>
  importWallet(newWallet("imported", { userID, network, address, now: new Date() }));

async function holder(userID: string): Promise<string> {
  await register(db.table, { userID, names: [], ref: undefined }, new Date());
  return userID;
}

const outcomes = async (imports: Promise<unknown>[]) => {
  const settled = await Promise.allSettled(imports);
  const added = settled.filter(({ status }) => status === "fulfilled").length;
  const refused = settled.filter(
    (one) => one.status === "rejected" && one.reason.code === "WALLET_LIMIT_REACHED",
  ).length;
  return { added, refused };
};

const countOf = async (userID: string) => (await readProfile(db.table, userID))?.walletCount;

describe("addWallet", () => {
  it("imports 10 of 50 simultaneous wallets at a limit of 10", async () => {
    const userID = await holder("hoarder");
    const imports = Array.from({ length: 50 }, (_, index) => add(userID, `0x${index}`));
    expect(await outcomes(imports)).toEqual({ added: 10, refused: 40 });
    expect(await walletsOfUser(db.table, userID)).toHaveLength(10);
    expect(await countOf(userID)).toBe(10);
  });

  it("numbers wallets in the order of storage, whatever the clocks and the concurrency", async () => {
    const userID = await holder("collector");
    await Promise.all(Array.from({ length: 10 }, (_, index) => add(userID, `0x${index}`)));
    const slots = (await walletsOfUser(db.table, userID)).map(({ slot }) => slot);
    expect(slots.toSorted()).toEqual([1, 10, 2, 3, 4, 5, 6, 7, 8, 9]);
    const behind = newWallet("imported", {
      userID: await holder("traveller"),
      network: "eth",
      address: "0x2",
      now: new Date(0),
    });
    await add("traveller", "0x1");
    await importWallet(behind, seal);
    const names = listed(await walletsOfUser(db.table, "traveller")).map(
      ({ generatedWalletAddress, slotName }) => [generatedWalletAddress, slotName],
    );
    expect(names).toEqual([
      ["0x1", "Wallet 1"],
      ["0x2", "Wallet 2"],
    ]);
  });

  it("imports a wallet once when it arrives 20 times at once", async () => {
    const userID = await holder("repeater");
    expect(await outcomes(Array.from({ length: 20 }, () => add(userID, "0x1")))).toEqual({
      added: 20,
      refused: 0,
    });
    expect(await walletsOfUser(db.table, userID)).toHaveLength(1);
    expect(await countOf(userID)).toBe(1);
  });

  it("keeps the wallets of each network and each user apart", async () => {
    const [alice, bob] = [await holder("alice"), await holder("bob")];
    await add(alice, "0x1", "eth");
    await add(alice, "0x1", "base");
    await add(bob, "0x1", "eth");
    expect((await walletsOfUser(db.table, alice)).map(({ network }) => network)).toEqual(["base", "eth"]);
    expect(await walletsOfUser(db.table, bob)).toHaveLength(1);
  });

  it("accepts a wallet that the user already has, even at the limit, without counting it again", async () => {
    const userID = await holder("full");
    for (let index = 0; index < 10; index++) await add(userID, `0x${index}`);
    await expect(add(userID, "0x3")).resolves.toBe("held");
    await expect(add(userID, "0x10")).rejects.toThrow("Wallet limit of 10 reached for tier Base");
    expect(await countOf(userID)).toBe(10);
  });

  it("limits a user of tier Pro to that tier's number of wallets", async () => {
    const userID = await holder("pro");
    await db.table.client.send(
      new UpdateCommand({
        TableName: db.table.name,
        Key: profileKey(userID),
        UpdateExpression: "SET tier = :pro, walletCount = :count",
        ExpressionAttributeValues: { ":pro": "Pro", ":count": 49 },
      }),
    );
    await add(userID, "0x49");
    await expect(add(userID, "0x50")).rejects.toThrow("Wallet limit of 50 reached for tier Pro");
  });

  it("stores nothing if the key cannot be sealed", async () => {
    const userID = await holder("unlucky");
    const wallet = newWallet("imported", { userID, network: "eth", address: "0x1", now: new Date() });
    const failing = () => Promise.reject(new Error("KMS is down"));
    await expect(importWallet(wallet, failing)).rejects.toThrow("KMS is down");
    expect(await walletsOfUser(db.table, userID)).toEqual([]);
    expect(await countOf(userID)).toBe(0);
  });

  it("seals no key at the limit", async () => {
    const userID = await holder("sealed out");
    const wallet = newWallet("imported", { userID, network: "eth", address: "0x1", now: new Date() });
    const unused = vi.fn(seal);
    await expect(importWallet(wallet, unused, { ...limits, Base: 0 })).rejects.toThrow("limit of 0");
    expect(unused).not.toHaveBeenCalled();
  });

  it("rejects the wallet if the user's tier is lowered in the meantime", async () => {
    const userID = await holder("faller");
    const setProfile = (tier: string) =>
      db.table.client.send(
        new UpdateCommand({
          TableName: db.table.name,
          Key: profileKey(userID),
          UpdateExpression: "SET tier = :tier, walletCount = :count",
          ExpressionAttributeValues: { ":tier": tier, ":count": 15 },
        }),
      );
    await setProfile("Pro");
    const fall = async () => {
      await setProfile("Base");
      return seal();
    };
    const wallet = newWallet("imported", { userID, network: "eth", address: "0x1", now: new Date() });
    await expect(importWallet(wallet, fall)).rejects.toThrow("reached for tier Base");
    expect(await walletsOfUser(db.table, userID)).toEqual([]);
  });

  it("imports the wallet if the user's tier is raised in the meantime, and seals the wallet's key once", async () => {
    const userID = await holder("riser");
    const wallet = newWallet("imported", { userID, network: "eth", address: "0x1", now: new Date() });
    const rise = vi.fn(async () => {
      await db.table.client.send(
        new UpdateCommand({
          TableName: db.table.name,
          Key: profileKey(userID),
          UpdateExpression: "SET tier = :pro, walletCount = :ten",
          ExpressionAttributeValues: { ":pro": "Pro", ":ten": 10 },
        }),
      );
      return seal();
    });
    await importWallet(wallet, rise);
    expect(rise).toHaveBeenCalledOnce();
    expect(await countOf(userID)).toBe(11);
  });
});

describe("addWallet during another import", () => {
  it("reads the count again instead of repeating a write that would fail", async () => {
    const userID = await holder("contender");
    const send = db.table.client.send.bind(db.table.client);
    const transactions = vi.fn();
    const meeting = vi.spyOn(db.table.client, "send").mockImplementation((async (command: UpdateCommand) => {
      if (!((command as object) instanceof TransactWriteCommand)) return send(command);
      transactions();
      await send(
        new UpdateCommand({
          TableName: db.table.name,
          Key: profileKey(userID),
          UpdateExpression: "SET walletCount = :ten",
          ExpressionAttributeValues: { ":ten": 10 },
        }),
      );
      const CancellationReasons = [{ Code: "None" }, { Code: "TransactionConflict" }];
      throw new TransactionCanceledException({ $metadata: {}, message: "cancelled", CancellationReasons });
    }) as never);
    await expect(add(userID, "0x1")).rejects.toThrow("Wallet limit of 10 reached");
    expect(transactions).toHaveBeenCalledOnce();
    meeting.mockRestore();
  });
});

describe("walletsOfUser", () => {
  it("omits the encrypted key", async () => {
    const userID = await holder("lister");
    await add(userID, "0x1");
    expect(Object.keys((await walletsOfUser(db.table, userID))[0] ?? {}).sort()).toEqual(
      [
        "UserID",
        "_id",
        "createdAt",
        "generatedWalletAddress",
        "network",
        "slot",
        "version",
        "walletType",
      ].sort(),
    );
  });
});
