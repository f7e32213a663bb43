import { setTimeout as delay } from "node:timers/promises";

/** The time, and a way to let it pass. */
export type Clock = {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after so many milliseconds, or as soon as the signal is aborted. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
};

/** The longest that a timer of Node can wait. */
const LONGEST = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: Date.now,
  async pause(ms, signal) {
    for (let left = ms; !signal.aborted && left > 0; left -= LONGEST) {
      // Rejects only when it is aborted.
      await delay(Math.min(left, LONGEST), undefined, { signal }).catch(() => {});
    }
  },
};

/** Waits for the first of the promises, but no longer than that. */
export async function firstWithin(
  clock: Clock,
  ms: number,
  promises: readonly Promise<unknown>[],
  signal: AbortSignal,
): Promise<void> {
  const over = new AbortController();
  try {
    await Promise.race([...promises, clock.pause(ms, AbortSignal.any([signal, over.signal]))]);
  } finally {
    over.abort();
  }
}
