import {
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  type Shard,
} from "@aws-sdk/client-dynamodb-streams";
import type { Positions } from "./checkpoints.ts";

/** A shard by its id, and by that of the shard that it goes on from. */
export type ListedShard = { id: string; parent: string | undefined; isOpen: boolean };

/** All shards of a stream that there still are. */
export async function listShards(
  client: DynamoDBStreamsClient,
  streamArn: string,
  abortSignal: AbortSignal,
): Promise<ListedShard[]> {
  const shards: Shard[] = [];
  let last: string | undefined;
  do {
    const command = new DescribeStreamCommand({ StreamArn: streamArn, ExclusiveStartShardId: last });
    const { StreamDescription } = await client.send(command, { abortSignal });
    shards.push(...(StreamDescription?.Shards ?? []));
    last = StreamDescription?.LastEvaluatedShardId;
  } while (last !== undefined);
  return shards.map(({ ShardId = "", ParentShardId, SequenceNumberRange }) => ({
    id: ShardId,
    parent: ParentShardId,
    isOpen: SequenceNumberRange?.EndingSequenceNumber === undefined,
  }));
}

/** The shards whose turn it is: those that are not through, and whose parent is, or is not kept any more. */
export function readableShards(shards: readonly ListedShard[], positions: Positions): ListedShard[] {
  const isThrough = (id: string) => positions.get(id) === "END";
  const isListed = (id: string) => shards.some((shard) => shard.id === id);
  return shards.filter(
    ({ id, parent }) => !isThrough(id) && (parent === undefined || isThrough(parent) || !isListed(parent)),
  );
}
