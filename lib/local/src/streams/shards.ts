import type { EventEmitter } from "node:events";
import {
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  ExpiredIteratorException,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ResourceNotFoundException,
  type Shard,
  TrimmedDataAccessException,
} from "@aws-sdk/client-dynamodb-streams";
import type { Clock } from "../clock.ts";
import type { StreamRecord } from "./change.ts";
import type { Position, Positions } from "./checkpoints.ts";

/** A shard and its predecessor. */
export type ListedShard = { id: string; parent: string | undefined };

/** Lists all shards that a stream still has. */
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
  return shards.map(({ ShardId = "", ParentShardId }) => ({ id: ShardId, parent: ParentShardId }));
}

/** Selects the shards to read now: unfinished ones whose parent is finished or no longer exists. */
export function readableShards(shards: readonly ListedShard[], positions: Positions): ListedShard[] {
  const isFinished = (id: string) => positions.get(id) === "END";
  const isListed = (id: string) => shards.some((shard) => shard.id === id);
  return shards.filter(
    ({ id, parent }) => !isFinished(id) && (parent === undefined || isFinished(parent) || !isListed(parent)),
  );
}

export type ShardPlace = {
  client: DynamoDBStreamsClient;
  /** ARN of the stream in DynamoDB Local. */
  streamArn: string;
  shardId: string;
};

/** Pauses between reads that find nothing. They grow up to `most`. Writes end them early. */
const PAUSE_MS = { least: 10, growth: 1.3, most: 100, mostWithWrites: 1_000, afterFailure: 1_000 };

export type Writes = EventEmitter<{ write: [] }>;

export type Following = {
  clock: Clock;
  /** Emits most writes to the database, but not those of other programs. */
  writes?: Writes | undefined;
  signal: AbortSignal;
  /** Called with errors of reading, which then continues. */
  onFault: (error: unknown) => void;
};

/**
 * Yields the records of a shard as they arrive. Ends once a closed shard has been read to its end, or the signal is
 * aborted.
 */
export async function* followShard(
  place: ShardPlace,
  from: Position,
  { clock, writes, signal, onFault }: Following,
): AsyncGenerator<StreamRecord[]> {
  const read = openShard(place, from);
  const most = writes === undefined ? PAUSE_MS.most : PAUSE_MS.mostWithWrites;
  let pauseMs = PAUSE_MS.least;
  let written = new AbortController();
  const wake = () => written.abort();
  writes?.on("write", wake);
  try {
    while (!signal.aborted) {
      written = new AbortController();
      try {
        const { records, ended } = await read(signal);
        if (records.length > 0) {
          yield records;
          pauseMs = PAUSE_MS.least;
        }
        if (ended) return;
        if (records.length > 0) continue;
      } catch (error) {
        if (signal.aborted) return;
        onFault(error);
        await clock.pause(PAUSE_MS.afterFailure, signal);
        continue;
      }
      // Reads once after many writes in a row.
      await clock.pause(PAUSE_MS.least, signal);
      await clock.pause(pauseMs - PAUSE_MS.least, AbortSignal.any([signal, written.signal]));
      pauseMs = written.signal.aborted ? PAUSE_MS.least : Math.min(pauseMs * PAUSE_MS.growth, most);
    }
  } finally {
    writes?.off("write", wake);
  }
}

/** A page of records. `ended` is true if none will ever follow. */
type Page = { records: StreamRecord[]; ended: boolean };

/** Returns a function that reads the next page, which is empty if there is nothing new yet. */
function openShard({ client, streamArn, shardId }: ShardPlace, from: Position) {
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

  /** Reads a page. Rejects if DynamoDB Local fails; reading can continue after that. */
  return async (abortSignal: AbortSignal): Promise<Page> => {
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
      if (error instanceof ResourceNotFoundException) return { records: [], ended: true };
      // Continues with the oldest record left if the next one is gone, because streams keep records for a day.
      if (error instanceof TrimmedDataAccessException) position = "START";
      // Iterators expire after some minutes. The position is still known.
      else if (!(error instanceof ExpiredIteratorException)) throw error;
      return { records: [], ended: false };
    }
  };
}
