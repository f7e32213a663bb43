import { beforeAll, describe, expect, it, vi } from "vitest";
import type { InvokeResult } from "../../src/lambda/invoke.ts";
import type { Store } from "../../src/storage/store.ts";
import { eventually } from "../fixtures/eventually.ts";
import { type OwnEngine, startOwnEngine } from "./engine.ts";
import { keepingStore, openFor } from "./mapping-fixture.ts";

const ok: InvokeResult = { payload: "null" };
const never = () => new Promise<InvokeResult>(() => {});

/** Makes DynamoDB Local close a shard and continue it in another one. */
const roll = (table: string) => [
  `INSERT INTO ss (StreamID, ShardID, CreationDateTime, InitialSequenceNumberStart, ParentShardID)
     SELECT StreamID, 'shardId-00000009999999999999-' || substr(ShardID, -8), CreationDateTime + 1,
       (SELECT max(SequenceNumber) + 1 FROM us), ShardID FROM ss
     WHERE StreamID LIKE '%/${table}/%'`,
  `UPDATE ss SET DeletionDateTime = CreationDateTime + 1, SequenceNumberEnd = (SELECT max(SequenceNumber) FROM us)
     WHERE StreamID LIKE '%/${table}/%' AND ParentShardID IS NULL`,
];

/** Moves the records of a stream back in time by more than a day. */
const age = (table: string) =>
  `UPDATE us SET CreationDateTime = CreationDateTime - ${25 * 3600_000} WHERE StreamID LIKE '%/${table}/%'`;

let engine: OwnEngine;
const stores = new Map<string, Store>();
const storeOf = (table: string) => stores.get(table) ?? keepingStore();

/** Prepares a table whose changes `handled` were handled before `rest` was written. */
async function stage(table: string, handled: string[], rest: string[]): Promise<void> {
  await engine.create(table);
  const store = keepingStore();
  stores.set(table, store);
  const { ids, stop } = await openFor(engine, table, { store });
  for (const id of handled) await engine.put(table, id);
  await vi.waitFor(() => expect(ids()).toEqual(handled), { timeout: 60_000 });
  stop();
  for (const id of rest) await engine.put(table, id);
}

// Shares one restart among all tests, since it takes seconds.
beforeAll(async () => {
  engine = await startOwnEngine();
  await stage("missed", ["handled"], ["missed"]);
  await stage("rolled", ["before"], ["last"]);
  await stage("rolled-unread", [], ["before"]);
  await stage("trimmed", ["handled"], ["lost", "lost too"]);
  await stage("emptied", [], ["lost"]);
  await engine.restart(...roll("rolled"), ...roll("rolled-unread"), age("trimmed"), age("emptied"));
});

describe("a runner after a restart", () => {
  it("handles changes written since the last run once after a restart", async () => {
    const { ids, faults } = await openFor(engine, "missed", { store: storeOf("missed") });
    await engine.put("missed", "new");
    await eventually(ids).toEqual(["missed", "new"]);
    expect(faults).toEqual([]);
  });
});

describe("a runner that ends", () => {
  it("handles unfinished changes again in the next run", async () => {
    const store = keepingStore();
    await engine.create("cut-off");
    const first = await openFor(engine, "cut-off", { store, handle: never });
    await engine.put("cut-off", "a");
    await eventually(first.ids).toEqual(["a"]);
    first.stop();
    const second = await openFor(engine, "cut-off", { store });
    await eventually(second.ids).toEqual(["a"]);
  });

  it("excludes its own shutdown from the function's failures", async () => {
    const store = keepingStore();
    const answered = Promise.withResolvers<InvokeResult>();
    await engine.create("ending");
    const first = await openFor(engine, "ending", {
      store,
      batch: { reportsItemFailures: false, bisects: false, maximumRetries: 0, maximumAgeMs: 3600_000 },
      onFailure: "arn:queue",
      handle: () => answered.promise,
    });
    await engine.put("ending", "a");
    await eventually(first.ids).toEqual(["a"]);
    first.stop();
    answered.resolve({ payload: "{}", functionError: "Unhandled" });
    const second = await openFor(engine, "ending", { store });
    await eventually(second.ids).toEqual(["a"]);
    expect(first.failures).toEqual([]);
  });

  it("loses no changes if it is killed", async () => {
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
});

describe("a closed shard", () => {
  it("finishes a closed shard before it starts the successor", async () => {
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

  it("reads an unread closed shard before its successor", async () => {
    await engine.put("rolled-unread", "after");
    const { ids } = await openFor(engine, "rolled-unread");
    await eventually(ids).toEqual(["before", "after"]);
  });
});

describe("a stream after more than a day", () => {
  it("reads a stream from its oldest record after more than a day", async () => {
    await engine.put("trimmed", "kept");
    const { ids, faults } = await openFor(engine, "trimmed", { store: storeOf("trimmed") });
    await eventually(ids).toEqual(["kept"]);
    expect(faults).toEqual([]);
  });

  it("follows a stream without any records left", async () => {
    const { ids, faults } = await openFor(engine, "emptied");
    await engine.put("emptied", "new");
    await eventually(ids).toEqual(["new"]);
    expect(faults).toEqual([]);
  });
});
