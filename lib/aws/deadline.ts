import { AsyncLocalStorage } from "node:async_hooks";

/** The work has no time left to call AWS. */
export class DeadlineExceeded extends Error {
  override readonly name = "DeadlineExceeded";
}

const deadlines = new AsyncLocalStorage<AbortSignal>();

/** Runs work whose calls to AWS fail with {@link DeadlineExceeded} once its time is up, however many they are. */
export function withDeadline<Result>(durationMs: number, work: () => Promise<Result>): Promise<Result> {
  return deadlines.run(AbortSignal.timeout(Math.max(0, durationMs)), work);
}

/**
 * Middleware of an SDK client that keeps the deadline of the work that calls it. A request that was sent cannot be
 * recalled, so the attempt that it ends may still succeed. It sends no further one.
 */
export function keepDeadline<Args, Output>(next: (args: Args) => Promise<Output>) {
  return async (args: Args): Promise<Output> => {
    const signal = deadlines.getStore();
    if (signal === undefined) return next(args);
    if (signal.aborted) throw new DeadlineExceeded();
    const { promise: exceeded, reject } = Promise.withResolvers<never>();
    const fail = () => reject(new DeadlineExceeded());
    signal.addEventListener("abort", fail);
    try {
      return await Promise.race([next(args), exceeded]);
    } finally {
      signal.removeEventListener("abort", fail);
    }
  };
}

/** Where {@link keepDeadline} goes. A low priority puts it into the SDK's retries, so that it sees each attempt. */
export const perAttempt = { step: "finalizeRequest", priority: "low", name: "keepDeadline" } as const;
