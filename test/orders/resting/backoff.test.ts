import { describe, expect, it } from "vitest";
import { afterDeadChild, freshLeg, isPausing } from "../../../lib/orders/resting/backoff.ts";
import type { LegClass } from "../../../lib/orders/resting/mandate.ts";
import { nowMs } from "./fixtures.ts";

/** Lists the pauses after children that die one after another, in seconds. */
function pauses(kind: LegClass, count: number): number[] {
  let [state, at] = [freshLeg, nowMs];
  return Array.from({ length: count }, () => {
    state = afterDeadChild(state, kind, at);
    const pause = (state.nextAtMs - at) / 1000;
    at = state.nextAtMs;
    return pause;
  });
}

describe("afterDeadChild", () => {
  it("pauses a limit for 5 seconds, doubling to 5 minutes", () => {
    expect(pauses("limit", 9)).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300]);
  });

  it("pauses a stop from its sixth firing on, doubling to a minute", () => {
    expect(pauses("stop", 11)).toEqual([0, 0, 0, 0, 0, 5, 10, 20, 40, 60, 60]);
  });

  it("begins with short pauses again after an hour without a firing", () => {
    const tired = { tries: 9, nextAtMs: nowMs };
    const next = (ms: number) => afterDeadChild(tired, "limit", nowMs + ms).tries;
    expect(next(3_600_000)).toBe(10);
    expect(next(3_600_001)).toBe(1);
  });

  it("never overflows, however often a leg has failed", () => {
    expect(afterDeadChild({ tries: 5000, nextAtMs: nowMs }, "stop", nowMs).nextAtMs).toBe(nowMs + 60_000);
  });
});

describe("isPausing", () => {
  it("lets a leg fire from the end of its pause", () => {
    const state = { tries: 1, nextAtMs: nowMs };
    expect([nowMs - 1, nowMs].map((at) => isPausing(state, at))).toEqual([true, false]);
  });
});
