import type { Period, Quota } from "./model.ts";
import type { Limit } from "./token-bucket.ts";

/** Counts the requests of a period, which is a fixed one of UTC. API Gateway's own windows end gradually. */
export type QuotaCounter = Limit & {
  /** Another quota from now on. What is counted stays, unless its period began at another time. */
  adjust(quota: Quota): void;
};

/** @param plannedAt when the plan was made: the offset counts in that period only */
export function createQuotaCounter(quota: Quota, plannedAt: number): QuotaCounter {
  let { limit, offset, period } = quota;
  let current: number | undefined;
  let used = 0;

  function roll(now: number): void {
    const start = startOf(period, now);
    if (start !== current) used = 0;
    current = start;
  }

  return {
    refusal: "QUOTA_EXCEEDED",
    hasRoom(now) {
      roll(now);
      return used < limit - (current === startOf(period, plannedAt) ? offset : 0);
    },
    count(now) {
      roll(now);
      used += 1;
    },
    adjust(next) {
      ({ limit, offset, period } = next);
    },
  };
}

/** When the period began that a moment lies in. A week begins on Monday. */
function startOf(period: Period, moment: number): number {
  const date = new Date(moment);
  const day = date.getUTCDate();
  const from = { DAY: day, WEEK: day - ((date.getUTCDay() + 6) % 7), MONTH: 1 }[period];
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), from);
}
