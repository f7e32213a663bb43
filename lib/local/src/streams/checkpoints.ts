import type { Clock } from "../clock.ts";
import type { Store } from "../storage/store.ts";

/** Where to continue in a shard: at its start, after a sequence number, or nowhere because it is finished. */
export type Position = "START" | "END" | { after: string };

/** The positions of one event source mapping in the shards of one stream. */
export type Positions = {
  get(shardId: string): Position | undefined;
  set(shardId: string, position: Position): void;
  /** Forgets all other shards. */
  keepOnly(shardIds: readonly string[]): void;
};

export type Checkpoints = {
  /** @param stream name of the stream. Positions of the mapping in any other stream are forgotten */
  of(mapping: string, stream: string): Positions;
  /** Saves what has changed, for the last time. */
  close(): void;
};

type Kept = Record<string, { stream: string; shards: Record<string, Position> }>;

/** Changes are saved together after this time. Changes that a killed runner had not saved are handled again. */
const SAVE_AFTER_MS = 200;
const NAME = "streams";

/** @param onFault called if saving fails */
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
    void clock.pause(SAVE_AFTER_MS, closing.signal).then(flush);
  }

  return {
    of(mapping, stream) {
      const known = kept[mapping];
      const shards: Record<string, Position> = known?.stream === stream ? known.shards : {};
      kept[mapping] = { stream, shards };
      return {
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
    close() {
      flush();
      closing.abort();
    },
  };
}

/** Which records of a shard are finished while several are handled at the same time. */
export type Progress = {
  begin(sequenceNumber: string): void;
  done(sequenceNumber: string): void;
  /** Resolves once no more than so many records are being handled. */
  untilAtMost(count: number): Promise<void>;
};

/** @param onAdvance called with the last sequence number before which, itself included, everything is finished */
export function createProgress(onAdvance: (sequenceNumber: string) => void): Progress {
  /** In order. True for a finished record that still follows an unfinished one. */
  const begun = new Map<string, boolean>();
  let waiting: { count: number; proceed: () => void }[] = [];

  return {
    begin(sequenceNumber) {
      begun.set(sequenceNumber, false);
    },
    done(sequenceNumber) {
      begun.set(sequenceNumber, true);
      let reached: string | undefined;
      for (const [each, isDone] of begun) {
        if (!isDone) break;
        reached = each;
        begun.delete(each);
      }
      if (reached === undefined) return;
      onAdvance(reached);
      const ready = waiting.filter(({ count }) => begun.size <= count);
      waiting = waiting.filter((each) => !ready.includes(each));
      for (const { proceed } of ready) proceed();
    },
    untilAtMost(count) {
      if (begun.size <= count) return Promise.resolve();
      return new Promise((proceed) => waiting.push({ count, proceed }));
    },
  };
}
