import type { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import { arn } from "../account.ts";
import type { Clock } from "../events/clock.ts";
import type { Queues } from "../events/queues.ts";
import type { Invoke } from "../lambda/invoke.ts";
import { type Change, toChange } from "./change.ts";
import type { Positions } from "./checkpoints.ts";
import { discardedRecord } from "./discarded-record.ts";
import { createLane } from "./lane.ts";
import type { MappingDefinition } from "./mapping-definition.ts";
import { type BatchPort, type Discarded, processBatch } from "./process-batch.ts";
import { createProgress } from "./progress.ts";
import { followShard, type ShardPlace } from "./shard.ts";

export type HandlerSurroundings = {
  client: DynamoDBStreamsClient;
  invoke: Invoke;
  queues: Pick<Queues, "send">;
  clock: Clock;
  signal: AbortSignal;
  /** Hears in one line of what was given up. */
  report: (line: string) => void;
  /** Hears why something could not be done that will be tried again. */
  onFault: (error: unknown) => void;
};

/** Records of a shard that may be under way at a time. */
const UNDER_WAY = 10_000;

/**
 * Hands the records of a shard to a function, from where it stands on. Resolves when the shard is closed and
 * everything in it is through, which its position then says; never rejects. Once the signal is aborted it need
 * not come to an end.
 */
export async function handleShard(
  place: ShardPlace,
  definition: MappingDefinition,
  positions: Positions,
  surroundings: HandlerSurroundings,
): Promise<void> {
  const { invoke, clock, signal, onFault } = surroundings;
  const { source, matches } = definition;
  const { shardId } = place;
  const progress = createProgress((after) => positions.set(shardId, { after }));
  const port: BatchPort = {
    invoke: async (changes) => {
      try {
        return await invoke(definition.functionName, { Records: changes.map(({ event }) => event) });
      } catch (error) {
        onFault(error);
        throw error;
      }
    },
    done: (changes) => {
      for (const { sequenceNumber } of changes) progress.done(sequenceNumber);
    },
    discard: (discarded) => tell(discarded, shardId, definition, surroundings),
    clock,
    signal,
  };
  const handle = (batch: readonly Change[]) => processBatch(batch, definition.batch, port).catch(onFault);
  const lanes = Array.from({ length: definition.lanes }, () =>
    createLane(definition.lane, handle, clock, signal),
  );

  const from = positions.get(shardId) ?? "START";
  for await (const records of followShard(place, from, { clock, signal, onFault })) {
    for (const record of records) {
      const change = toChange(record, source, clock.now());
      progress.begin(change.sequenceNumber);
      if (matches(change.event)) lanes[change.partition % lanes.length]?.push(change);
      else progress.done(change.sequenceNumber);
    }
    await progress.untilAtMost(UNDER_WAY);
  }
  if (signal.aborted) return;
  await progress.untilAtMost(0);
  positions.set(shardId, "END");
}

function tell(
  discarded: Discarded,
  shardId: string,
  { functionName, table, source, onFailure }: MappingDefinition,
  { queues, clock, report }: HandlerSurroundings,
): void {
  const { changes, condition } = discarded;
  report(`${functionName} has not handled ${changes.length} changes of ${table}, given up for ${condition}`);
  if (onFailure === undefined) return;
  const from = {
    functionArn: arn("lambda", `function:${functionName}`),
    shardId,
    streamArn: source.streamArn,
    now: clock.now(),
  };
  queues.send(onFailure, functionName, discardedRecord(discarded, from));
}
