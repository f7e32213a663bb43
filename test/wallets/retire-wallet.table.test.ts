import { DeleteCommand, PutCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { emptyEvmLedger } from "../../lib/chains/evm/rules/ledger.ts";
import { firstAfter, isCutOff } from "../../lib/orders/cutoffs.ts";
import { clocksApartMs } from "../../lib/orders/intent.ts";
import { getItems } from "../../lib/table/batch-get.ts";
import { sealedKeyKey, walletKey } from "../../lib/table/wallet-keys.ts";
import type { SealedWallet } from "../../lib/trading/items/found-items.ts";
import { jobKey, ledgerKey, slotKey } from "../../lib/trading/items/keys.ts";
import { ownsWallet } from "../../lib/trading/items/trader-records.ts";
import { readPlacing } from "../../lib/trading/items/views.ts";
import { readProfile } from "../../lib/users/profile-records.ts";
import { addWallet } from "../../lib/wallets/add-wallet.ts";
import { listEvents } from "../../lib/wallets/list-events.ts";
import { restoreWallet } from "../../lib/wallets/restore-wallet.ts";
import { retireWallet } from "../../lib/wallets/retire-wallet.ts";
import { listed, newWallet, type Wallet, type WalletLabels } from "../../lib/wallets/wallet.ts";
import { addressesOfUser, walletsOfUser } from "../../lib/wallets/wallet-records.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { interceptedTable } from "../support/intercepted-table.ts";
import { putItems } from "../support/items.ts";
import { shortPausesForTests } from "../support/short-pauses.ts";
import { intent, tradeOrder } from "../support/trading.ts";
import { eventTypes, fakeSeal, holderOf, walletLimits as limits } from "../support/wallets.ts";

const db = tableForTests();
shortPausesForTests();
let count = 0;
const now = new Date("2026-11-22T10:00:00.500Z");
const dayMs = 86_400_000;
const later = (days: number) => new Date(now.getTime() + days * dayMs);

const wake = vi.fn(async () => undefined);
const endResting = vi.fn(async () => undefined);
beforeEach(() => void vi.clearAllMocks());
const retire = ({ UserID: userID, _id: walletId }: Wallet, at = now) =>
  retireWallet({ table: db.table, limits, wake, endResting }, { userID, walletId, now: at });
const restore = ({ UserID: userID, _id: walletId }: Wallet, at = now) =>
  restoreWallet(db.table, { userID, walletId, limits, now: at });
const importAgain = (userID: string, address: string, at = now, labels: WalletLabels = {}) => {
  const wallet = newWallet("imported", { userID, network: "eth", address, now: at }, labels);
  return addWallet(db.table, { wallet, seal: fakeSeal, limits, now: at });
};

const put = (Item: object) => db.table.client.send(new PutCommand({ TableName: db.table.name, Item }));
const countOf = async (userID: string) => (await readProfile(db.table, userID))?.walletCount;
const namesOf = async (userID: string) =>
  listed(await walletsOfUser(db.table, userID)).map(({ slotName }) => slotName);
const notFound = { code: "WALLET_NOT_FOUND" };

const orderId = "01KAMZ3Q5T9WJ2M4N6P8R0S1V3";
const validUntil = Math.floor(now.getTime() / 1000) + 120;

const laneAt = (wallet: string) => ({ chain: "eth", wallet }) as const;

/** Makes the signer's ledger of an order that was signed at nonce 7, with changes to the ledger. */
const ledgerOf = (userID: string, changes: object = {}) => ({
  ...ledgerKey(orderId),
  ...emptyEvmLedger(intent({ orderId, userID, ...laneAt(`0x${userID}`), validUntil })),
  fees: { 7: {} },
  ...changes,
});

/** Creates a wallet with one order, whose transaction is in the given state. */
async function trader(userID: string, state: string, owner = userID): Promise<Wallet> {
  const [wallet] = (await holderOf(db.table, userID, [`0x${userID}`])) as [Wallet];
  const lane = laneAt(`0x${userID}`);
  await put({ ...jobKey(lane, orderId), ...lane, orderId, userID: owner });
  await put({ ...slotKey(lane, 7), ...lane, place: 7, orderId, userID: owner, state });
  await put(ledgerOf(userID, { userID: owner, ...(state === "planned" && { fees: {} }) }));
  return wallet;
}

describe("retireWallet", () => {
  it("hides the wallet, frees its place in the limit, and keeps the wallet for 30 days", async () => {
    const [wallet] = (await holderOf(db.table, "leaver", ["0x1", "0x2"])) as [Wallet];
    expect(await retire(wallet)).toMatchObject({ wallet, restorableUntil: "2026-12-22T10:00:01.000Z" });
    expect(await namesOf("leaver")).toEqual(["Wallet 2"]);
    expect(await addressesOfUser(db.table, "leaver", "eth")).toEqual(["0x2"]);
    expect(await addressesOfUser(db.table, "leaver", "base")).toEqual([]);
    expect(await countOf("leaver")).toBe(1);
    expect(await ownsWallet(db.table, { chain: "eth", wallet: "0x1" }, "leaver")).toBe(false);
    expect(await eventTypes(db.table, wallet)).toContain("retired");
    expect(wake).not.toHaveBeenCalled();
  });

  it.each<[string, (wallet: Wallet) => Promise<unknown>]>([
    ["restored", (wallet) => restore(wallet, later(1))],
    ["imported again after a month", () => importAgain("reviver2", "0xreviver2", later(31))],
  ])(
    "never lets an order that was placed before be signed, even if the wallet is %s",
    async (how, revive) => {
      const userID = how === "restored" ? "reviver1" : "reviver2";
      const address = `0x${userID}`;
      const [wallet] = (await holderOf(db.table, userID, [address])) as [Wallet];
      const order = (createdAt: number) =>
        tradeOrder({ intent: intent({ userID, ...laneAt(address), createdAt }) });
      // The clock of placeOrder may be ahead.
      const [placed, next] = [order(now.getTime() + clocksApartMs), order(now.getTime() + clocksApartMs + 1)];
      await retire(wallet);
      await revive(wallet);
      const { cutoffs } = await readPlacing(db.table, { lane: laneAt(address), day: "2026-12-23", userID });
      expect([placed, next].map((each) => isCutOff(each.intent, cutoffs))).toEqual([true, false]);
      expect(firstAfter(laneAt(address), cutoffs)).toBe(next.intent.createdAt);
      if (how !== "restored") return;
      await retire(wallet);
      const again = await readPlacing(db.table, { lane: laneAt(address), day: "2026-12-23", userID });
      expect(isCutOff(next.intent, again.cutoffs)).toBe(true);
    },
  );

  it("cancels no orders of a wallet that it leaves active", async () => {
    const wallet = await trader("holder", "signed");
    await expect(retire(wallet)).rejects.toMatchObject({ code: "WALLET_BUSY" });
    const lane = laneAt("0xholder");
    const { cutoffs } = await readPlacing(db.table, { lane, day: "2026-11-22", userID: "holder" });
    expect(cutoffs).toEqual({});
  });

  it("expires the key together with the wallet, and keeps both after the wallet is restored", async () => {
    const [wallet] = (await holderOf(db.table, "keeper", ["0x1"])) as [Wallet];
    const stored = async () =>
      getItems<Partial<Wallet & SealedWallet>>(db.table, [
        walletKey("keeper", "eth", "0x1"),
        sealedKeyKey("keeper", "eth", "0x1"),
      ]);
    const ofBoth = async () => (await stored()).map(({ expiresAt }) => expiresAt);
    const expiresAt = Math.ceil(later(30).getTime() / 1000);
    await retire(wallet);
    expect(await ofBoth()).toEqual([expiresAt, expiresAt]);
    await restore(wallet);
    expect(await ofBoth()).toEqual([undefined, undefined]);
    await retire(wallet);
    await importAgain("keeper", "0x1", later(1));
    expect(await ofBoth()).toEqual([undefined, undefined]);
    await retire(wallet);
    const { wallet: again } = await importAgain("keeper", "0x1", later(31));
    expect(await ofBoth()).toEqual([undefined, undefined]);
    expect((await stored()).map(({ _id, walletId }) => _id ?? walletId)).toEqual([again._id, again._id]);
  });

  it("retires a wallet whose key is missing, but refuses to restore it", async () => {
    const [wallet] = (await holderOf(db.table, "keyless", ["0x1"])) as [Wallet];
    const Key = sealedKeyKey("keyless", "eth", "0x1");
    await db.table.client.send(new DeleteCommand({ TableName: db.table.name, Key }));
    expect(await retire(wallet)).toMatchObject({ wallet });
    await expect(restore(wallet)).rejects.toThrow();
    expect(await namesOf("keyless")).toEqual([]);
  });

  it("while the wallet can be restored, returns the same response to a repeated request, and ends orders again", async () => {
    const wallet = await trader("repeater", "planned");
    const { restorableUntil } = await retire(wallet);
    expect(await retire(wallet, later(29))).toMatchObject({ restorableUntil, wallet: { _id: wallet._id } });
    expect(wake).toHaveBeenCalledTimes(2);
    expect(endResting.mock.calls).toEqual(Array(2).fill(["repeater", laneAt("0xrepeater")]));
    expect(await countOf("repeater")).toBe(0);
    expect((await eventTypes(db.table, wallet)).toSorted()).toEqual(["imported", "retired"]);
    await expect(retire(wallet, later(31))).rejects.toMatchObject(notFound);
  });

  it("succeeds once it is written, even if DynamoDB's response was lost", async () => {
    const wallet = await trader("unlucky", "planned");
    const send = db.table.client.send.bind(db.table.client);
    const spy = vi.spyOn(db.table.client, "send").mockImplementation((async (command: never) => {
      const answer = await send(command);
      if (Object.is((command as object).constructor, TransactWriteCommand)) throw new Error("TimeoutError");
      return answer;
    }) as never);
    expect(await retire(wallet)).toMatchObject({ wallet });
    spy.mockRestore();
    expect(wake).toHaveBeenCalledOnce();
  });

  it("never gives the wallet's number to another wallet", async () => {
    const [, second] = (await holderOf(db.table, "numberer", ["0x1", "0x2"])) as [Wallet, Wallet];
    await retire(second);
    await holderOf(db.table, "numberer", ["0x3"]);
    expect(await namesOf("numberer")).toEqual(["Wallet 1", "Wallet 3"]);
    await restore(second);
    expect(await namesOf("numberer")).toEqual(["Wallet 1", "Wallet 2", "Wallet 3"]);
  });

  it.each(["signed", "mined"])("refuses to retire a wallet while a transaction is %s", async (state) => {
    const wallet = await trader(state, state);
    await expect(retire(wallet)).rejects.toMatchObject({ code: "WALLET_BUSY" });
    expect(await walletsOfUser(db.table, state)).toEqual([wallet]);
  });

  it("waits for an unsettled transaction until an hour after its order's deadline", async () => {
    const wallet = await trader("patient", "signed");
    const lastMs = (validUntil + 3600) * 1000;
    await expect(retire(wallet, new Date(lastMs - 1000))).rejects.toMatchObject({ code: "WALLET_BUSY" });
    await retire(wallet, new Date(lastMs));
    expect(await namesOf("patient")).toEqual([]);
  });

  const lies: Record<string, (userID: string) => object[]> = {
    "without a ledger": () => [],
    "of another user's order": (userID) => [ledgerOf(userID, { userID: "somebody else" })],
    "of an order on another chain": (userID) => [ledgerOf(userID, { chain: "base" })],
    "of an order of another wallet": (userID) => [ledgerOf(userID, { wallet: "0x9" })],
    "at a nonce at which nothing was signed": (userID) => [ledgerOf(userID, { fees: { 8: {} } })],
  };

  it.each(Object.entries(lies))("retires a wallet despite a planted slot %s", async (_, itemsFor) => {
    const userID = `planted${++count}`;
    const wallet = await trader(userID, "signed");
    await db.table.client.send(new DeleteCommand({ TableName: db.table.name, Key: ledgerKey(orderId) }));
    for (const item of itemsFor(userID)) await put(item);
    await retire(wallet);
    expect(await namesOf(userID)).toEqual([]);
  });

  it("retires a wallet despite thousands of planted items of any type and size", async () => {
    const [wallet] = (await holderOf(db.table, "flooded", ["0xflooded"])) as [Wallet];
    const own = { userID: "flooded", state: "signed" };
    const odd = [7, null, true, ["o"], { bigint: "x" }, new Set(["o"]), "", "#".repeat(3000), "__proto__"];
    const planted = [
      ...odd.map((orderId, place) => ({ ...own, orderId, place })),
      ...odd.map((place) => ({ ...own, orderId, place })),
      ...Array.from({ length: 1500 }, (_, index) => ({
        ...own,
        orderId: String(index).padStart(26, "0"),
        place: 7,
      })),
      ...Array.from({ length: 5 }, () => ({ ...own, orderId, place: 7, junk: "x".repeat(300_000) })),
    ];
    await putItems(
      db.table,
      planted.map((item, index) => ({ ...slotKey(laneAt("0xflooded"), index), ...item })),
    );
    let calls = 0;
    const table = interceptedTable(db.table, () => void calls++);
    const { UserID: userID, _id: walletId } = wallet;
    await retireWallet({ table, limits, wake, endResting }, { userID, walletId, now });
    expect(calls).toBeLessThan(10);
    expect(await namesOf("flooded")).toEqual([]);
  });

  it("ends open orders before anything is signed", async () => {
    await retire(await trader("planner", "planned"));
    expect(wake).toHaveBeenCalledExactlyOnceWith({ chain: "eth", wallet: "0xplanner" });
    expect(endResting).toHaveBeenCalledTimes(1);
    expect(await namesOf("planner")).toEqual([]);
  });

  it("ignores another user's transactions for the same address", async () => {
    await retire(await trader("sharer", "signed", "somebody else"));
    expect(await namesOf("sharer")).toEqual([]);
  });

  it("undoes a retirement if a transaction was signed at the last moment, and ends all that it has cancelled", async () => {
    const wallet = await trader("racer", "planned");
    const send = db.table.client.send.bind(db.table.client);
    let reads = 0;
    const spy = vi.spyOn(db.table.client, "send").mockImplementation((async (command: {
      input: { ExpressionAttributeValues?: { ":pk"?: string } };
    }) => {
      const isOfLane = command.input.ExpressionAttributeValues?.[":pk"] === "LANE#eth#0xracer";
      if (isOfLane && ++reads === 2)
        await put({
          ...slotKey(laneAt("0xracer"), 7),
          place: 7,
          orderId,
          userID: "racer",
          state: "signed",
        });
      if (isOfLane && reads === 2) await put(ledgerOf("racer"));
      return send(command as never);
    }) as never);
    await expect(retire(wallet)).rejects.toMatchObject({ code: "WALLET_BUSY" });
    spy.mockRestore();
    const lane = laneAt("0xracer");
    const { cutoffs } = await readPlacing(db.table, { lane, day: "2026-11-22", userID: "racer" });
    expect(cutoffs.wallet?.before).toBeGreaterThan(now.getTime());
    expect(endResting).toHaveBeenCalledExactlyOnceWith("racer", lane);
    expect(await walletsOfUser(db.table, "racer")).toEqual([{ ...wallet, version: 3 }]);
    expect(await countOf("racer")).toBe(1);
    const { events } = await listEvents(db.table, { userID: "racer", walletId: wallet._id }, { limit: "9" });
    expect(events.find(({ type }) => type === "restored")?.time).toBe("2026-11-22T10:00:00.501Z");
  });

  it("does not find another user's wallet", async () => {
    const [wallet] = (await holderOf(db.table, "owner", ["0x1"])) as [Wallet];
    await holderOf(db.table, "thief", []);
    await expect(retire({ ...wallet, UserID: "thief" })).rejects.toMatchObject(notFound);
    await expect(restore({ ...wallet, UserID: "thief" })).rejects.toMatchObject(notFound);
    const named = { userID: "thief", walletId: wallet._id };
    await expect(listEvents(db.table, named, { limit: "5" })).rejects.toMatchObject(notFound);
  });
});

describe("restoreWallet", () => {
  it("restores the wallet unchanged, and changes nothing on a second request", async () => {
    const [wallet] = (await holderOf(db.table, "regretter", ["0x1"])) as [Wallet];
    await retire(wallet);
    expect(await restore(wallet, later(29))).toEqual({ ...wallet, version: 3 });
    expect(await restore(wallet, later(29))).toEqual({ ...wallet, version: 3 });
    expect(await countOf("regretter")).toBe(1);
    expect(await ownsWallet(db.table, { chain: "eth", wallet: "0x1" }, "regretter")).toBe(true);
  });

  it("requires a free place to restore a wallet", async () => {
    const [wallet] = (await holderOf(db.table, "full", ["0xA"])) as [Wallet];
    await retire(wallet);
    await holderOf(
      db.table,
      "full",
      Array.from({ length: 10 }, (_, index) => `0x${index}`),
    );
    await expect(restore(wallet)).rejects.toMatchObject({ code: "WALLET_LIMIT_REACHED" });
  });

  it("fails to restore a wallet after 30 days, even if the table still has it", async () => {
    const [wallet] = (await holderOf(db.table, "sleeper", ["0x1"])) as [Wallet];
    await retire(wallet);
    await expect(restore(wallet, later(31))).rejects.toMatchObject(notFound);
  });
});

describe("addWallet for a retired address", () => {
  it("restores the wallet with its id, its number and its private key", async () => {
    const [wallet] = (await holderOf(db.table, "importer", ["0x1"])) as [Wallet];
    await retire(wallet);
    expect(await importAgain("importer", "0x1")).toEqual({
      outcome: "restored",
      wallet: { ...wallet, version: 3 },
    });
    expect(await walletsOfUser(db.table, "importer")).toEqual([{ ...wallet, version: 3 }]);
    expect(await countOf("importer")).toBe(1);
  });

  it("applies the name and colour of the import, and keeps the old ones if the import has none", async () => {
    const [wallet] = (await holderOf(db.table, "painter", ["0x1"])) as [Wallet];
    await retire(wallet);
    const labels = { slotName: "Vault", colortag: "pink" } as const;
    expect(await importAgain("painter", "0x1", now, labels)).toMatchObject({ wallet: labels });
    await retire(wallet);
    await importAgain("painter", "0x1", now, { colortag: "teal" });
    expect(await walletsOfUser(db.table, "painter")).toEqual([
      { ...wallet, version: 5, slotName: "Vault", colortag: "teal" },
    ]);
    // An active wallet keeps its name and colour.
    expect(await importAgain("painter", "0x1", now, labels)).toMatchObject({ wallet: { colortag: "teal" } });
  });

  it("creates a new wallet once the old one is removed", async () => {
    const [wallet] = (await holderOf(db.table, "late", ["0x1"])) as [Wallet];
    await retire(wallet);
    const { outcome, wallet: next } = await importAgain("late", "0x1", later(31));
    expect([outcome, next.slot]).toEqual(["added", 2]);
    expect(next._id).not.toBe(wallet._id);
    expect(await walletsOfUser(db.table, "late")).toEqual([next]);
    const { events } = await listEvents(db.table, { userID: "late", walletId: wallet._id }, { limit: "5" });
    expect(events.map(({ type }) => type)).toContain("retired");
  });
});
