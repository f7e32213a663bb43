import { once } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { firstWithin, systemClock } from "../src/clock.ts";
import { testClock } from "./fixtures/clock.ts";

describe("pause", () => {
  it("ends a pause when the signal is aborted before or during it", async () => {
    const ending = new AbortController();
    const pausing = systemClock.pause(3600_000, ending.signal);
    ending.abort();
    await pausing;
    await systemClock.pause(3600_000, ending.signal);
  });

  it("allows pauses longer than Node's longest timer", async () => {
    const ending = new AbortController();
    const warned = once(process, "warning", { signal: ending.signal }).catch(() => "none");
    const pausing = systemClock.pause(30 * 24 * 3600_000, ending.signal);
    await turn();
    ending.abort();
    await pausing;
    expect(await warned).toBe("none");
  });
});

describe("firstWithin", () => {
  it("ends at the first of the promises, the timeout and the signal", async () => {
    const { clock, advance } = testClock();
    const never = new Promise(() => {});
    const { signal } = new AbortController();
    await firstWithin(clock, 1000, [never, Promise.resolve()], signal);

    let over = false;
    const waiting = firstWithin(clock, 1000, [never], signal).then(() => {
      over = true;
    });
    await advance(999);
    expect(over).toBe(false);
    await advance(1);
    await waiting;

    const ending = new AbortController();
    const endless = firstWithin(clock, 1000, [never], ending.signal);
    ending.abort();
    await endless;
  });
});
