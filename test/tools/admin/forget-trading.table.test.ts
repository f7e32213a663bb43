import { describe, expect, it } from "vitest";
import { forgetTrading } from "../../../lib/tools/admin/forget-trading.ts";
import {
  bookKey,
  cancellationKey,
  executionKey,
  ledgerKey,
  signedBytesKey,
  slotKey,
  tradingStopKey,
  watcherKey,
} from "../../../lib/trading/items/keys.ts";
import { writeStep } from "../../../lib/trading/items/write-step.ts";
import { profileKey, settingsKey } from "../../../lib/users/item-keys.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { itemsNamed, putItems } from "../../support/items.ts";
import { laneOf, newOrder, placing, putWallet } from "../../support/placed-orders.ts";

describe("forgetTrading", () => {
  const db = tableForTests();

  it("deletes orders placed here with all their items, and nothing else", async () => {
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
    await forgetTrading(db.table);
    const byKey = (items: { PK: string; SK: string }[]) =>
      items.toSorted((a, b) => (a.PK + a.SK < b.PK + b.SK ? -1 : 1));
    expect(byKey(await itemsNamed(db.table, ""))).toEqual(byKey(before));
    await forgetTrading(db.table);
  });
});
