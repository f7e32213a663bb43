import {
  type DynamoDBStreamsClient,
  ExpiredIteratorException,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ResourceNotFoundException,
  TrimmedDataAccessException,
} from "@aws-sdk/client-dynamodb-streams";
import type { Clock } from "../events/clock.ts";
import type { StreamRecord } from "./change.ts";
import type { Position } from "./checkpoints.ts";

export type ShardPlace = {
  client: DynamoDBStreamsClient;
  /** As DynamoDB Local knows it. */
  streamArn: string;
  shardId: string;
};

/** `ended` when nothing will ever follow. */
type Page = { records: StreamRecord[]; ended: boolean };

/**
 * Milliseconds between looks at a shard where nothing new was found: fewer and fewer looks the longer that
 * lasts.
 */
const PAUSE = { least: 10, growth: 1.3, most: 100, afterFailure: 1_000 };

/** Reads a shard page by page. A page without records means that there are no more as yet. */
export function openShard({ client, streamArn, shardId }: ShardPlace, from: Position) {
  let position = from;
  let iterator: string | undefined;

  async function newIterator(abortSignal: AbortSignal): Promise<string | undefined> {
    const start =
      typeof position === "string"
        ? ({ ShardIteratorType: "TRIM_HORIZON" } as const)
        : ({ ShardIteratorType: "AFTER_SEQUENCE_NUMBER", SequenceNumber: position.after } as const);
    const command = new GetShardIteratorCommand({ StreamArn: streamArn, ShardId: shardId, ...start });
    return (await client.send(command, { abortSignal })).ShardIterator;
  }

  /** Rejects when the engine does; reading can go on after that. */
  async function read(abortSignal: AbortSignal): Promise<Page> {
    try {
      iterator ??= await newIterator(abortSignal);
      const command = new GetRecordsCommand({ ShardIterator: iterator });
      const { Records = [], NextShardIterator } = await client.send(command, { abortSignal });
      iterator = NextShardIterator;
      const last = Records.at(-1)?.dynamodb?.SequenceNumber;
      if (last !== undefined) position = { after: last };
      return { records: Records, ended: iterator === undefined };
    } catch (error) {
      iterator = undefined;
      // The stream keeps a day. What follows here was not read in time; go on with the oldest that is left,
      // if any.
      if (error instanceof TrimmedDataAccessException) position = "START";
      // An iterator is good for minutes only; the position is not lost with it.
      else if (!(error instanceof ExpiredIteratorException)) {
        if (error instanceof ResourceNotFoundException) return { records: [], ended: true };
        throw error;
      }
      return { records: [], ended: false };
    }
  }

  return { read };
}

/**
 * The records of a shard as they come, until it is closed and has been read to its end, or the signal is
 * aborted.
 * @param onFault hears of failures to read; reading goes on
 */
export async function* followShard(
  place: ShardPlace,
  from: Position,
  { clock, signal, onFault }: { clock: Clock; signal: AbortSignal; onFault: (error: unknown) => void },
): AsyncGenerator<StreamRecord[]> {
  const shard = openShard(place, from);
  let pause = PAUSE.least;
  while (!signal.aborted) {
    try {
      const { records, ended } = await shard.read(signal);
      if (records.length > 0) {
        yield records;
        pause = PAUSE.least;
      }
      if (ended) return;
      if (records.length > 0) continue;
    } catch (error) {
      if (signal.aborted) return;
      onFault(error);
      pause = PAUSE.afterFailure;
    }
    await clock.pause(pause, signal);
    pause = Math.min(pause * PAUSE.growth, PAUSE.most);
  }
}

/** The position after all that is in a shard now. */
export async function endOfShard(place: ShardPlace, signal: AbortSignal): Promise<Position> {
  const shard = openShard(place, "START");
  let position: Position = "START";
  for (;;) {
    const { records, ended } = await shard.read(signal);
    if (ended) return "END";
    const last = records.at(-1)?.dynamodb?.SequenceNumber;
    if (last === undefined) return position;
    position = { after: last };
  }
}
