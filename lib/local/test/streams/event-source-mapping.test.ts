import { beforeAll, describe, expect, it } from "vitest";
import type { InvokeResult } from "../../src/lambda/invoke.ts";
import { eventually } from "../fixtures/eventually.ts";
import { type Engine, openSharedEngine } from "./engine.ts";
import { keepingStore, openFor } from "./mapping-fixture.ts";

const threw: InvokeResult = { payload: "{}", functionError: "Unhandled" };
let engine: Engine;
let tables = 0;
let table: string;

beforeAll(async () => {
  engine = await openSharedEngine();
});

async function newTable(): Promise<void> {
  table = `table-${++tables}`;
  await engine.create(table);
}

describe("event source mappings", () => {
  it("passes changes to the function in order and in AWS's form", async () => {
    await newTable();
    const { ids, records } = await openFor(engine, table);
    for (const id of ["a", "b", "a"])
      await engine.put(table, id, { sealed: { B: new Uint8Array([1, 2, 255]) } });
    await eventually(ids).toEqual(["a", "b", "a"]);
    expect(records[2]).toMatchObject({
      eventName: "MODIFY",
      awsRegion: "us-east-1",
      eventSourceARN: "arn:stream",
      dynamodb: { NewImage: { PK: { S: "a" }, sealed: { B: "AQL/" } } },
    });
  });

  it("skips filtered changes for good", async () => {
    await newTable();
    const store = keepingStore();
    const first = await openFor(engine, table, {
      store,
      matches: (event) => JSON.stringify(event).includes('"wanted"'),
    });
    await engine.put(table, "wanted");
    for (const id of ["x", "y", "z"]) await engine.put(table, id);
    await eventually(first.ids).toEqual(["wanted"]);
    const all = await openFor(engine, table, { id: "all" });
    await eventually(all.ids).toEqual(["wanted", "x", "y", "z"]);
    const last = all.records.at(-1)?.dynamodb.SequenceNumber;
    await eventually(() => JSON.stringify(store.load("streams"))).toContain(`"after":"${last}"`);
    expect(first.ids()).toEqual(["wanted"]);
  });

  it("gives up a record that always fails, sends its place to the queue and handles the others", async () => {
    await newTable();
    const { ids, failures } = await openFor(engine, table, {
      batch: { reportsItemFailures: true, bisects: true, maximumRetries: 1, maximumAgeMs: 3600_000 },
      onFailure: "arn:queue",
      handle: async (batch) => (batch.includes("poison") ? threw : { payload: "null" }),
    });
    for (const id of ["a", "poison", "b"]) await engine.put(table, id);
    await eventually(() => failures.length).toBe(1);
    await eventually(ids).toContain("b");
    expect(failures).toEqual([
      {
        queue: "arn:queue",
        message: {
          version: "1.0",
          timestamp: expect.stringMatching(/^20.*Z$/),
          requestContext: {
            requestId: expect.stringMatching(/^[\da-f-]{36}$/),
            functionArn: "arn:aws:lambda:us-east-1:000000000000:function:listener",
            condition: "RetryAttemptsExhausted",
            approximateInvokeCount: expect.any(Number),
          },
          responseContext: { statusCode: 200, executedVersion: "$LATEST", functionError: "Unhandled" },
          DDBStreamBatchInfo: {
            shardId: expect.stringMatching(/^shardId-/),
            startSequenceNumber: expect.stringMatching(/^\d{21}$/),
            endSequenceNumber: expect.stringMatching(/^\d{21}$/),
            approximateArrivalOfFirstRecord: expect.stringMatching(/:\d\dZ$/),
            approximateArrivalOfLastRecord: expect.stringMatching(/:\d\dZ$/),
            batchSize: 1,
            streamArn: "arn:stream",
          },
        },
      },
    ]);
  });

  it("keeps order within a lane without blocking other lanes", async () => {
    await newTable();
    const held = Promise.withResolvers<InvokeResult>();
    const { ids } = await openFor(engine, table, {
      lanes: 10,
      handle: (batch) => (batch.includes("slow") ? held.promise : Promise.resolve({ payload: "null" })),
    });
    const others = Array.from({ length: 20 }, (_, n) => `other-${n}`);
    for (const id of ["slow", "slow", ...others, "slow"]) await engine.put(table, id);
    await eventually(() => ids().length).toBeGreaterThan(10);
    held.resolve({ payload: "null" });
    await eventually(() => ids().filter((id) => id === "slow").length).toBe(3);
    await eventually(() => new Set(ids()).size).toBe(21);
  });

  it("reads a stream independently of its other mappings", async () => {
    await newTable();
    const failing = await openFor(engine, table, { id: "failing", handle: async () => threw });
    const working = await openFor(engine, table, { id: "working" });
    for (const id of ["a", "b"]) await engine.put(table, id);
    await eventually(working.ids).toEqual(["a", "b"]);
    await eventually(() => failing.ids().filter((id) => id === "a").length).toBeGreaterThan(1);
    expect(working.ids()).toEqual(["a", "b"]);
  });

  it("starts with the oldest change", async () => {
    await newTable();
    await engine.put(table, "before");
    const { ids } = await openFor(engine, table);
    await engine.put(table, "after");
    await eventually(ids).toEqual(["before", "after"]);
  });

  it("continues after its last checkpoint", async () => {
    await newTable();
    const store = keepingStore();
    const first = await openFor(engine, table, { store });
    await engine.put(table, "one");
    await eventually(first.ids).toEqual(["one"]);
    first.stop();
    await engine.put(table, "two");
    const second = await openFor(engine, table, { store });
    await eventually(second.ids).toEqual(["two"]);
  });
});
