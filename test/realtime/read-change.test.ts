import { describe, expect, it } from "vitest";
import { shownResting } from "../../lib/orders/resting/shown.ts";
import type { StoredResting } from "../../lib/orders/resting/stored.ts";
import { pricesKey } from "../../lib/prices/item-keys.ts";
import { connectionKey, subscriberKey } from "../../lib/realtime/item-keys.ts";
import { readChange } from "../../lib/realtime/read-change.ts";
import { catalogueKey, redemptionKey } from "../../lib/rewards/item-keys.ts";
import { newRedemption } from "../../lib/rewards/redemption.ts";
import { walletKey } from "../../lib/table/wallet-keys.ts";
import { packed } from "../../lib/trading/items/items.ts";
import { restingKey } from "../../lib/trading/items/keys.ts";
import { profileKey, progressKey, referralKey } from "../../lib/users/item-keys.ts";
import { newProfile, progressOf } from "../../lib/users/profile.ts";
import { defaultSettings } from "../../lib/users/settings.ts";
import { walletEventKey } from "../../lib/wallets/item-keys.ts";
import { newWallet } from "../../lib/wallets/wallet.ts";
import { storedOrder } from "../orders/resting/fixtures.ts";
import { order, position, price } from "../support/executions.ts";
import { reward } from "../support/rewards.ts";
import { executionItem, pricesItem, settingsItem, streamRecord } from "../support/stream.ts";

const redemptionItem = (version: number) => ({
  ...redemptionKey("ann", new Date(0), "r1"),
  ...newRedemption(reward("mug"), { redemptionId: "r1", userID: "ann", now: new Date(0) }),
  version,
});

/** A stored wallet, and the part of it that may be published. */
function walletItem(version: number) {
  const named = { userID: "ann", network: "eth", address: "0x1", now: new Date(0) } as const;
  const wallet = { ...newWallet("imported", named), slot: 1, version };
  const item = {
    ...walletKey("ann", "eth", "0x1"),
    ...wallet,
    encryptedPrivateKey: "sealed",
    keyMaterialId: "m1",
  };
  return { wallet, item };
}

const content = { userID: "ann", version: 2, prices: [price()], orderId: "o1" };

describe("readChange", () => {
  it("reads changed settings, with the defaults filled in", () => {
    const record = streamRecord(settingsItem("ann", "sol", { slippage: 3, version: 4 }));
    const settings = { ...defaultSettings.sol, slippage: 3 };
    expect(readChange(record)).toEqual({ of: "settings", userID: "ann", chain: "sol", version: 4, settings });
  });

  it.each([
    ["others", settingsItem("ann", "eth", {}), settingsItem("ann", "eth", { slippage: 100 })],
    ["none", undefined, { ...settingsItem("ann", "eth", { slippage: 100 }), version: undefined }],
  ])("raises an alarm for settings that replace %s under the same version", (_, before, after) => {
    expect(() => readChange(streamRecord(after, before))).toThrow(
      expect.objectContaining({ name: "UnversionedSettings" }),
    );
  });

  it("reads an order or a position with its owner", () => {
    expect(readChange(streamRecord(executionItem("ann", order())))).toMatchObject({
      of: "execution",
      userID: "ann",
      kind: "order",
      execution: order(),
    });
    expect(readChange(streamRecord(executionItem("ann", position())))).toMatchObject({
      kind: "position",
      execution: position(),
    });
  });

  it("reads a resting order itself, as clients see it, whenever its version changes", () => {
    const resting = storedOrder();
    const item = (of: StoredResting) => ({ ...restingKey(of.mandate), ...(packed(of) as object) });
    expect(readChange(streamRecord(item(resting)))).toEqual({
      ...{ of: "execution", userID: "alice", kind: "order", isResting: true },
      execution: shownResting(resting),
    });
    const moved = { ...resting, revision: 2 };
    expect(readChange(streamRecord(item(moved), item(resting)))).toBeUndefined();
    expect(readChange(streamRecord(item({ ...moved, version: 2 }), item(moved)))).toMatchObject({
      execution: { version: 2 },
    });
    expect(readChange(streamRecord(undefined, item(resting)))).toBeUndefined();
  });

  it("reads a wallet without its private key, encrypted or not", () => {
    const { wallet, item } = walletItem(2);
    expect(readChange(streamRecord(item, { ...item, version: 1 }))).toEqual({
      of: "wallet",
      userID: "ann",
      wallet,
    });
    expect(readChange(streamRecord(walletItem(1).item))).toMatchObject({ of: "wallet" });
  });

  it("reads the prices that changed", () => {
    const unchanged = price({ chain: "eth" });
    const before = pricesItem([price({ price: "1" }), unchanged]);
    const after = pricesItem([price(), unchanged], { updatedAt: "2026-11-21T09:00:29.999Z" });
    expect(readChange(streamRecord(after, before))).toEqual({ of: "prices", prices: [price()] });
    expect(readChange(streamRecord(after, after))).toEqual({ of: "prices", prices: [] });
  });

  it("reads all prices and their run every half minute, even from a heartbeat", () => {
    const startedAt = "2026-11-21T09:00:01.000Z";
    const times = { startedAt, updatedAt: "2026-11-21T09:00:30.000Z" };
    const [before, after] = [pricesItem([price()]), pricesItem([price()], times)];
    const all = { of: "prices", prices: [price()], feed: { lease: "l1", startedAt } };
    expect(readChange(streamRecord(after, before))).toEqual(all);
    expect(readChange(streamRecord(after))).toEqual(all);
  });

  it("reads what a user is told about earnings, and skips a write of the same version", () => {
    const progress = (version: number) => {
      const now = new Date(version);
      const profile = newProfile({ _id: "p", userID: "ann", username: "Ann", refID: "R", now });
      return { ...progressKey("ann"), ...progressOf(profile, now) };
    };
    expect(readChange(streamRecord(progress(2), progress(1)))).toMatchObject({
      of: "progress",
      userID: "ann",
      progress: { Level: 1, points: 0, version: 2 },
    });
    expect(readChange(streamRecord(progress(2), progress(2)))).toBeUndefined();
  });

  it("reads a redemption and its status", () => {
    const [bought, done] = [redemptionItem(1), redemptionItem(2)];
    expect(readChange(streamRecord(bought))).toMatchObject({
      of: "redemption",
      userID: "ann",
      redemption: { redemptionId: "r1", version: 1 },
    });
    expect(readChange(streamRecord(done, bought))).toMatchObject({ redemption: { version: 2 } });
    expect(readChange(streamRecord({ ...done, name: "x" }, done))).toBeUndefined();
  });

  it.each([
    [
      "settings of the same version",
      settingsItem("ann", "eth", { slippage: 1 }),
      settingsItem("ann", "eth", { updatedAt: "x" }),
    ],
    [
      "an order of the same version",
      executionItem("ann", order()),
      executionItem("ann", order({ amount: "1" })),
    ],
    [
      "a wallet of the same version, such as one whose key was wrapped again",
      walletItem(2).item,
      { ...walletItem(2).item, keyMaterialId: "m0" },
    ],
    ["the end of a run of feedPrices", pricesKey, pricesItem([price()])],
  ])("ignores %s", (_, after, before) => {
    expect(readChange(streamRecord(after, before))).toBeUndefined();
  });

  it.each([
    ["settings", settingsItem("ann", "eth", {})],
    ["an order", executionItem("ann", order())],
    ["the prices", pricesItem([price()])],
  ])("ignores the deletion of %s", (_, before) => {
    expect(readChange(streamRecord(undefined, before))).toBeUndefined();
  });

  it.each([
    ["a profile", profileKey("ann")],
    ["a referral", referralKey("ann", new Date(0), "bob")],
    ["a wallet's event", walletEventKey("ann", "ORDER#1", new Date(0), "LATEST")],
    ["a connection", connectionKey("ann", "LATEST")],
    ["a subscriber", subscriberKey("prices", 0, "c1")],
    ["the catalogue", catalogueKey],
    ["a redemption in a partition of trading", { PK: "TRADES#ann", SK: redemptionItem(1).SK }],
  ])("ignores %s, whatever its content", (_, key) => {
    expect(readChange(streamRecord({ ...key, ...content }))).toBeUndefined();
  });

  it.each([
    ["no image", { ...streamRecord(undefined, executionItem("ann", order())), eventName: "MODIFY" as const }],
    ["no userID", streamRecord({ ...executionItem("ann", order()), userID: undefined })],
    ["a userID that is not text", streamRecord({ ...executionItem("ann", order()), userID: 5 })],
    ["a wallet without its owner", streamRecord({ ...walletItem(1).item, UserID: undefined })],
    ["a redemption without its owner", streamRecord({ ...redemptionItem(1), userID: undefined })],
    ["no id", streamRecord({ ...executionItem("ann", order()), orderId: undefined })],
    ["an unknown chain", streamRecord(settingsItem("ann", "bsc" as never, {}))],
    [
      "a number that JavaScript cannot represent",
      { dynamodb: { NewImage: { SK: { S: "ORDER#1" }, version: { N: "9".repeat(30) } } } },
    ],
  ])("throws for a record with %s", (_, record) => {
    expect(() => readChange(record)).toThrow();
  });
});
