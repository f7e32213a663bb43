import { PAYLOAD_LIMIT } from "../lambda/invoke.ts";
import type { Change } from "./change.ts";

/** Collects records and passes them on in batches, in order and one batch at a time. */
export type Lane = { push(change: Change): void };

/** The size of an event without its records. */
const ENVELOPE = Buffer.byteLength('{"Records":[]}');

/**
 * @param batchSize records in a batch, at most
 * @param handle resolves when a batch is finished; never rejects
 */
export function createLane(
  batchSize: number,
  handle: (batch: readonly Change[]) => Promise<void>,
  signal: AbortSignal,
): Lane {
  const waiting: Change[] = [];
  let busy = false;

  /** How many of the waiting records fit into one batch. The first one always does. */
  function fitting(): number {
    let size = ENVELOPE;
    for (const [count, change] of waiting.entries()) {
      size += change.size + 1;
      if (count === batchSize || (count > 0 && size > PAYLOAD_LIMIT)) return count;
    }
    return waiting.length;
  }

  async function work(): Promise<void> {
    while (waiting.length > 0 && !signal.aborted) {
      // Records that are pushed in the same turn go into one batch.
      await Promise.resolve();
      await handle(waiting.splice(0, fitting()));
    }
    busy = false;
  }

  return {
    push(change) {
      waiting.push(change);
      if (busy) return;
      busy = true;
      void work();
    },
  };
}
