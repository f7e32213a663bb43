import { AsyncLocalStorage } from "node:async_hooks";
import { ServiceError } from "../core/service-error.ts";

/** Reports that no time is left for a call to AWS. */
export class DeadlineExceeded extends ServiceError {
  override readonly code = "DEADLINE_EXCEEDED";
}

const deadlines = new AsyncLocalStorage<AbortSignal>();

/** Runs work whose calls to AWS fail with {@link DeadlineExceeded} once the time is up. */
export function withDeadline<Result>(durationMs: number, work: () => Promise<Result>): Promise<Result> {
  return deadlines.run(AbortSignal.timeout(Math.max(0, durationMs)), work);
}

/**
 * Middleware that aborts an SDK call at the deadline of the surrounding work, without further attempts. A request
 * already sent may still succeed.
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

/**
 * Position of {@link keepDeadline} in the middleware stack. Its low priority puts it inside the SDK's retries, so it
 * applies to each attempt.
 */
export const perAttempt = { step: "finalizeRequest", priority: "low", name: "keepDeadline" } as const;
