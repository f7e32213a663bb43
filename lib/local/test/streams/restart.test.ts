import { beforeAll, describe, expect, test, vi } from "vitest";
import type { InvokeResult } from "../../src/lambda/invoke.ts";
import type { Store } from "../../src/storage/store.ts";
import { eventually } from "../events/eventually.ts";
import { type Engine, startEngine } from "./engine.ts";
import { keepingStore, openFor } from "./mapping-fixture.ts";

const ok: InvokeResult = { payload: "null" };
const never = () => new Promise<InvokeResult>(() => {});

/** How DynamoDB Local keeps a shard that was closed, and the one that goes on from it. */
const roll = (table: string) => [
  `INSERT INTO ss (StreamID, ShardID, CreationDateTime, InitialSequenceNumberStart, ParentShardID)
     SELECT StreamID, 'shardId-00000009999999999999-' || substr(ShardID, -8), CreationDateTime + 1,
       (SELECT max(SequenceNumber) + 1 FROM us), ShardID FROM ss
     WHERE StreamID LIKE '%/${table}/%'`,
  `UPDATE ss SET DeletionDateTime = CreationDateTime + 1, SequenceNumberEnd = (SELECT max(SequenceNumber) FROM us)
     WHERE StreamID LIKE '%/${table}/%' AND ParentShardID IS NULL`,
];

/** Moves what is in a stream back in time, so that it has been there for more than a day. */
const age = (table: string) =>
  `UPDATE us SET CreationDateTime = CreationDateTime - ${25 * 3600_000} WHERE StreamID LIKE '%/${table}/%'`;

let engine: Engine;
const stores = new Map<string, Store>();
const storeOf = (table: string) => stores.get(table) ?? keepingStore();

/** A table whose stream was read until `handled` was handled and `rest` was written. */
async function stage(table: string, handled: string[], rest: string[]): Promise<void> {
  await engine.create(table);
  const store = keepingStore();
  stores.set(table, store);
  const { ids, stop } = await openFor(engine, table, { store });
  for (const id of handled) await engine.put(table, id);
  await vi.waitFor(() => expect(ids()).toEqual(handled), { timeout: 10_000 });
  stop();
  for (const id of rest) await engine.put(table, id);
}

// A restart takes seconds, so there is one for all of the tests.
beforeAll(async () => {
  engine = await startEngine();
  await stage("missed", ["handled"], ["missed"]);
  await stage("untouched", [], ["missed"]);
  await stage("rolled", ["before"], ["last"]);
  await stage("rolled-unread", [], ["before"]);
  await stage("trimmed", ["handled"], ["lost", "lost too"]);
  await stage("emptied", [], ["lost"]);
  await engine.restart(...roll("rolled"), ...roll("rolled-unread"), age("trimmed"), age("emptied"));
});

test("what was written while nobody listened comes after a restart, once", async () => {
  const { ids, faults } = await openFor(engine, "missed", { store: storeOf("missed") });
  await engine.put("missed", "new");
  await eventually(ids).toEqual(["missed", "new"]);
  expect(faults).toEqual([]);
});

test("with LATEST that is so from the very first start on, even if nothing was ever handled", async () => {
  const { ids } = await openFor(engine, "untouched", { store: storeOf("untouched") });
  await eventually(ids).toEqual(["missed"]);
});

describe("a runner that ends", () => {
  test("hands over again what was being handled", async () => {
    const store = keepingStore();
    await engine.create("cut-off");
    const first = await openFor(engine, "cut-off", { store, handle: never });
    await engine.put("cut-off", "a");
    await eventually(first.ids).toEqual(["a"]);
    first.stop();
    const second = await openFor(engine, "cut-off", { store });
    await eventually(second.ids).toEqual(["a"]);
  });

  test("does not take its own end for a failure of the function", async () => {
    const store = keepingStore();
    const answered = Promise.withResolvers<InvokeResult>();
    await engine.create("ending");
    const first = await openFor(engine, "ending", {
      store,
      batch: { reportsItemFailures: false, bisects: false, maximumRetries: 0, maximumAge: 3600_000 },
      onFailure: "arn:queue",
      handle: () => answered.promise,
    });
    await engine.put("ending", "a");
    await eventually(first.ids).toEqual(["a"]);
    first.stop();
    answered.resolve({ payload: "{}", functionError: "Unhandled" });
    const second = await openFor(engine, "ending", { store });
    await eventually(second.ids).toEqual(["a"]);
    expect(first.told).toEqual([]);
  });

  test("loses nothing when it is killed: what it has not written down comes again", async () => {
    const store = keepingStore();
    await engine.create("killed");
    const first = await openFor(engine, "killed", { store });
    await engine.put("killed", "a");
    await eventually(first.ids).toEqual(["a"]);
    first.kill();
    await engine.put("killed", "b");
    const second = await openFor(engine, "killed", { store });
    await eventually(second.ids).toContain("b");
  });

  test("loses nothing when it is killed before it has handed over anything", async () => {
    const store = keepingStore();
    await engine.create("killed-at-once");
    (await openFor(engine, "killed-at-once", { store, begin: false })).kill();
    await engine.put("killed-at-once", "a");
    const second = await openFor(engine, "killed-at-once", { store });
    await eventually(second.ids).toEqual(["a"]);
  });
});

describe("a shard that was closed", () => {
  test("is handled to its end before the one that goes on from it", async () => {
    const store = storeOf("rolled");
    const held = Promise.withResolvers<InvokeResult>();
    const { ids } = await openFor(engine, "rolled", {
      store,
      handle: (batch) => (batch.includes("last") ? held.promise : Promise.resolve(ok)),
    });
    await engine.put("rolled", "after");
    await eventually(ids).toEqual(["last"]);
    held.resolve(ok);
    await eventually(ids).toEqual(["last", "after"]);
    await eventually(() => JSON.stringify(store.load("streams"))).toMatch(/"END".*"after"/);
  });

  test("is left out by LATEST, like what is in the one that goes on from it", async () => {
    await engine.put("rolled-unread", "also before");
    const { ids } = await openFor(engine, "rolled-unread");
    await engine.put("rolled-unread", "after");
    await eventually(ids).toEqual(["after"]);
  });

  test("is read first with TRIM_HORIZON", async () => {
    const { ids } = await openFor(engine, "rolled-unread", { startingPosition: "TRIM_HORIZON" });
    await eventually(ids).toEqual(["before", "also before", "after"]);
  });
});

describe("after more than a day", () => {
  test("reading goes on with the oldest that is left", async () => {
    await engine.put("trimmed", "kept");
    const { ids, faults } = await openFor(engine, "trimmed", { store: storeOf("trimmed") });
    await eventually(ids).toEqual(["kept"]);
    expect(faults).toEqual([]);
  });

  test("a stream of which nothing is left is no failure, and goes on", async () => {
    const { ids, faults } = await openFor(engine, "emptied");
    await engine.put("emptied", "new");
    await eventually(ids).toEqual(["new"]);
    expect(faults).toEqual([]);
  });
});
