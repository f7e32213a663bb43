/** Provides time and randomness, so that tests can replace them. */
export type Clock = {
  /** Milliseconds since an arbitrary start. This time never jumps back. */
  nowMs(): number;
  /** Milliseconds since 1970 by this machine's clock. */
  dateMs(): number;
  /** A random number of at least 0 and below 1. */
  random(): number;
  /** Calls the function once, after a pause. Returns a function that cancels the call. */
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

/** Limits of a wait: a signal that aborts the wait, and a timeout. */
export type WaitLimits = { signal?: AbortSignal | undefined; timeoutMs?: number | undefined };

/**
 * Makes a signal that aborts when either limit is reached. Its reason is that of the caller's signal, or a
 * TimeoutError. Call `end` when nothing waits any more.
 */
export function limitsOf(
  clock: Clock,
  { signal, timeoutMs }: WaitLimits,
): { signal: AbortSignal; end: () => void } {
  const abort = new AbortController();
  const onAbort = () => abort.abort(signal?.reason);
  if (signal?.aborted) onAbort();
  signal?.addEventListener("abort", onAbort);
  const timedOut = () => abort.abort(new DOMException(`Timed out after ${timeoutMs} ms`, "TimeoutError"));
  const cancel = timeoutMs === undefined ? undefined : clock.after(timeoutMs, timedOut);
  return {
    signal: abort.signal,
    end() {
      cancel?.();
      signal?.removeEventListener("abort", onAbort);
    },
  };
}

/** Rejects as soon as either limit is reached, even if the promise is still pending. */
export function limited<Value>(clock: Clock, wanted: WaitLimits, promise: Promise<Value>): Promise<Value> {
  const { signal, end } = limitsOf(clock, wanted);
  const abort = new Promise<never>((_, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort);
  });
  return Promise.race([promise, abort]).finally(end);
}

/** Resolves after the pause, or at once when the signal aborts. */
export const pause = (clock: Clock, timeoutMs: number, signal?: AbortSignal): Promise<void> =>
  limited(clock, { signal, timeoutMs }, new Promise<never>(() => {})).catch(() => {});

/**
 * Doubles the pause with each failure, up to a limit. Half of the pause is random, so that clients do not all return at
 * once.
 */
export function backoffMs(
  clock: Clock,
  failures: number,
  [firstMs, mostMs]: readonly [number, number],
): number {
  return Math.min(mostMs, firstMs * 2 ** failures) * (0.5 + clock.random() / 2);
}

/** Runs a callback of the application. Its errors must not stop the client. */
export function callBack(act: () => void): void {
  try {
    act();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
