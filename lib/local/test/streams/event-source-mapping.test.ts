import { beforeAll, describe, expect, test } from "vitest";
import type { InvokeResult } from "../../src/lambda/invoke.ts";
import { eventually } from "../events/eventually.ts";
import { type Engine, startEngine } from "./engine.ts";
import { keepingStore, openFor } from "./mapping-fixture.ts";

const threw: InvokeResult = { payload: "{}", functionError: "Unhandled" };
let engine: Engine;
let tables = 0;
let table: string;

beforeAll(async () => {
  engine = await startEngine();
});

async function newTable(): Promise<void> {
  table = `table-${++tables}`;
  await engine.create(table);
}

describe("handing over", () => {
  test("changes reach the function in order and in AWS's form", async () => {
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

  test("what is filtered out never reaches the function, and is done with", async () => {
    await newTable();
    const store = keepingStore();
    const first = await openFor(engine, table, {
      store,
      matches: (event) => JSON.stringify(event).includes('"wanted"'),
    });
    await engine.put(table, "wanted");
    for (const id of ["x", "y", "z"]) await engine.put(table, id);
    await eventually(first.ids).toEqual(["wanted"]);
    // The numbers count up by one in the whole database.
    const last = Number(first.records[0]?.dynamodb.SequenceNumber) + 3;
    await eventually(() => JSON.stringify(store.load("streams"))).toMatch(new RegExp(`"after":"0*${last}"`));
    expect(first.ids()).toEqual(["wanted"]);
  });

  test("a poison record is given up and told of, and its neighbours are handled", async () => {
    await newTable();
    const { ids, told } = await openFor(engine, table, {
      batch: { reportsItemFailures: true, bisects: true, maximumRetries: 1, maximumAge: 3600_000 },
      onFailure: "arn:queue",
      handle: async (batch) => (batch.includes("poison") ? threw : { payload: "null" }),
    });
    for (const id of ["a", "poison", "b"]) await engine.put(table, id);
    await eventually(() => told.length).toBe(1);
    await eventually(ids).toContain("b");
    expect(told).toEqual([
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

  test("lanes do not hold each other up, and each keeps its order", async () => {
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

  test("two mappings of one stream know nothing of each other", async () => {
    await newTable();
    const failing = await openFor(engine, table, { id: "failing", handle: async () => threw });
    const working = await openFor(engine, table, { id: "working" });
    for (const id of ["a", "b"]) await engine.put(table, id);
    await eventually(working.ids).toEqual(["a", "b"]);
    await eventually(() => failing.ids().filter((id) => id === "a").length).toBeGreaterThan(1);
    expect(working.ids()).toEqual(["a", "b"]);
  });
});

describe("where reading begins", () => {
  test("LATEST leaves out what was there, and nothing that comes before it is begun", async () => {
    await newTable();
    await engine.put(table, "before");
    const { begin, ids } = await openFor(engine, table, { begin: false });
    await engine.put(table, "after");
    begin();
    await eventually(ids).toEqual(["after"]);
  });

  test("TRIM_HORIZON takes in what was there", async () => {
    await newTable();
    await engine.put(table, "before");
    const { ids } = await openFor(engine, table, { startingPosition: "TRIM_HORIZON" });
    await engine.put(table, "after");
    await eventually(ids).toEqual(["before", "after"]);
  });

  test.each(["LATEST", "TRIM_HORIZON"] as const)(
    "%s does not count once there is a checkpoint",
    async (startingPosition) => {
      await newTable();
      const store = keepingStore();
      const first = await openFor(engine, table, { store, startingPosition });
      await engine.put(table, "one");
      await eventually(first.ids).toEqual(["one"]);
      first.stop();
      await engine.put(table, "two");
      const second = await openFor(engine, table, { store, startingPosition });
      await eventually(second.ids).toEqual(["two"]);
    },
  );
});
