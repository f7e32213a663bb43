import type { Throttle } from "./model.ts";

/** Fills steadily; each request takes one token. It starts full. All times are milliseconds since the epoch. */
export type TokenBucket = {
  /** Asked of every bucket before any of them counts, so that a refused request takes no token. */
  hasRoom(now: number): boolean;
  count(now: number): void;
  /** Milliseconds until there is a token; 0 if there is one. */
  wait(now: number): number;
  /** Changes the limits. The tokens in the bucket stay, as far as they fit. */
  adjust(throttle: Throttle, now: number): void;
};

/** What rounding may take off a token over many fillings. */
const ROUNDING = 1e-9;

export function createTokenBucket(throttle: Throttle, begun: number): TokenBucket {
  let { rateLimit, burstLimit } = throttle;
  let tokens = burstLimit;
  let filledAt = begun;

  function fill(now: number): void {
    // A clock that is set back takes no token away.
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
