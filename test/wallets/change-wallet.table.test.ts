import { describe, expect, it } from "vitest";
import { changeWallet } from "../../lib/wallets/change-wallet.ts";
import { listed, type Wallet, type WalletLabels } from "../../lib/wallets/wallet.ts";
import { readWalletEvents } from "../../lib/wallets/wallet-events.ts";
import { walletsOfUser } from "../../lib/wallets/wallet-records.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { holderOf } from "../support/wallets.ts";

const db = tableForTests();

const change = ({ UserID: userID, _id: walletId }: Wallet, labels: WalletLabels, now = new Date()) =>
  changeWallet(db.table, { userID, walletId, labels, now });

const one = async (userID: string) => (await holderOf(db.table, userID, ["0x1"]))[0] as Wallet;

const listOf = async (userID: string) => listed(await walletsOfUser(db.table, userID));

describe("changeWallet", () => {
  it("sets a name and a colour, and resets both to the defaults", async () => {
    const wallet = await one("painter");
    await change(wallet, { slotName: "Sniper", colortag: "pink" });
    expect(await listOf("painter")).toMatchObject([{ slotName: "Sniper", colortag: "pink" }]);
    await change(wallet, { slotName: null });
    expect(await listOf("painter")).toMatchObject([{ slotName: "Wallet 1", colortag: "pink" }]);
    expect(await change(wallet, { colortag: null })).toMatchObject({ version: 4 });
    expect(await walletsOfUser(db.table, "painter")).toEqual([{ ...wallet, version: 4 }]);
  });

  it("records each change, and records nothing if there is no change", async () => {
    const wallet = await one("archivist");
    await change(wallet, { slotName: "Sniper" }, new Date("2100-01-01"));
    await change(wallet, { slotName: "Sniper", colortag: null }, new Date("2100-01-02"));
    await change(wallet, { slotName: null, colortag: "red" }, new Date("2100-01-03"));
    const named = { userID: "archivist", walletId: wallet._id };
    const { events } = await readWalletEvents(db.table, named, { limit: 10 });
    expect(events).toMatchObject([
      { type: "renamed", time: "2100-01-03T00:00:00.000Z", slotName: null, colortag: "red" },
      { type: "renamed", time: "2100-01-01T00:00:00.000Z", slotName: "Sniper" },
      { type: "imported" },
    ]);
    expect((await walletsOfUser(db.table, "archivist"))[0]?.version).toBe(3);
  });

  it("keeps all of ten concurrent changes", async () => {
    const wallet = await one("crowd");
    await Promise.all(
      Array.from({ length: 10 }, (_, index) => change(wallet, { slotName: `Name ${index}` })),
    );
    expect((await walletsOfUser(db.table, "crowd"))[0]?.version).toBe(11);
  });

  it("does not find another user's wallet", async () => {
    const wallet = await one("owner");
    await one("stranger");
    const stolen = change({ ...wallet, UserID: "stranger" }, { slotName: "Mine" });
    await expect(stolen).rejects.toMatchObject({ code: "WALLET_NOT_FOUND" });
    expect(await walletsOfUser(db.table, "owner")).toEqual([wallet]);
  });
});
