/** Time and randomness, which tests replace. */
export type Clock = {
  /** Milliseconds since an arbitrary start. Never goes back. */
  nowMs(): number;
  /** Milliseconds since 1970, by this machine's clock. */
  dateMs(): number;
  /** At least 0 and below 1. */
  random(): number;
  /** Calls back once. Returns a function that cancels the call. */
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

/** Limits of a wait: a signal that aborts it, and a timeout. */
export type WaitLimits = { signal?: AbortSignal | undefined; timeoutMs?: number | undefined };

/** A signal for both limits, with the caller's reason or a TimeoutError. Call `end` when nothing waits any more. */
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

/** Rejects at the first of the limits, even if the promise is still pending. */
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
 * Doubles the pause with each failure, up to the limit. Half of it is random, so that clients do not all return at
 * once.
 */
export function backoffMs(
  clock: Clock,
  failures: number,
  [firstMs, mostMs]: readonly [number, number],
): number {
  return Math.min(mostMs, firstMs * 2 ** failures) * (0.5 + clock.random() / 2);
}

/** Calls the program's own code, whose errors must not stop this. */
export function callBack(act: () => void): void {
  try {
    act();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
