import { EventEmitter } from "node:events";
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  ExpiredIteratorException,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ResourceNotFoundException,
  TrimmedDataAccessException,
} from "@aws-sdk/client-dynamodb-streams";
import { mockClient } from "aws-sdk-client-mock";
import { beforeEach, describe, expect, it } from "vitest";
import { memoryStore } from "../../src/storage/store.ts";
import { openCheckpoints, type Position } from "../../src/streams/checkpoints.ts";
import { followShard, listShards, readableShards, type Writes } from "../../src/streams/shards.ts";
import { testClock } from "../fixtures/clock.ts";

const streams = mockClient(DynamoDBStreamsClient);
const place = {
  client: new DynamoDBStreamsClient({ region: "us-east-1" }),
  streamArn: "arn:stream",
  shardId: "shard-1",
};
const details = { message: "", $metadata: {} };
const page = (...numbers: string[]) => ({
  Records: numbers.map((SequenceNumber) => ({ dynamodb: { SequenceNumber } })),
  NextShardIterator: "next",
});
const empty = { Records: [], NextShardIterator: "next" };

beforeEach(() => {
  streams.reset();
  streams.on(GetShardIteratorCommand).resolves({ ShardIterator: "first" });
});

const newWrites = (): Writes => new EventEmitter();

function follow(from: Position = "START", writes?: Writes) {
  const { clock, advance } = testClock();
  const ending = new AbortController();
  const faults: unknown[] = [];
  const numbers: (string | undefined)[] = [];
  let over = false;
  const read = async () => {
    const pages = followShard(place, from, {
      clock,
      writes,
      signal: ending.signal,
      onFault: (error) => faults.push(error),
    });
    for await (const records of pages)
      numbers.push(...records.map(({ dynamodb }) => dynamodb?.SequenceNumber));
    over = true;
  };
  void read();
  return { advance, ending, faults, numbers, isOver: () => over };
}

const iterators = () => streams.commandCalls(GetShardIteratorCommand).map(({ args }) => args[0].input);
const reads = () => streams.commandCalls(GetRecordsCommand).length;

describe("followShard", () => {
  it("reads from the start or after a sequence number", async () => {
    streams.on(GetRecordsCommand).resolves(empty);
    for (const from of ["START", { after: "7" }] as const) {
      const { advance, ending } = follow(from);
      await advance();
      ending.abort();
    }
    expect(iterators()).toEqual([
      { StreamArn: "arn:stream", ShardId: "shard-1", ShardIteratorType: "TRIM_HORIZON" },
      {
        StreamArn: "arn:stream",
        ShardId: "shard-1",
        ShardIteratorType: "AFTER_SEQUENCE_NUMBER",
        SequenceNumber: "7",
      },
    ]);
  });

  it("reads again at once after records, then less and less often, down to ten times a second", async () => {
    const written = [page("1"), page("2")];
    streams.on(GetRecordsCommand).callsFake(() => written.shift() ?? empty);
    const { advance, numbers } = follow();
    await advance();
    expect(numbers).toEqual(["1", "2"]);
    expect(reads()).toBe(3);
    await advance(10);
    expect(reads()).toBe(4);
    await advance(12);
    expect(reads()).toBe(4);
    await advance(1);
    expect(reads()).toBe(5);
    await advance(10_000);
    const before = reads();
    await advance(1_000);
    expect(reads()).toBe(before + 10);
    written.push(page("3"));
    await advance(100);
    const after = reads();
    await advance(50);
    expect(reads()).toBeGreaterThan(after + 1);
  });

  it("reads once a second if writes are emitted, and at once after one", async () => {
    streams.on(GetRecordsCommand).resolves(empty);
    const writes = newWrites();
    const { advance } = follow("START", writes);
    await advance(10_000);
    const before = reads();
    await advance(5_000);
    expect(reads()).toBe(before + 5);
    writes.emit("write");
    await advance();
    expect(reads()).toBe(before + 6);
    // Many writes in a row cause only one read.
    for (let write = 0; write < 9; write++) writes.emit("write");
    await advance(10);
    expect(reads()).toBe(before + 7);
    await advance(10);
    expect(reads()).toBeLessThanOrEqual(before + 8);
  });

  it("reads again after a write during a read", async () => {
    const writes = newWrites();
    let isWritten = false;
    streams.on(GetRecordsCommand).callsFake(() => {
      if (isWritten) writes.emit("write");
      isWritten = false;
      return empty;
    });
    const { advance } = follow("START", writes);
    await advance(10_000);
    const before = reads();
    isWritten = true;
    while (isWritten) await advance(10);
    expect(reads()).toBe(before + 1);
    await advance(10);
    expect(reads()).toBe(before + 2);
  });

  it("waits a second after a failure despite writes, and stops listening when it stops reading", async () => {
    streams.on(GetRecordsCommand).rejects(new Error("down"));
    const writes = newWrites();
    const { advance, ending, faults } = follow("START", writes);
    await advance();
    writes.emit("write");
    await advance(999);
    expect(faults).toHaveLength(1);
    await advance(1);
    expect(faults).toHaveLength(2);
    ending.abort();
    await advance();
    expect(writes.listenerCount("write")).toBe(0);
  });

  it("ends once a closed shard has been read to its end", async () => {
    streams.on(GetRecordsCommand).resolves({ Records: page("1").Records });
    const { advance, numbers, isOver } = follow();
    await advance();
    expect([numbers, isOver()]).toEqual([["1"], true]);
  });

  it("ends once the signal is aborted, even during a pause", async () => {
    streams.on(GetRecordsCommand).resolves(empty);
    const { advance, ending, isOver } = follow();
    await advance();
    expect(isOver()).toBe(false);
    ending.abort();
    await advance();
    expect(isOver()).toBe(true);
  });

  it("replaces an expired iterator by one at the same position", async () => {
    streams
      .on(GetRecordsCommand)
      .resolvesOnce(page("1", "2"))
      .rejectsOnce(new ExpiredIteratorException(details))
      .resolvesOnce(page("3"))
      .resolves(empty);
    const { advance, numbers, faults } = follow();
    await advance(100);
    expect(numbers).toEqual(["1", "2", "3"]);
    expect(iterators()[1]).toMatchObject({ ShardIteratorType: "AFTER_SEQUENCE_NUMBER", SequenceNumber: "2" });
    expect(faults).toEqual([]);
  });

  it("continues with the oldest record if the next one no longer exists", async () => {
    streams
      .on(GetRecordsCommand)
      .rejectsOnce(new TrimmedDataAccessException(details))
      .resolvesOnce(page("9"))
      .resolves(empty);
    const { advance, numbers, faults } = follow({ after: "1" });
    await advance(100);
    expect(numbers).toEqual(["9"]);
    expect(iterators()[1]).toMatchObject({ ShardIteratorType: "TRIM_HORIZON" });
    expect(faults).toEqual([]);
  });

  it("ends if the shard no longer exists", async () => {
    streams.on(GetShardIteratorCommand).rejects(new ResourceNotFoundException(details));
    const { advance, isOver, faults } = follow();
    await advance();
    expect([isOver(), faults]).toEqual([true, []]);
  });

  it("reports a failing database and tries again a second later, at the same position", async () => {
    const failure = new Error("connect ECONNREFUSED");
    streams
      .on(GetRecordsCommand)
      .resolvesOnce(page("1"))
      .rejectsOnce(failure)
      .resolvesOnce(page("2"))
      .resolves(empty);
    const { advance, numbers, faults } = follow();
    await advance(999);
    expect([numbers, faults]).toEqual([["1"], [failure]]);
    await advance(1);
    expect(numbers).toEqual(["1", "2"]);
    expect(iterators()[1]).toMatchObject({ SequenceNumber: "1" });
  });
});

describe("readableShards", () => {
  const shard = (id: string, parent?: string) => ({ id, parent });

  function readable(shards: ReturnType<typeof shard>[], known: Record<string, Position> = {}) {
    const positions = openCheckpoints(memoryStore, testClock().clock, () => {}).of("mapping", "stream");
    for (const [id, position] of Object.entries(known)) positions.set(id, position);
    return readableShards(shards, positions).map(({ id }) => id);
  }

  it("returns a shard once its parent is finished", () => {
    const shards = [shard("a"), shard("b", "a"), shard("c", "b")];
    expect(readable(shards)).toEqual(["a"]);
    expect(readable(shards, { a: { after: "7" } })).toEqual(["a"]);
    expect(readable(shards, { a: "END" })).toEqual(["b"]);
    expect(readable(shards, { a: "END", b: "END" })).toEqual(["c"]);
  });

  it("returns a shard whose parent no longer exists", () => {
    expect(readable([shard("b", "a"), shard("c", "b")])).toEqual(["b"]);
  });

  it("returns unrelated shards together", () => {
    expect(readable([shard("a"), shard("b"), shard("c", "a")])).toEqual(["a", "b"]);
  });
});

describe("listShards", () => {
  it("reads all pages", async () => {
    streams.on(DescribeStreamCommand).callsFake(({ ExclusiveStartShardId }) => ({
      StreamDescription:
        ExclusiveStartShardId === undefined
          ? {
              Shards: [{ ShardId: "a", SequenceNumberRange: { EndingSequenceNumber: "9" } }],
              LastEvaluatedShardId: "a",
            }
          : { Shards: [{ ShardId: "b", ParentShardId: "a", SequenceNumberRange: {} }] },
    }));
    expect(await listShards(place.client, "arn", new AbortController().signal)).toEqual([
      { id: "a", parent: undefined },
      { id: "b", parent: "a" },
    ]);
  });
});
