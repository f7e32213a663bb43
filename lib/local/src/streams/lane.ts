import { type Clock, firstWithin } from "../events/clock.ts";
import { PAYLOAD_LIMIT } from "../lambda/invoke.ts";
import type { Change } from "./change.ts";

export type LaneSettings = {
  /** The most records that a batch may have. */
  batchSize: number;
  /** Milliseconds that a batch may wait to become full. */
  window: number;
};

/** Takes records in one after the other, and hands them on in batches, one batch at a time. */
export type Lane = { push(change: Change): void };

/** What an event is beside its records. */
const ENVELOPE = Buffer.byteLength('{"Records":[]}');

/** @param handle sees a batch through; never rejects */
export function createLane(
  { batchSize, window }: LaneSettings,
  handle: (batch: readonly Change[]) => Promise<void>,
  clock: Clock,
  signal: AbortSignal,
): Lane {
  const waiting: Change[] = [];
  let busy = false;
  let onFull: () => void = () => {};

  /** How many of the records that wait fit into one batch. The first one always does. */
  function fitting(): { count: number; full: boolean } {
    let size = ENVELOPE;
    for (const [count, change] of waiting.entries()) {
      size += change.size + 1;
      if (count === batchSize || (count > 0 && size > PAYLOAD_LIMIT)) return { count, full: true };
    }
    return { count: waiting.length, full: waiting.length === batchSize };
  }

  async function work(): Promise<void> {
    while (waiting.length > 0 && !signal.aborted) {
      // Waits in any case until who is just bringing records has brought them all.
      const full = new Promise<void>((resolve) => {
        onFull = resolve;
      });
      if (window > 0 && !fitting().full) await firstWithin(clock, window, [full], signal);
      else await Promise.resolve();
      if (!signal.aborted) await handle(waiting.splice(0, fitting().count));
    }
    busy = false;
  }

  return {
    push(change) {
      waiting.push(change);
      if (window > 0 && fitting().full) onFull();
      if (busy) return;
      busy = true;
      void work();
    },
  };
}
