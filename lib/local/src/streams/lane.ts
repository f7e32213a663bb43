import { PAYLOAD_LIMIT_BYTES } from "../lambda/invoke.ts";
import type { Change } from "./change.ts";

/** Collects records and passes them on in batches, in order, one batch at a time. */
export type Lane = { push(change: Change): void };

/** Size of an event without records. */
const ENVELOPE_BYTES = Buffer.byteLength('{"Records":[]}');

/**
 * @param batchSize maximum number of records in a batch
 * @param handle resolves when a batch is finished; never rejects
 */
export function createLane(
  batchSize: number,
  handle: (batch: readonly Change[]) => Promise<void>,
  signal: AbortSignal,
): Lane {
  const waiting: Change[] = [];
  let busy = false;

  /** Counts the waiting records that fit into one batch. The first one always does. */
  function fitting(): number {
    let size = ENVELOPE_BYTES;
    for (const [count, change] of waiting.entries()) {
      size += change.size + 1;
      if (count === batchSize || (count > 0 && size > PAYLOAD_LIMIT_BYTES)) return count;
    }
    return waiting.length;
  }

  async function work(): Promise<void> {
    while (waiting.length > 0 && !signal.aborted) {
      // Waits a turn, so that records pushed together go into one batch.
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
