import { setImmediate } from "node:timers/promises";

/** A clock that stands still while programs run and jumps to the end of the shortest pause when all of them wait. */
export function virtualClock(startMs = 0) {
  let nowMs = startMs;
  let pauses: { endMs: number; end: () => void }[] = [];
  return {
    nowMs: () => nowMs,
    pause: (ms: number) => new Promise<void>((end) => pauses.push({ endMs: nowMs + ms, end })),
    /** Lets time pass until the promise settles. */
    async runUntil(done: Promise<unknown>): Promise<void> {
      let isDone = false;
      const stop = () => {
        isDone = true;
      };
      done.then(stop, stop);
      for (await setImmediate(); !isDone; await setImmediate()) {
        if (pauses.length === 0) throw new Error("Nothing will end");
        nowMs = Math.min(...pauses.map(({ endMs }) => endMs));
        const ended = pauses.filter(({ endMs }) => endMs === nowMs);
        pauses = pauses.filter(({ endMs }) => endMs > nowMs);
        for (const { end } of ended) end();
      }
    },
  };
}

/** Runs code in virtual time, which advances only while everything waits. The code may wait only for timers. */
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
