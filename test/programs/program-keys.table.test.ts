import { describe, expect, it } from "vitest";
import { programKeysOfUser, revokeProgramKey } from "../../lib/programs/program-keys.ts";
import { readProgramKey } from "../../lib/trading/items/program-key-records.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { putItems } from "../support/items.ts";
import { programKey, programKeyItem } from "../support/program-keys.ts";

const db = tableForTests();
const now = new Date("2026-11-30T09:00:00.000Z");
const later = new Date("2026-11-30T10:00:00.000Z");
const keyId = "pk_abcdefghijklmnopqrst";

const put = (...keys: Parameters<typeof programKey>) =>
  putItems(
    db.table,
    keys.map((changes) => programKeyItem(programKey(changes))),
  );

describe("revokeProgramKey", () => {
  it("revokes a key once, and keeps it for 30 days", async () => {
    await put({ userID: "ann", keyId });
    const revoked = await revokeProgramKey(db.table, { userID: "ann", keyId }, now);
    const until = Date.parse("2026-12-30T09:00:00Z") / 1000;
    expect(revoked).toMatchObject({ revokedAt: now.toISOString(), revision: 2, expiresAt: until });
    expect(await revokeProgramKey(db.table, { userID: "ann", keyId }, later)).toEqual(revoked);
  });

  it("finds no key of another user, and makes none", async () => {
    await put({ userID: "bob", keyId });
    for (const name of [
      { userID: "carl", keyId },
      { userID: "bob", keyId: `${keyId}x` },
    ])
      await expect(revokeProgramKey(db.table, name, now)).rejects.toMatchObject({ code: "KEY_NOT_FOUND" });
    expect(await programKeysOfUser(db.table, "carl", now)).toEqual([]);
    expect(await programKeysOfUser(db.table, "bob", now)).toEqual([programKey({ userID: "bob", keyId })]);
  });
});

describe("readProgramKey", () => {
  it.each([
    ["user", { userID: "mallory" }],
    ["id", { keyId: `${keyId}x` }],
  ])("finds no key in an item that names another %s", async (_, change) => {
    const name = { userID: "eve", keyId };
    await putItems(db.table, [{ ...programKeyItem(programKey(name)), ...change }]);
    expect(await readProgramKey(db.table, name)).toBeUndefined();
    await put(name);
    expect(await readProgramKey(db.table, name)).toMatchObject(name);
  });
});

describe("programKeysOfUser", () => {
  it("lists keys newest first, and none whose time to live is over", async () => {
    const [first, second, gone] = [
      "pk_aaaaaaaaaaaaaaaaaaaa",
      "pk_bbbbbbbbbbbbbbbbbbbb",
      "pk_cccccccccccccccccccc",
    ];
    await put({ userID: "dora", keyId: second, createdAt: "2026-11-29T00:00:00.000Z" });
    await put({ userID: "dora", keyId: first, createdAt: "2026-11-30T00:00:00.000Z" });
    await put({ userID: "dora", keyId: gone, expiresAt: now.getTime() / 1000 });
    const keys = await programKeysOfUser(db.table, "dora", now);
    expect(keys.map((key) => key.keyId)).toEqual([first, second]);
  });
});
