import type { Throttle } from "./model.ts";

/** A bucket that fills steadily and from which each request takes one token. It is full at first. */
export type TokenBucket = Limit & {
  /** Milliseconds until there is a token; 0 when there is one. */
  wait(now: number): number;
  /** Fills at another rate from now on. What is in it stays, as far as it fits. */
  adjust(throttle: Throttle, now: number): void;
};

/** What rounding may take off a token in the course of many fillings. */
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
    refusal: "THROTTLED",
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

/** Something that a request counts against. It is asked first, so that a request that is refused counts nowhere. */
export type Limit = {
  /** The gateway response for who is beyond it. */
  refusal: "THROTTLED" | "QUOTA_EXCEEDED";
  /** @param now milliseconds since the epoch, as everywhere */
  hasRoom(now: number): boolean;
  count(now: number): void;
};
