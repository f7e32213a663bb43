import { setTimeout as pause } from "node:timers/promises";
import { vi } from "vitest";
import type { MirrorDeps } from "../../../lib/plans/mirror.ts";
import { observed } from "./observed.ts";
import { start } from "./world.ts";

/**
 * Runs an action on a clock that stands still during calls and jumps to the next timer while everything waits. Pauses
 * and quotas keep their real lengths without taking real time.
 */
export async function inQuickTime<Deps extends Pick<MirrorDeps, "table" | "plans">>(
  deps: Deps,
  run: (deps: Deps) => Promise<unknown>,
  begin = start,
): Promise<void> {
  let underWay = 0;
  let over = false;
  vi.useFakeTimers({ now: begin, toFake: ["setTimeout", "clearTimeout", "Date"] });
  try {
    const running = observed(
      deps,
      async (_, call) => {
        underWay++;
        return call().finally(() => underWay--);
      },
      run,
    ).finally(() => {
      over = true;
    });
    // Handles a rejection early. The promise is awaited below.
    running.catch(() => undefined);
    while (!over) {
      await new Promise(setImmediate);
      if (underWay > 0) {
        // Waits a moment, because calls take real time.
        await pause(1);
        continue;
      }
      const before = Date.now();
      await vi.advanceTimersToNextTimerAsync();
      // A real clock would advance even for a timer of a fraction of a millisecond.
      if (Date.now() === before && vi.getTimerCount() > 0) await vi.advanceTimersByTimeAsync(1);
    }
    await running;
  } finally {
    vi.useRealTimers();
  }
}
