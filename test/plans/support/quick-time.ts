import { setTimeout as pause } from "node:timers/promises";
import { vi } from "vitest";
import type { Mirror } from "../../../lib/plans/mirror.ts";
import { observed } from "./observed.ts";
import { start } from "./world.ts";

/**
 * Runs something for which time stands still, at `start`, while a call is under way, and passes at once when all that is
 * left is to wait. So pauses and quotas are as long as they are, and the same each time.
 */
export async function inQuickTime<World extends Pick<Mirror, "table" | "plans">>(
  world: World,
  run: (world: World) => Promise<unknown>,
): Promise<void> {
  let underWay = 0;
  let over = false;
  vi.useFakeTimers({ now: start, toFake: ["setTimeout", "clearTimeout", "Date"] });
  try {
    const running = observed(
      world,
      async (_, call) => {
        underWay++;
        return call().finally(() => underWay--);
      },
      run,
    ).finally(() => {
      over = true;
    });
    while (!over) {
      await new Promise(setImmediate);
      if (underWay > 0) {
        // Of the real time, which calls take.
        await pause(1);
        continue;
      }
      const before = Date.now();
      await vi.advanceTimersToNextTimerAsync();
      // As a real timer does that is set to a fraction of a millisecond.
      if (Date.now() === before && vi.getTimerCount() > 0) await vi.advanceTimersByTimeAsync(1);
    }
    await running;
  } finally {
    vi.useRealTimers();
  }
}
