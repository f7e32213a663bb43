import { expect, it } from "vitest";
import { watcherKey } from "../../../lib/trading/items/keys.ts";
import { changeReaderLease, readReaderLease } from "../../../lib/trading/items/reader-leases.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { putItems } from "../../support/items.ts";

const db = tableForTests();

const lease = { run: "r", epoch: 1, build: "b", startedAtMs: 1, heartbeatMs: 1 };

it("creates a lease once, and changes it only if its condition is met", async () => {
  const change = (when: object | undefined, set: object) =>
    changeReaderLease(db.table, { chain: "eth", when, set });
  expect(await readReaderLease(db.table, "eth")).toBeUndefined();
  expect(await change(undefined, lease)).toBe(true);
  expect(await change(undefined, { ...lease, run: "other" })).toBe(false);
  expect(await change({ run: "r", epoch: 1 }, { isEnded: true })).toBe(true);
  expect(await change({ run: "r", epoch: 2 }, { heartbeatMs: 2 })).toBe(false);
  expect(await readReaderLease(db.table, "eth")).toEqual({ ...lease, isEnded: true });
  expect(await change({ epoch: 1, isEnded: true }, { isEnded: undefined })).toBe(true);
  expect(await readReaderLease(db.table, "eth")).toEqual(lease);
  expect(await readReaderLease(db.table, "base")).toBeUndefined();
});

it("keeps the leases of markets separate from each other and from the leases of chains", async () => {
  expect(await changeReaderLease(db.table, { chain: "markets", when: undefined, set: lease })).toBe(true);
  expect(await readReaderLease(db.table, "markets")).toEqual(lease);
  const own = { ...lease, epoch: 2, apart: ["eth"] as const };
  const set = { chain: "markets base", when: undefined, set: own } as const;
  expect(await readReaderLease(db.table, "markets base")).toBeUndefined();
  expect(await changeReaderLease(db.table, set)).toBe(true);
  expect(await readReaderLease(db.table, "markets base")).toEqual(own);
  expect(await readReaderLease(db.table, "markets")).toEqual(lease);
  expect(await readReaderLease(db.table, "base")).toBeUndefined();
});

it("replaces a lease written by an earlier version", async () => {
  await putItems(db.table, [{ ...watcherKey("bsc"), lease: "2026-11-21T09:00:00.000Z#e1#r" }]);
  expect(await readReaderLease(db.table, "bsc")).toBeUndefined();
  expect(await changeReaderLease(db.table, { chain: "bsc", when: undefined, set: lease })).toBe(true);
  expect(await readReaderLease(db.table, "bsc")).toMatchObject(lease);
});
