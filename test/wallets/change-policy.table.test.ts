import { TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it, vi } from "vitest";
import { walletKey } from "../../lib/table/wallet-keys.ts";
import { readPolicyRecord } from "../../lib/trading/items/policy-records.ts";
import { askForPolicy, policyOfWallet } from "../../lib/wallets/change-policy.ts";
import { forgetLoosening, shownPolicies } from "../../lib/wallets/guard-records.ts";
import { looseningKey } from "../../lib/wallets/item-keys.ts";
import { changePolicy, loosenDue } from "../../lib/wallets/loosen-guards.ts";
import type { PolicyText } from "../../lib/wallets/policy-text.ts";
import { retireWallet } from "../../lib/wallets/retire-wallet.ts";
import type { Wallet } from "../../lib/wallets/wallet.ts";
import { readWalletEvents } from "../../lib/wallets/wallet-events.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { interceptedTable } from "../support/intercepted-table.ts";
import { itemsNamed, putItems } from "../support/items.ts";
import { eventTypes, holderOf, walletLimits } from "../support/wallets.ts";

const db = tableForTests();

const noon = new Date("2100-11-22T12:00:00.000Z");
const hoursLater = (hours: number) => new Date(noon.getTime() + hours * 60 * 60_000);
const text = (changes: Partial<PolicyText> = {}): PolicyText => ({
  tokens: "any",
  tradingEnabled: true,
  ...changes,
});

const deps = {
  get table() {
    return db.table;
  },
};

/** Runs loosenGuards like its schedule. */
const sweep = async (now: Date) => {
  const faults: unknown[] = [];
  const deadline = new Date(Date.now() + 60_000);
  await loosenDue({ ...deps, delaySeconds: 0 }, { now, deadline }, (error) => faults.push(error));
  expect(faults).toEqual([]);
};

const named = ({ UserID: userID, _id: walletId }: Wallet, now = noon) => ({ userID, walletId, now });
const set = (wallet: Wallet, asked: PolicyText, now = noon, signedInAt = now) =>
  changePolicy(deps, { ...named(wallet, now), signedInAt, asked });
const get = (wallet: Wallet) => policyOfWallet(db.table, named(wallet));
const one = async (userID: string) => (await holderOf(db.table, userID, ["0xA1"]))[0] as Wallet;
const keyOf = (userID: string) => ({ userID, chain: "eth", wallet: "0xA1" }) as const;

const eventsOf = async (wallet: Wallet) =>
  (await readWalletEvents(db.table, named(wallet), { limit: 100 })).events;

describe("changePolicy", () => {
  const limited = text({ maxPerOrder: "0.5", maxPerDay: "2" });

  it("tightens limits at once, loosens limits after 24 hours, and records both changes", async () => {
    const wallet = await one("careful");
    expect(await get(wallet)).toEqual({ policy: text() });
    expect(await set(wallet, limited)).toEqual({ policy: limited });
    const pending = { policy: text(), effectiveAt: hoursLater(25).toISOString() };
    expect(await set(wallet, text(), hoursLater(1))).toEqual({ policy: limited, pending });
    await sweep(hoursLater(24.9));
    expect(await get(wallet)).toEqual({ policy: limited, pending });
    await sweep(hoursLater(25.1));
    expect(await get(wallet)).toEqual({ policy: text() });
    expect(await eventsOf(wallet)).toMatchObject([
      { type: "policyChanged", policy: text() },
      { type: "policyChanged", policy: limited, pending },
      { type: "policyChanged", policy: limited },
      { type: "imported" },
    ]);
  });

  it("requires a fresh sign-in only for looser limits, and changes nothing without one", async () => {
    const wallet = await one("robbed");
    const [yesterday, later] = [hoursLater(-24), hoursLater(1)];
    const setByThief = (asked: PolicyText, now = noon) => set(wallet, asked, now, yesterday);
    expect(await setByThief(limited)).toEqual({ policy: limited });
    const refused = { code: "SIGN_IN_REQUIRED", details: { maxAgeSeconds: 300 } };
    const mixed = text({ maxPerOrder: "0.1", maxPerDay: "3" });
    await expect(setByThief(mixed)).rejects.toMatchObject(refused);
    expect(await get(wallet)).toEqual({ policy: limited });

    const pending = { policy: text(), effectiveAt: hoursLater(24).toISOString() };
    await set(wallet, text());
    expect(await setByThief(text(), later)).toEqual({ policy: limited, pending });
    const less = text({ maxPerDay: "9" });
    expect(await setByThief(less, later)).toEqual({ policy: limited, pending: { ...pending, policy: less } });
    await expect(setByThief(text(), later)).rejects.toMatchObject(refused);
    const frozen = { ...limited, tradingEnabled: false };
    expect(await setByThief(frozen, later)).toEqual({ policy: frozen });
    await expect(setByThief(limited, later)).rejects.toMatchObject(refused);
  });

  it("raises the limit of network fees at once after a fresh sign-in, and announces it", async () => {
    const wallet = await one("trader");
    const raised = text({ maxNetworkFeesPerDay: "50" });
    const yesterday = hoursLater(-24);
    await expect(set(wallet, raised, noon, yesterday)).rejects.toMatchObject({ code: "SIGN_IN_REQUIRED" });
    expect(await get(wallet)).toEqual({ policy: text() });
    expect(await set(wallet, raised)).toEqual({ policy: raised });
    const shown = async () => (await shownPolicies(db.table, "trader")).map(({ change }) => change);
    expect(await shown()).toEqual(["loosened"]);
    const lower = text({ maxNetworkFeesPerDay: "0.2" });
    expect(await set(wallet, lower, hoursLater(1), yesterday)).toEqual({ policy: lower });
    expect(await shown()).toEqual(["tightened"]);
  });

  it("freezes a wallet without a fresh sign-in, whatever other limits are in the request", async () => {
    const wallet = await one("hurried");
    await set(wallet, limited);
    const frozen = text({ tradingEnabled: false });
    const answer = await set(wallet, frozen, noon, hoursLater(-24));
    // Expects no pending policy, because it would remove the other limits a day later.
    expect(answer).toEqual({ policy: { ...limited, tradingEnabled: false } });
    const lifted = set(wallet, text(), hoursLater(48), noon);
    await expect(lifted).rejects.toMatchObject({ code: "SIGN_IN_REQUIRED" });
  });

  it("starts from the policy in force at the time of the change", async () => {
    const wallet = await one("patient");
    await set(wallet, limited);
    await set(wallet, text({ maxPerDay: "2" }), hoursLater(1));
    const answer = await set(wallet, text({ maxPerOrder: "9", maxPerDay: "3" }), hoursLater(26));
    expect(answer.policy).toEqual(text({ maxPerOrder: "9", maxPerDay: "2" }));
    expect(await readPolicyRecord(db.table, keyOf("patient"))).toMatchObject({ revision: 4 });
  });

  it("writes nothing if the policy stays the same", async () => {
    const wallet = await one("idle");
    await set(wallet, text());
    expect(await readPolicyRecord(db.table, keyOf("idle"))).toBeUndefined();
    await set(wallet, limited);
    await set(wallet, text(), hoursLater(1));
    const again = await set(wallet, text(), hoursLater(2));
    expect(again.pending?.effectiveAt).toBe(hoursLater(25).toISOString());
    expect((await eventsOf(wallet)).map(({ type }) => type)).toHaveLength(3);
  });

  it("keeps all of ten concurrent changes", async () => {
    const wallet = await one("crowd");
    const limits = Array.from({ length: 10 }, (_, index) => text({ maxPerOrder: `${index + 1}` }));
    await Promise.all(limits.map((asked) => set(wallet, asked)));
    expect((await get(wallet)).policy).toEqual(text({ maxPerOrder: "1" }));
  });

  it("keeps the stricter fields of two simultaneous policies, in whichever order they arrive", async () => {
    const wallet = await one("torn");
    await set(wallet, text({ maxSlippage: 2 }));
    const frozen = text({ maxSlippage: 5, tradingEnabled: false });
    const strict = text({ maxSlippage: 0.5, maxPerDay: "1" });
    await Promise.all([set(wallet, frozen), set(wallet, strict)]);
    const { policy, pending } = await get(wallet);
    expect(policy).toEqual(text({ maxSlippage: 0.5, maxPerDay: "1", tradingEnabled: false }));
    expect([frozen, strict]).toContainEqual(pending?.policy);
  });

  it("keeps the policy of a removed wallet", async () => {
    const wallet = await one("returning");
    await set(wallet, limited);
    await db.table.client.send(
      new UpdateCommand({
        TableName: db.table.name,
        Key: walletKey("returning", "eth", "0xA1"),
        UpdateExpression: "SET #id = :other",
        ExpressionAttributeNames: { "#id": "_id" },
        ExpressionAttributeValues: { ":other": "imported again" },
      }),
    );
    expect((await get({ ...wallet, _id: "imported again" })).policy).toEqual(limited);
  });

  it("changes nothing if the wallet is retired after it was read", async () => {
    const wallet = await one("leaver");
    const retiring = {
      table: db.table,
      limits: walletLimits,
      wake: async () => {},
      endResting: async () => {},
    };
    let isRetired = false;
    const racing = interceptedTable(db.table, async (command) => {
      if (isRetired || !(command instanceof TransactWriteCommand)) return;
      isRetired = true;
      await retireWallet(retiring, named(wallet));
    });
    const changed = changePolicy({ table: racing }, { ...named(wallet), signedInAt: noon, asked: limited });
    await expect(changed).rejects.toMatchObject({ code: "WALLET_NOT_FOUND" });
    expect(await readPolicyRecord(db.table, keyOf("leaver"))).toBeUndefined();
    expect(await eventTypes(db.table, wallet)).toEqual(["retired", "imported"]);
  });

  it("finds neither retired wallets nor another user's wallets", async () => {
    const wallet = await one("owner");
    await one("stranger");
    const stolen = { ...wallet, UserID: "stranger" };
    await expect(set(stolen, limited)).rejects.toMatchObject({ code: "WALLET_NOT_FOUND" });
    await expect(get(stolen)).rejects.toMatchObject({ code: "WALLET_NOT_FOUND" });
    await db.table.client.send(
      new UpdateCommand({
        TableName: db.table.name,
        Key: walletKey("owner", "eth", "0xA1"),
        UpdateExpression: "SET retiredAt = :now",
        ExpressionAttributeValues: { ":now": noon.toISOString() },
      }),
    );
    await expect(set(wallet, limited)).rejects.toMatchObject({ code: "WALLET_NOT_FOUND" });
    await expect(get(wallet)).rejects.toMatchObject({ code: "WALLET_NOT_FOUND" });
  });
});

describe("loosenDue", () => {
  const frozen = text({ tradingEnabled: false });
  const shown = async (userID: string) => (await shownPolicies(db.table, userID))[0];

  it("records each change of a policy: tightened, announced, and loosened", async () => {
    const wallet = await one("watched");
    await set(wallet, frozen);
    expect(await shown("watched")).toMatchObject({ change: "tightened", policy: frozen, version: 1 });
    await set(wallet, text(), hoursLater(1));
    const pending = { policy: text(), effectiveAt: hoursLater(25).toISOString() };
    expect(await shown("watched")).toMatchObject({
      change: "announced",
      policy: frozen,
      pending,
      version: 2,
    });
    await sweep(hoursLater(25.1));
    expect(await shown("watched")).toMatchObject({ change: "loosened", policy: text(), version: 3 });
    expect(await shown("watched")).not.toHaveProperty("pending");
    expect(await itemsNamed(db.table, "#watched#")).toEqual([]);
  });

  it("keeps a wallet frozen when an earlier looser policy would have taken effect", async () => {
    const wallet = await one("freezer");
    await set(wallet, text({ maxPerOrder: "1" }));
    await set(wallet, text(), hoursLater(1));
    const frozen = text({ maxPerOrder: "1", tradingEnabled: false });
    await set(wallet, frozen, hoursLater(24.9));
    await sweep(hoursLater(25.1));
    expect(await get(wallet)).toEqual({ policy: frozen });
    expect(await shown("freezer")).toMatchObject({ change: "tightened", policy: frozen });
  });

  it("applies a policy only if it was announced in this table", async () => {
    const wallet = await one("restored");
    await set(wallet, frozen);
    await changePolicy(
      { table: { ...db.table, id: "an older table" } },
      { ...named(wallet), signedInAt: noon, asked: text() },
    );
    await sweep(hoursLater(25));
    expect(await get(wallet)).toEqual({ policy: frozen });
    expect(await shown("restored")).toMatchObject({ change: "tightened", policy: frozen });
  });

  it("ignores notes without an announcement, and continues after an unreadable one", async () => {
    const wallet = await one("victim");
    await set(wallet, frozen);
    await set(wallet, text(), hoursLater(1));
    const due = noon.toISOString();
    const note = { ...keyOf("victim"), walletId: wallet._id };
    await putItems(db.table, [{ ...looseningKey(due, "victim", "planted"), ...note }]);
    await sweep(hoursLater(1));
    expect((await get(wallet)).policy).toEqual(frozen);
    await putItems(db.table, [{ ...looseningKey(due, "", "unreadable"), userID: 7, lockId: {} }]);
    const faults: unknown[] = [];
    const times = { now: hoursLater(25.1), deadline: new Date(Date.now() + 60_000) };
    await loosenDue({ ...deps, delaySeconds: 0 }, times, (error) => faults.push(error));
    expect((await get(wallet)).policy).toEqual(text());
    await forgetLoosening(db.table, looseningKey(due, "", "unreadable"));
  });

  it("starts nothing after the deadline", async () => {
    const wallet = await one("late");
    await set(wallet, frozen);
    await set(wallet, text());
    const times = { now: hoursLater(25), deadline: new Date(0) };
    await loosenDue({ ...deps, delaySeconds: 0 }, times, () => undefined);
    expect((await get(wallet)).policy).toEqual(frozen);
    await sweep(hoursLater(25));
    expect((await get(wallet)).policy).toEqual(text());
  });
});

describe("askForPolicy", () => {
  it("checks the request first, and rejects a removed wallet", async () => {
    const wallet = await one("asker");
    const ask = vi.fn(async () => ({ refused: "WALLET_NOT_FOUND" as const }));
    const asking = (asked: PolicyText) =>
      askForPolicy({ table: db.table, ask }, { ...named(wallet), signedInAt: noon, asked });
    await expect(asking(text({ tokens: ["0x1"] }))).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      details: { field: "tokens.0" },
    });
    expect(ask).not.toHaveBeenCalled();
    await expect(asking(text())).rejects.toMatchObject({ code: "WALLET_NOT_FOUND" });
    expect(ask).toHaveBeenCalledExactlyOnceWith({
      userID: "asker",
      walletId: wallet._id,
      asked: text(),
      signedInAt: noon.toISOString(),
    });
  });
});
