import { DescribeStreamCommand, DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import { mockClient } from "aws-sdk-client-mock";
import { expect, test } from "vitest";
import { memoryStore } from "../../src/storage/store.ts";
import { openCheckpoints, type Position } from "../../src/streams/checkpoints.ts";
import { listShards, readableShards } from "../../src/streams/shards.ts";
import { testClock } from "../events/test-clock.ts";

const shard = (id: string, parent?: string) => ({ id, parent, isOpen: true });

function readable(shards: ReturnType<typeof shard>[], known: Record<string, Position> = {}) {
  const positions = openCheckpoints(memoryStore, testClock().clock, () => {}).of("mapping", "stream");
  for (const [id, position] of Object.entries(known)) positions.set(id, position);
  return readableShards(shards, positions).map(({ id }) => id);
}

test("a shard is read when the one that it goes on from is through", () => {
  const shards = [shard("a"), shard("b", "a"), shard("c", "b")];
  expect(readable(shards)).toEqual(["a"]);
  expect(readable(shards, { a: { after: "7" } })).toEqual(["a"]);
  expect(readable(shards, { a: "END" })).toEqual(["b"]);
  expect(readable(shards, { a: "END", b: "END" })).toEqual(["c"]);
});

test("a shard that goes on from one that is not kept any more is read", () => {
  expect(readable([shard("b", "a"), shard("c", "b")])).toEqual(["b"]);
});

test("shards that do not go on from each other are read side by side", () => {
  expect(readable([shard("a"), shard("b"), shard("c", "a")])).toEqual(["a", "b"]);
});

test("all pages of the list of shards are read", async () => {
  mockClient(DynamoDBStreamsClient)
    .on(DescribeStreamCommand)
    .callsFake(({ ExclusiveStartShardId }) => ({
      StreamDescription:
        ExclusiveStartShardId === undefined
          ? {
              Shards: [{ ShardId: "a", SequenceNumberRange: { EndingSequenceNumber: "9" } }],
              LastEvaluatedShardId: "a",
            }
          : { Shards: [{ ShardId: "b", ParentShardId: "a", SequenceNumberRange: {} }] },
    }));
  const client = new DynamoDBStreamsClient({ region: "us-east-1" });
  expect(await listShards(client, "arn", new AbortController().signal)).toEqual([
    { id: "a", parent: undefined, isOpen: false },
    { id: "b", parent: "a", isOpen: true },
  ]);
});
