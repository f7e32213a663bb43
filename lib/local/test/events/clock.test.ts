import { once } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { firstWithin, systemClock } from "../../src/events/clock.ts";
import { testClock } from "./test-clock.ts";

test("a pause is over when it is aborted, or was before", async () => {
  const ending = new AbortController();
  const pausing = systemClock.pause(3600_000, ending.signal);
  ending.abort();
  await pausing;
  await systemClock.pause(3600_000, ending.signal);
});

test("a pause may be longer than a timer of Node can wait", async () => {
  const ending = new AbortController();
  const warned = once(process, "warning", { signal: ending.signal }).catch(() => "none");
  const pausing = systemClock.pause(30 * 24 * 3600_000, ending.signal);
  await turn();
  ending.abort();
  await pausing;
  expect(await warned).toBe("none");
});

test("the first of several ends the wait, or else the time does, or the end of everything", async () => {
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
