import type { Clock } from "../clock.ts";
import type { Store } from "../storage/store.ts";

/** A position in a shard: its start, after a given record, or its end if all is finished. */
export type Position = "START" | "END" | { after: string };

/** Positions of one event source mapping in the shards of one stream. */
export type Positions = {
  get(shardId: string): Position | undefined;
  set(shardId: string, position: Position): void;
  /** Forgets all other shards. */
  keepOnly(shardIds: readonly string[]): void;
};

export type Checkpoints = {
  /** Returns the positions of a mapping in a stream, and forgets its positions in any other stream. */
  of(mapping: string, stream: string): Positions;
  /** Saves the latest changes and stops saving. */
  close(): void;
};

type SavedPositions = Record<string, { stream: string; shards: Record<string, Position> }>;

/**
 * Milliseconds after which changes are saved together. If the runner is killed earlier, those changes are handled
 * again.
 */
const SAVE_AFTER_MS = 200;
const NAME = "streams";

/** @param onFault receives errors of saving */
export function openCheckpoints(store: Store, clock: Clock, onFault: (error: unknown) => void): Checkpoints {
  const saved = store.load<SavedPositions>(NAME) ?? {};
  const closing = new AbortController();
  let changed = false;

  function flush(): void {
    if (!changed || closing.signal.aborted) return;
    changed = false;
    try {
      store.save(NAME, saved);
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
      const known = saved[mapping];
      const shards: Record<string, Position> = known?.stream === stream ? known.shards : {};
      saved[mapping] = { stream, shards };
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

/** Tracks the finished records of a shard while several are handled at the same time. */
export type Progress = {
  begin(sequenceNumber: string): void;
  done(sequenceNumber: string): void;
  /** Resolves once at most `count` records are being handled. */
  untilAtMost(count: number): Promise<void>;
};

/** @param onAdvance receives the last sequence number up to which everything is finished */
export function createProgress(onAdvance: (sequenceNumber: string) => void): Progress {
  /** Records in order. True for a finished record that still follows an unfinished one. */
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
