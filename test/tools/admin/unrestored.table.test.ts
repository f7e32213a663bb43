import { beforeEach, describe, expect, it } from "vitest";
import { itemKey, type Key } from "../../../lib/table/keys.ts";
import type { Table } from "../../../lib/table/table.ts";
import { profileKey } from "../../../lib/users/item-keys.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { itemsNamed, putItems } from "../../support/items.ts";
import { run } from "./support/admin.ts";
import { targetWith } from "./support/custody.ts";

const db = tableForTests();
let table: Table;
let backup: Table;
beforeEach(async () => {
  [table, backup] = [await db.newTable(), await db.newTable()];
});

const restore = (...args: string[]) =>
  run(targetWith(table), ["restore", backup.name, ...args], { confirm: async () => false });

describe("admin restore, for a backup with items that it never restores", () => {
  it.each([
    ["requests and announcements of exports", itemKey("exportRequest", { userID: "dan", walletId: "w" })],
    ["requests and announcements of exports", itemKey("announcedExport", { userID: "dan", walletId: "w" })],
    ["requests and announcements of exports", itemKey("unlockRequest", { userID: "dan" })],
    ["records of the signer", itemKey("ledger", { orderIdOrUserID: "o" })],
    ["cancellations", itemKey("cancellation", { userID: "dan", orderId: "o" })],
    ["cancellations", itemKey("cutoff", { userID: "dan", part: 31 })],
    ["cancellations", itemKey("walletCutoff", { userID: "dan", chain: "eth", wallet: "0x1" })],
    [
      "resting orders",
      itemKey("resting", { userID: "dan", chain: "eth", wallet: "0x1", token: "0x2", orderId: "o" }),
    ],
  ])("counts %s and asks before it writes: %j", async (name, key) => {
    await putItems(backup, [key, profileKey("dan")]);
    expect(await restore("--fix")).toEqual({
      code: 1,
      out: expect.stringContaining(`not restored: 1 ${name}`),
      err: "error: Nothing was restored\n",
    });
    expect(await itemsNamed(table, "")).toEqual([]);
    await restore("--fix", "--yes");
    expect(await itemsNamed(table, "")).toEqual([profileKey("dan")]);
  });

  it("restores that a key was exported, keeps the newer of two times, and removes none", async () => {
    const [one, two, three] = ["1", "2", "3"].map((walletId) =>
      itemKey("exportedKey", { userID: "dan", walletId }),
    );
    const at = (key: Key | undefined, exportedAt: string) => ({ PK: "", SK: "", ...key, exportedAt });
    await putItems(backup, [profileKey("dan"), at(one, "old"), at(two, "old")]);
    await putItems(table, [profileKey("dan"), at(two, "new"), at(three, "new")]);
    await restore("--fix", "--yes", "--exact");
    expect(await itemsNamed(table, "EXPORTED#dan")).toEqual([
      at(one, "old"),
      at(two, "new"),
      at(three, "new"),
    ]);
  });

  it("counts nothing that the table still has", async () => {
    const key = itemKey("exportRequest", { userID: "dan", walletId: "w" });
    for (const each of [table, backup]) await putItems(each, [key]);
    expect((await restore("--check")).out).toBe("missing: 0\nchanged: 0\nnewer: 0\n");
  });
});
