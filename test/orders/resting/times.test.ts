import { expect, it, onTestFinished } from "vitest";
import { afterDeadChild, freshLeg } from "../../../lib/orders/resting/backoff.ts";
import { shortenWaits, triggerTimes } from "../../../lib/orders/resting/times.ts";
import { isSeenEnough, lookBack } from "../../../lib/orders/resting/touch.ts";
import { mandate, nowMs, stop } from "./fixtures.ts";

it("divides how long a price must hold and the pauses of a leg by ten, but not the limits of a signature", () => {
  const limits = () => {
    const { childSeconds, clockMs, signingSeconds, readingGapMs } = triggerTimes;
    return [childSeconds, clockMs, signingSeconds, readingGapMs];
  };
  const measured = () => {
    const isEnough = (ms: number) =>
      isSeenEnough({ leg: 0, n: 4, sinceMs: nowMs, lastMs: nowMs + ms }, 0, "stop");
    return {
      lookBack: lookBack("base", stop, mandate(), [0.999])[0],
      pauseMs: afterDeadChild(freshLeg, "limit", nowMs).nextAtMs - nowMs,
      readings: [800, 8000].map(isEnough),
    };
  };
  const before = limits();
  const usual = { ...triggerTimes };
  // Restores the usual times, because other files share the module.
  onTestFinished(() => void Object.assign(triggerTimes, usual));
  expect(measured()).toEqual({ lookBack: 40, pauseMs: 5000, readings: [false, true] });
  shortenWaits();
  expect(measured()).toEqual({ lookBack: 4, pauseMs: 500, readings: [true, true] });
  expect(limits()).toEqual(before);
});
