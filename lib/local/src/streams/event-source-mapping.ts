import { DescribeTableCommand, type DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { firstWithin } from "../clock.ts";
import type { Checkpoints } from "./checkpoints.ts";
import { handleShard, type ShardDeps } from "./handle-shard.ts";
import type { MappingDefinition } from "./mapping-definition.ts";
import { listShards, readableShards } from "./shards.ts";

export type MappingDeps = ShardDeps & { dynamodb: DynamoDBClient; checkpoints: Checkpoints };

/**
 * Milliseconds before shards are listed again. The pause ends early when a shard ends, since the shard has successors.
 */
const LIST_AFTER_MS = { whileReading: 10_000, otherwise: 1_000 };

/**
 * Finds the stream of a table. `begin` then passes its changes to the function: those that no earlier run finished, and
 * all that follow.
 */
export async function openMapping(
  definition: MappingDefinition,
  deps: MappingDeps,
): Promise<{ begin(): void }> {
  const { dynamodb, client, checkpoints, clock, signal, onFault } = deps;
  const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName: definition.table }));
  const streamArn = Table?.LatestStreamArn ?? "";
  const positions = checkpoints.of(definition.id, streamArn);

  async function follow(): Promise<void> {
    const reading = new Map<string, Promise<void>>();
    while (!signal.aborted) {
      try {
        const shards = await listShards(client, streamArn, signal);
        positions.keepOnly(shards.map(({ id }) => id));
        for (const { id: shardId } of readableShards(shards, positions)) {
          if (reading.has(shardId)) continue;
          const handled = handleShard({ client, streamArn, shardId }, definition, positions, deps);
          reading.set(
            shardId,
            handled.finally(() => reading.delete(shardId)),
          );
        }
      } catch (error) {
        if (!signal.aborted) onFault(error);
      }
      const pauseMs = reading.size > 0 ? LIST_AFTER_MS.whileReading : LIST_AFTER_MS.otherwise;
      await firstWithin(clock, pauseMs, [...reading.values()], signal);
    }
  }

  return { begin: () => void follow() };
}
