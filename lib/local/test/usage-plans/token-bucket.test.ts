import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Throttle } from "../../src/usage-plans/model.ts";
import { createTokenBucket } from "../../src/usage-plans/token-bucket.ts";

/** Tolerance for rounding over all requests of a run. */
const ROUNDING = 1e-6;
const START = Date.UTC(2026, 10, 21);

const burstLimit = fc.integer({ min: 1, max: 40 });
const rateLimit = fc.oneof(
  fc.constantFrom(1000 / 60, 1 / 20, 0.1, 1 / 3),
  fc.double({ min: 0.001, max: 500, noNaN: true }),
);
const throttles = fc.record({ rateLimit, burstLimit });

/** Decides for requests at these times whether each is admitted. */
function admissions(throttle: Throttle, times: readonly number[]): boolean[] {
  const bucket = createTokenBucket(throttle, START);
  return times.map((time) => {
    const hasRoom = bucket.hasRoom(time);
    if (hasRoom) bucket.count(time);
    return hasRoom;
  });
}

function timesOf(gaps: readonly number[]): number[] {
  let now = START;
  return gaps.map((gap) => {
    now += gap;
    return now;
  });
}

describe("token buckets", () => {
  it("never admits more than burst + rate × time over any span", () => {
    const gaps = fc.array(fc.oneof(fc.constant(0), fc.nat(40), fc.nat(5_000)), { maxLength: 120 });
    fc.assert(
      fc.property(throttles, gaps, (throttle, between) => {
        const times = timesOf(between);
        const admitted = admissions(throttle, times);
        const passed = times.filter((_, at) => admitted[at]);
        for (const [first, from] of passed.entries()) {
          for (const [more, to] of passed.slice(first).entries()) {
            const allowed = throttle.burstLimit + (throttle.rateLimit * (to - from)) / 1000;
            expect(1 + more).toBeLessThanOrEqual(allowed + ROUNDING);
          }
        }
      }),
    );
  });

  it("admits at least burst + rate × time, rounded down, if requests never stop", () => {
    // Waits too briefly for the bucket to overflow.
    const waits = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 40 });
    fc.assert(
      fc.property(throttles, waits, (throttle, parts) => {
        const longest = ((throttle.burstLimit - 1) / throttle.rateLimit) * 1000;
        const moments = timesOf([0, ...parts.map((part) => part * longest)]);
        const times = moments.flatMap((moment) =>
          Array.from({ length: throttle.burstLimit + 1 }, () => moment),
        );
        const seconds = ((times.at(-1) ?? START) - START) / 1000;
        const earned = throttle.burstLimit + throttle.rateLimit * seconds;
        const admitted = admissions(throttle, times).filter(Boolean).length;
        expect(admitted).toBeGreaterThanOrEqual(Math.floor(earned - ROUNDING));
      }),
    );
  });

  it("computes the wait for a token exactly to the millisecond", () => {
    fc.assert(
      fc.property(throttles, fc.nat(100_000), (throttle, later) => {
        const bucket = createTokenBucket(throttle, START);
        const now = START + later;
        for (let taken = 0; taken < throttle.burstLimit; taken++) bucket.count(now);
        const wait = bucket.wait(now);
        expect(wait).toBeGreaterThan(0);
        expect(wait).toBeLessThanOrEqual(1000 / throttle.rateLimit + ROUNDING);
        expect(bucket.hasRoom(now + Math.floor(wait * 0.999))).toBe(false);
        expect(bucket.hasRoom(now + Math.ceil(wait))).toBe(true);
      }),
    );
  });

  const times = (length: number, at: number) => Array.from({ length }, () => at);
  const count = (admitted: readonly boolean[]) => admitted.filter(Boolean).length;

  it("starts full, and never holds more than the burst", () => {
    const year = START + 365 * 86_400_000;
    const admitted = admissions({ rateLimit: 5, burstLimit: 3 }, [...times(10, START), ...times(10, year)]);
    expect([count(admitted.slice(0, 10)), count(admitted.slice(10))]).toEqual([3, 3]);
  });

  it("admits the 1001st request after 60 ms at a rate of 1000 a minute", () => {
    const throttle = { rateLimit: 1000 / 60, burstLimit: 1000 };
    const admitted = admissions(throttle, [...times(1001, START), START + 59, START + 60, START + 61]);
    expect(admitted.slice(999)).toEqual([true, false, false, true, false]);
  });

  it("never refills if the rate is 0, and holds nothing if the burst is 0", () => {
    const later = START + 86_400_000;
    expect(admissions({ rateLimit: 0, burstLimit: 1 }, [START, later])).toEqual([true, false]);
    expect(admissions({ rateLimit: 10, burstLimit: 0 }, [START, later])).toEqual([false, false]);
    expect(createTokenBucket({ rateLimit: 0, burstLimit: 0 }, START).wait(START)).toBe(
      Number.POSITIVE_INFINITY,
    );
  });

  it("loses no token when the clock is set back", () => {
    const admitted = admissions({ rateLimit: 1, burstLimit: 2 }, [
      START,
      START - 3_600_000,
      START - 3_600_000,
      START - 3_599_000,
    ]);
    expect(admitted).toEqual([true, true, false, true]);
  });

  it("keeps tokens that fit when the limits change, and fills at the new rate", () => {
    const bucket = createTokenBucket({ rateLimit: 1, burstLimit: 10 }, START);
    const drain = (now: number) => {
      let taken = 0;
      for (; taken < 100 && bucket.hasRoom(now); taken++) bucket.count(now);
      return taken;
    };
    expect(drain(START)).toBe(10);
    bucket.adjust({ rateLimit: 5, burstLimit: 20 }, START + 2_000);
    expect(drain(START + 2_000)).toBe(2);
    expect(drain(START + 3_000)).toBe(5);
    expect(bucket.hasRoom(START + 60_000)).toBe(true);
    bucket.adjust({ rateLimit: 5, burstLimit: 4 }, START + 60_000);
    expect(drain(START + 60_000)).toBe(4);
  });
});
