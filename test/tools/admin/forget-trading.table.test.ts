import { describe, expect, it } from "vitest";
import { networks } from "../../../lib/core/network.ts";
import { forgetTrading } from "../../../lib/tools/admin/forget-trading.ts";
import {
  bookKey,
  cancellationKey,
  dayKey,
  endedKey,
  executionKey,
  ledgerKey,
  restingKey,
  signedBytesKey,
  slotKey,
  tallyKey,
  tradingStopKey,
  triggerKey,
  watcherKey,
} from "../../../lib/trading/items/keys.ts";
import { writeStep } from "../../../lib/trading/items/write-step.ts";
import { profileKey, settingsKey } from "../../../lib/users/item-keys.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { itemsNamed, putItems } from "../../support/items.ts";
import { laneOf, newOrder, placing, putWallet } from "../../support/placed-orders.ts";

describe("forgetTrading", () => {
  const db = tableForTests();

  it("deletes orders placed through this service with all their items, and nothing else", async () => {
    const order = newOrder();
    const lane = laneOf(order);
    const { userID, orderId, token } = order.intent;
    await putWallet(db.table, lane, userID);
    await putItems(db.table, [
      profileKey(userID),
      settingsKey(userID, "eth"),
      tradingStopKey("eth"),
      { ...executionKey(userID, "order", "of another engine"), orderId: "of another engine" },
    ]);
    const before = await itemsNamed(db.table, "");
    await writeStep(db.table, placing(order));
    await putItems(db.table, [
      slotKey(lane, 0),
      ledgerKey(orderId),
      signedBytesKey({ ...lane, hash: "0x1" }),
      cancellationKey({ userID, orderId }),
      bookKey({ ...lane, userID, token }),
      watcherKey("eth"),
      { ...executionKey(userID, "position", "p-1"), lane: "eth#0x1" },
    ]);
    expect(await itemsNamed(db.table, "")).not.toEqual(before);
    await forgetTrading(db.table, networks);
    const byKey = (items: { PK: string; SK: string }[]) =>
      items.toSorted((a, b) => (a.PK + a.SK < b.PK + b.SK ? -1 : 1));
    expect(byKey(await itemsNamed(db.table, ""))).toEqual(byKey(before));
    await forgetTrading(db.table, networks);
  });

  it("keeps the orders of other chains", async () => {
    const orders = [newOrder(), newOrder({ chain: "sol" })];
    for (const order of orders) {
      await writeStep(db.table, placing(order));
      const lane = laneOf(order);
      const { userID, orderId, token, chain } = order.intent;
      await putItems(db.table, [
        slotKey(lane, 0),
        ledgerKey(orderId),
        signedBytesKey({ ...lane, hash: "0x1" }),
        dayKey({ ...lane, userID, day: "2026-11-24" }),
        cancellationKey({ userID, orderId }),
        bookKey({ ...lane, userID, token }),
        restingKey({ ...lane, userID, token, orderId }),
        triggerKey({ chain, token, orderId }),
        tallyKey(orderId),
        endedKey(orderId),
        watcherKey(chain),
        { ...executionKey(userID, "position", `p-${chain}`), lane: `${chain}#0x1` },
      ]);
    }
    const keysLeft = async () =>
      (await itemsNamed(db.table, "")).map(({ PK, SK }) => `${PK} ${SK}`).toSorted();
    const [kept, forgotten] = orders.map(({ intent }) => intent);
    const all = await keysLeft();
    await forgetTrading(db.table, ["sol"]);
    const left = await keysLeft();
    const { wallet = "", userID = "", orderId = "" } = forgotten ?? {};
    const isOf = (key: string) =>
      [wallet, userID, orderId].some((each) => new RegExp(`[# ]${each}($|[# ])`).test(key)) ||
      key.includes("WATCHER#sol");
    const shards = "LANES#sol#0 SHARDS";
    expect(all.filter((key) => !left.includes(key))).toEqual(
      all.filter((key) => isOf(key) && key !== shards),
    );
    expect(left.filter((key) => key.includes(kept?.orderId ?? "")).length).toBeGreaterThan(5);
    await forgetTrading(db.table, ["sol"]);
    expect(await keysLeft()).toEqual(left);
  });
});
