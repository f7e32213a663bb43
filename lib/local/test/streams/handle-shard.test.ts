import {
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
} from "@aws-sdk/client-dynamodb-streams";
import { mockClient } from "aws-sdk-client-mock";
import { describe, expect, it } from "vitest";
import type { InvokeResult } from "../../src/lambda/invoke.ts";
import { memoryStore } from "../../src/storage/store.ts";
import { openCheckpoints } from "../../src/streams/checkpoints.ts";
import { handleShard } from "../../src/streams/handle-shard.ts";
import type { MappingDefinition } from "../../src/streams/mapping-definition.ts";
import { testClock } from "../fixtures/clock.ts";

const definition: MappingDefinition = {
  id: "mapping",
  functionName: "listener",
  table: "table",
  source: { streamArn: "arn:stream", partitionKey: "PK" },
  lanes: 1,
  batchSize: 100,
  batch: { reportsItemFailures: true, bisects: false, maximumRetries: 2, maximumAgeMs: 3600_000 },
  matches: () => true,
  onFailure: undefined,
};

/** Handles an open or closed shard with the records 1 and 2. */
function handle(isClosed: boolean, invoke: () => Promise<InvokeResult>) {
  const { clock, advance } = testClock();
  const ApproximateCreationDateTime = new Date(clock.now());
  const Records = ["1", "2"].map((SequenceNumber) => ({
    dynamodb: { SequenceNumber, ApproximateCreationDateTime },
  }));
  mockClient(DynamoDBStreamsClient)
    .on(GetShardIteratorCommand)
    .resolves({ ShardIterator: "first" })
    .on(GetRecordsCommand)
    .resolvesOnce({ Records, ...(!isClosed && { NextShardIterator: "next" }) })
    .resolves({ Records: [], NextShardIterator: "next" });
  const client = new DynamoDBStreamsClient({ region: "us-east-1" });
  const ending = new AbortController();
  const faults: unknown[] = [];
  const lines: string[] = [];
  const positions = openCheckpoints(memoryStore, clock, () => {}).of("mapping", "stream");
  const over = handleShard({ client, streamArn: "arn", shardId: "shard" }, definition, positions, {
    client,
    invoke,
    queues: { send: () => {} },
    clock,
    signal: ending.signal,
    report: (line) => lines.push(line),
    onFault: (error) => faults.push(error),
  });
  return { over, advance, ending, faults, lines, position: () => positions.get("shard") };
}

describe("handleShard", () => {
  it("marks a closed shard as finished once all its records are finished", async () => {
    const held = Promise.withResolvers<InvokeResult>();
    const { over, advance, position } = handle(true, () => held.promise);
    await advance(1000);
    expect(position()).toBeUndefined();
    held.resolve({ payload: "null" });
    await over;
    expect(position()).toBe("END");
  });

  it("leaves a shard unfinished if the signal is aborted", async () => {
    const { over, advance, ending, position } = handle(false, async () => ({ payload: "null" }));
    await advance(1000);
    expect(position()).toEqual({ after: "2" });
    ending.abort();
    await over;
    expect(position()).toEqual({ after: "2" });
  });

  it("reports a function that cannot be invoked and tries again", async () => {
    let tries = 0;
    const { over, advance, faults } = handle(true, async () => {
      if (++tries === 1) throw new Error("no memory");
      return { payload: "null" };
    });
    await advance(10_000);
    await over;
    expect([tries, faults]).toEqual([2, [new Error("no memory")]]);
  });

  it("reports in one line that changes are given up", async () => {
    const { over, advance, lines } = handle(true, async () => ({
      payload: "{}",
      functionError: "Unhandled",
    }));
    await advance(10_000);
    await over;
    expect(lines).toEqual(["listener did not handle 2 changes of table; giving up: RetryAttemptsExhausted"]);
  });
});
