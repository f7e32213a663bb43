import type { Throttle } from "./model.ts";

/**
 * A bucket that starts full and fills steadily. Each request takes one token. All times are milliseconds since the
 * epoch.
 */
export type TokenBucket = {
  /** True if there is a token. Check all buckets before counting in any, so that a refused request takes no token. */
  hasRoom(now: number): boolean;
  count(now: number): void;
  /** Returns the milliseconds until there is a token, or 0 if there is one. */
  wait(now: number): number;
  /** Changes the limits. Tokens that no longer fit are lost. */
  adjust(throttle: Throttle, now: number): void;
};

/** Tolerance for rounding errors over many refills. */
const ROUNDING = 1e-9;

export function createTokenBucket(throttle: Throttle, begun: number): TokenBucket {
  let { rateLimit, burstLimit } = throttle;
  let tokens = burstLimit;
  let filledAt = begun;

  function fill(now: number): void {
    // Loses no token when the clock is set back.
    const seconds = Math.max(0, now - filledAt) / 1000;
    tokens = Math.min(burstLimit, tokens + seconds * rateLimit);
    filledAt = now;
  }

  function wait(now: number): number {
    fill(now);
    return tokens >= 1 - ROUNDING ? 0 : ((1 - tokens) / rateLimit) * 1000;
  }

  return {
    wait,
    hasRoom: (now) => wait(now) === 0,
    count(now) {
      fill(now);
      tokens = Math.max(0, tokens - 1);
    },
    adjust(next, now) {
      fill(now);
      ({ rateLimit, burstLimit } = next);
      tokens = Math.min(burstLimit, tokens);
    },
  };
}
