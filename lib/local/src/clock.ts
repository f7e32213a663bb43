import { setTimeout as delay } from "node:timers/promises";

/** A clock with the current time and pauses. Tests replace it. */
export type Clock = {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after `ms` milliseconds, or as soon as the signal is aborted. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
};

/** The longest delay of a timer in Node. */
const LONGEST_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: Date.now,
  async pause(ms, signal) {
    for (let left = ms; !signal.aborted && left > 0; left -= LONGEST_MS) {
      // Ignores the rejection, because the delay rejects only when aborted.
      await delay(Math.min(left, LONGEST_MS), undefined, { signal }).catch(() => {});
    }
  },
};

/** Waits until the first promise settles, but at most `ms` milliseconds. */
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
