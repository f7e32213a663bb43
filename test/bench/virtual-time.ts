import { virtualClock } from "../support/virtual-clock.ts";

/** Runs something for which time passes only while all of it waits. It must not wait for anything but timers. */
export async function inVirtualTime<Result>(startMs: number, act: () => Promise<Result>): Promise<Result> {
  const clock = virtualClock(startMs);
  const { setTimeout: realTimeout } = globalThis;
  const realNow = Date.now;
  globalThis.setTimeout = ((end: () => void, ms = 0) => {
    void clock.pause(ms).then(end);
  }) as typeof setTimeout;
  Date.now = clock.nowMs;
  try {
    const done = act();
    await clock.runUntil(done);
    return await done;
  } finally {
    globalThis.setTimeout = realTimeout;
    Date.now = realNow;
  }
}

export const pause = (ms: number) => new Promise<void>((end) => void setTimeout(end, ms));
