import { randomUUID } from "node:crypto";
import type { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import { arn } from "../account.ts";
import type { Invoke } from "../lambda/invoke.ts";
import { type Change, toChange } from "./change.ts";
import { createProgress, type Positions } from "./checkpoints.ts";
import { createLane } from "./lane.ts";
import type { MappingDefinition } from "./mapping-definition.ts";
import { type BatchDeps, type Discarded, processBatch } from "./process-batch.ts";
import type { Queues } from "./queues.ts";
import { type Following, followShard, type ShardPlace } from "./shards.ts";

export type ShardDeps = Following & {
  client: DynamoDBStreamsClient;
  invoke: Invoke;
  queues: Pick<Queues, "send">;
  /** Called with a line about changes that are given up. */
  report: (line: string) => void;
};

/** Maximum number of records of a shard that are being handled or waiting at a time. */
const MOST_UNFINISHED = 10_000;

/**
 * Passes the records of a shard to a function, beginning at the shard's position. Resolves once the shard is closed and
 * all its records are finished, and sets the position to its end. Never rejects. Once the signal is aborted, it may
 * remain pending.
 */
export async function handleShard(
  place: ShardPlace,
  definition: MappingDefinition,
  positions: Positions,
  deps: ShardDeps,
): Promise<void> {
  const { invoke, clock, writes, signal, onFault } = deps;
  const { source, matches } = definition;
  const { shardId } = place;
  const progress = createProgress((after) => positions.set(shardId, { after }));
  const batchDeps: BatchDeps = {
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
    discard: (discarded) => discard(discarded, shardId, definition, deps),
    clock,
    signal,
  };
  const handle = (batch: readonly Change[]) =>
    processBatch(batch, definition.batch, batchDeps).catch(onFault);
  const lanes = Array.from({ length: definition.lanes }, () =>
    createLane(definition.batchSize, handle, signal),
  );

  const from = positions.get(shardId) ?? "START";
  for await (const records of followShard(place, from, { clock, writes, signal, onFault })) {
    for (const record of records) {
      const change = toChange(record, source, clock.now());
      progress.begin(change.sequenceNumber);
      if (matches(change.event)) lanes[change.partition % lanes.length]?.push(change);
      else progress.done(change.sequenceNumber);
    }
    await progress.untilAtMost(MOST_UNFINISHED);
  }
  if (signal.aborted) return;
  await progress.untilAtMost(0);
  positions.set(shardId, "END");
}

function discard(
  discarded: Discarded,
  shardId: string,
  definition: MappingDefinition,
  { queues, clock, report }: ShardDeps,
): void {
  const { functionName, table, onFailure } = definition;
  const { changes, condition } = discarded;
  report(`${functionName} did not handle ${changes.length} changes of ${table}; giving up: ${condition}`);
  if (onFailure === undefined) return;
  queues.send(onFailure, functionName, failureRecord(discarded, shardId, definition, clock.now()));
}

/**
 * Builds the message about discarded records that Lambda sends to a queue: their place in the stream, without their
 * content.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html
 */
function failureRecord(
  { changes, condition, invocations, result }: Discarded,
  shardId: string,
  { functionName, source }: MappingDefinition,
  now: number,
) {
  const [first] = changes;
  const last = changes.at(-1) ?? first;
  return {
    requestContext: {
      requestId: randomUUID(),
      functionArn: arn("lambda", `function:${functionName}`),
      condition,
      approximateInvokeCount: invocations,
    },
    ...(result && {
      responseContext: {
        statusCode: 200,
        executedVersion: "$LATEST",
        ...(result.functionError && { functionError: result.functionError }),
      },
    }),
    version: "1.0",
    timestamp: new Date(now).toISOString(),
    DDBStreamBatchInfo: {
      shardId,
      startSequenceNumber: first.sequenceNumber,
      endSequenceNumber: last.sequenceNumber,
      approximateArrivalOfFirstRecord: wholeSecond(first.createdAt),
      approximateArrivalOfLastRecord: wholeSecond(last.createdAt),
      batchSize: changes.length,
      streamArn: source.streamArn,
    },
  };
}

function wholeSecond(time: number): string {
  return new Date(time).toISOString().replace(/\.\d+Z$/, "Z");
}
