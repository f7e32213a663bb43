import {
  DynamoDBStreamsClient,
  ExpiredIteratorException,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ResourceNotFoundException,
  TrimmedDataAccessException,
} from "@aws-sdk/client-dynamodb-streams";
import { mockClient } from "aws-sdk-client-mock";
import { beforeEach, describe, expect, test } from "vitest";
import type { Position } from "../../src/streams/checkpoints.ts";
import { followShard } from "../../src/streams/shard.ts";
import { testClock } from "../events/test-clock.ts";

const streams = mockClient(DynamoDBStreamsClient);
const place = {
  client: new DynamoDBStreamsClient({ region: "us-east-1" }),
  streamArn: "arn:stream",
  shardId: "shard-1",
};
const told = { message: "", $metadata: {} };
const page = (...numbers: string[]) => ({
  Records: numbers.map((SequenceNumber) => ({ dynamodb: { SequenceNumber } })),
  NextShardIterator: "next",
});
const empty = { Records: [], NextShardIterator: "next" };

beforeEach(() => {
  streams.reset();
  streams.on(GetShardIteratorCommand).resolves({ ShardIterator: "first" });
});

function follow(from: Position = "START") {
  const { clock, advance } = testClock();
  const ending = new AbortController();
  const faults: unknown[] = [];
  const numbers: (string | undefined)[] = [];
  let over = false;
  const read = async () => {
    const pages = followShard(place, from, {
      clock,
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
const looks = () => streams.commandCalls(GetRecordsCommand).length;

test("reads from the beginning, or after a sequence number", async () => {
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

test("looks again at once after records, then less and less often, ten times a second at last", async () => {
  const written = [page("1"), page("2")];
  streams.on(GetRecordsCommand).callsFake(() => written.shift() ?? empty);
  const { advance, numbers } = follow();
  await advance();
  expect(numbers).toEqual(["1", "2"]);
  expect(looks()).toBe(3);
  await advance(10);
  expect(looks()).toBe(4);
  await advance(12);
  expect(looks()).toBe(4);
  await advance(1);
  expect(looks()).toBe(5);
  await advance(10_000);
  const before = looks();
  await advance(1_000);
  expect(looks()).toBe(before + 10);
  written.push(page("3"));
  await advance(100);
  const after = looks();
  await advance(50);
  expect(looks()).toBeGreaterThan(after + 1);
});

test("ends when a closed shard has been read to its end", async () => {
  streams.on(GetRecordsCommand).resolves({ Records: page("1").Records });
  const { advance, numbers, isOver } = follow();
  await advance();
  expect([numbers, isOver()]).toEqual([["1"], true]);
});

test("ends when everything does, in the middle of a pause too", async () => {
  streams.on(GetRecordsCommand).resolves(empty);
  const { advance, ending, isOver } = follow();
  await advance();
  expect(isOver()).toBe(false);
  ending.abort();
  await advance();
  expect(isOver()).toBe(true);
});

describe("what can happen to an iterator", () => {
  test("expired, it is replaced by one that goes on at the same place", async () => {
    streams
      .on(GetRecordsCommand)
      .resolvesOnce(page("1", "2"))
      .rejectsOnce(new ExpiredIteratorException(told))
      .resolvesOnce(page("3"))
      .resolves(empty);
    const { advance, numbers, faults } = follow();
    await advance(100);
    expect(numbers).toEqual(["1", "2", "3"]);
    expect(iterators()[1]).toMatchObject({ ShardIteratorType: "AFTER_SEQUENCE_NUMBER", SequenceNumber: "2" });
    expect(faults).toEqual([]);
  });

  test("when it points to what is not kept any more, reading goes on with the oldest that is", async () => {
    streams
      .on(GetRecordsCommand)
      .rejectsOnce(new TrimmedDataAccessException(told))
      .resolvesOnce(page("9"))
      .resolves(empty);
    const { advance, numbers, faults } = follow({ after: "1" });
    await advance(100);
    expect(numbers).toEqual(["9"]);
    expect(iterators()[1]).toMatchObject({ ShardIteratorType: "TRIM_HORIZON" });
    expect(faults).toEqual([]);
  });

  test("of a shard that is gone, there is nothing to read", async () => {
    streams.on(GetShardIteratorCommand).rejects(new ResourceNotFoundException(told));
    const { advance, isOver, faults } = follow();
    await advance();
    expect([isOver(), faults]).toEqual([true, []]);
  });
});

test("an engine that fails is told of and asked again a second later, at the same place", async () => {
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
