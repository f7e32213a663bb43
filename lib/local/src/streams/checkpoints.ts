import type { Clock } from "../events/clock.ts";
import type { Store } from "../storage/store.ts";

/**
 * Where to go on reading a shard: from its beginning, after a sequence number, or nowhere, because all of it
 * is through.
 */
export type Position = "START" | "END" | { after: string };

/** How far one event source mapping has come in each shard of one stream. */
export type Positions = {
  /** Whether nothing was known of this mapping and this stream before. */
  isNew: boolean;
  get(shardId: string): Position | undefined;
  set(shardId: string, position: Position): void;
  /** Forgets all other shards. */
  keepOnly(shardIds: readonly string[]): void;
};

export type Checkpoints = {
  /** @param stream name of the stream: what is known of another one of that mapping is forgotten */
  of(mapping: string, stream: string): Positions;
  /** Writes down what has changed. */
  flush(): void;
  /** The same, for the last time. */
  close(): void;
};

type Kept = Record<string, { stream: string; shards: Record<string, Position> }>;

/** Milliseconds in which changes are collected. What a killed runner has not written down comes again. */
const COLLECTED = 200;
const NAME = "streams";

/** @param onFault hears when something could not be written down */
export function openCheckpoints(store: Store, clock: Clock, onFault: (error: unknown) => void): Checkpoints {
  const kept = store.load<Kept>(NAME) ?? {};
  const closing = new AbortController();
  let changed = false;

  function flush(): void {
    if (!changed || closing.signal.aborted) return;
    changed = false;
    try {
      store.save(NAME, kept);
    } catch (error) {
      onFault(error);
    }
  }

  function change(): void {
    if (changed) return;
    changed = true;
    void clock.pause(COLLECTED, closing.signal).then(flush);
  }

  return {
    of(mapping, stream) {
      const known = kept[mapping];
      const isNew = known?.stream !== stream;
      const { shards } = isNew ? { shards: {} as Record<string, Position> } : known;
      kept[mapping] = { stream, shards };
      return {
        isNew,
        get: (shardId) => shards[shardId],
        set(shardId, position) {
          shards[shardId] = position;
          change();
        },
        keepOnly(shardIds) {
          for (const shardId of Object.keys(shards)) {
            if (!shardIds.includes(shardId)) delete shards[shardId];
          }
        },
      };
    },
    flush,
    close() {
      flush();
      closing.abort();
    },
  };
}
