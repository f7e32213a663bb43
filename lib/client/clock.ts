/** Time and chance, so that tests need neither wait nor be lucky. */
export type Clock = {
  /** Milliseconds since some time in the past. Never goes back. */
  nowMs(): number;
  /** Milliseconds since 1970, as this machine believes. */
  dateMs(): number;
  /** From 0 to below 1. */
  random(): number;
  /** Calls back once, and returns what cancels that. */
  after(ms: number, act: () => void): () => void;
};

export const realClock: Clock = {
  nowMs: () => performance.now(),
  dateMs: () => Date.now(),
  random: Math.random,
  after(ms, act) {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
};

/** Resolves after the pause, or at once when the signal aborts. */
export const pause = (clock: Clock, ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      cancel();
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const cancel = clock.after(ms, end);
    signal?.addEventListener("abort", end);
  });

/** Doubles with each failure up to the limit. Half of it is left to chance, so that clients do not return all at once. */
export function backoffMs(
  clock: Clock,
  failures: number,
  [firstMs, mostMs]: readonly [number, number],
): number {
  return Math.min(mostMs, firstMs * 2 ** failures) * (0.5 + clock.random() / 2);
}

/** Rejects if the promise has not settled in time, and so does not wait for it. */
export const within = <Value>(clock: Clock, ms: number, promise: Promise<Value>): Promise<Value> =>
  new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => reject(new Error(`Nothing came within ${ms} ms`)));
    promise.then(resolve, reject).finally(cancel);
  });
