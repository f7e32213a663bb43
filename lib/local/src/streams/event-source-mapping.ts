import { DescribeTableCommand, type DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { firstWithin } from "../events/clock.ts";
import type { Checkpoints } from "./checkpoints.ts";
import { type HandlerSurroundings, handleShard } from "./handle-shard.ts";
import type { MappingDefinition } from "./mapping-definition.ts";
import { endOfShard } from "./shard.ts";
import { listShards, readableShards } from "./shards.ts";

export type MappingSurroundings = HandlerSurroundings & {
  dynamodb: DynamoDBClient;
  checkpoints: Checkpoints;
};

/**
 * Milliseconds between looks for new shards. They come when others end, which is a reason to look at once.
 */
const NEXT_LOOK = { whileReading: 10_000, otherwise: 1_000 };

/**
 * Has a function hear of the changes of a table: of those that are written after this resolves, and those
 * that had not been handled when the last runner ended. Nothing is handed over before it is begun.
 */
export async function openMapping(
  definition: MappingDefinition,
  surroundings: MappingSurroundings,
): Promise<{ begin(): void }> {
  const { dynamodb, client, checkpoints, clock, signal, onFault } = surroundings;
  const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName: definition.table }));
  const streamArn = Table?.LatestStreamArn ?? "";
  const positions = checkpoints.of(definition.id, streamArn);
  if (positions.isNew && definition.startingPosition === "LATEST") await skipAll();

  /** An iterator of the type LATEST would be good for minutes, and a position has to outlive the runner. */
  async function skipAll(): Promise<void> {
    for (const { id: shardId, isOpen } of await listShards(client, streamArn, signal)) {
      positions.set(shardId, isOpen ? await endOfShard({ client, streamArn, shardId }, signal) : "END");
    }
    checkpoints.flush();
  }

  async function follow(): Promise<void> {
    const reading = new Map<string, Promise<void>>();
    while (!signal.aborted) {
      try {
        const shards = await listShards(client, streamArn, signal);
        positions.keepOnly(shards.map(({ id }) => id));
        for (const { id: shardId } of readableShards(shards, positions)) {
          if (reading.has(shardId)) continue;
          const handled = handleShard({ client, streamArn, shardId }, definition, positions, surroundings);
          reading.set(
            shardId,
            handled.finally(() => reading.delete(shardId)),
          );
        }
      } catch (error) {
        if (!signal.aborted) onFault(error);
      }
      const pause = reading.size > 0 ? NEXT_LOOK.whileReading : NEXT_LOOK.otherwise;
      await firstWithin(clock, pause, [...reading.values()], signal);
    }
  }

  return { begin: () => void follow() };
}
