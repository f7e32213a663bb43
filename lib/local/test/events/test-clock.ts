import { setImmediate as turn } from "node:timers/promises";
import type { Clock } from "../../src/events/clock.ts";

type Sleeper = { at: number; wake: () => void };

/** A clock that stands still until it is told how much time passes. */
export function testClock(start = Date.UTC(2026, 0, 1)) {
  let now = start;
  const sleepers = new Set<Sleeper>();

  const clock: Clock = {
    now: () => now,
    pause(ms, signal) {
      return new Promise((resolve) => {
        const wake = () => {
          sleepers.delete(sleeper);
          signal.removeEventListener("abort", wake);
          resolve();
        };
        const sleeper = { at: now + ms, wake };
        if (signal.aborted) return resolve();
        signal.addEventListener("abort", wake);
        sleepers.add(sleeper);
      });
    },
  };

  /** Lets so many milliseconds pass, and everything happen that is due, in order. */
  async function advance(ms = 0): Promise<void> {
    const end = now + ms;
    for (;;) {
      await turn();
      const [next] = [...sleepers].sort((one, other) => one.at - other.at);
      if (next === undefined || next.at > end) break;
      now = Math.max(now, next.at);
      next.wake();
    }
    now = end;
  }

  return { clock, advance };
}
