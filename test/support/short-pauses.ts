import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";
import { afterAll, beforeAll, vi } from "vitest";

/** Divisor for the length of pauses. */
const factor = 20;

/** Shortens pauses between attempts in a test file. Their number and order stay the same, and so do deadlines. */
export function shortPausesForTests(): void {
  const { setTimeout: pause } = timers;
  beforeAll(() => {
    const short = (ms = 0, ...rest: unknown[]) =>
      (pause as (...all: unknown[]) => unknown)(ms / factor, ...rest);
    vi.spyOn(timers, "setTimeout").mockImplementation(short as typeof pause);
    // Also affects modules that import the function by name.
    syncBuiltinESMExports();
  });
  afterAll(() => {
    vi.mocked(timers.setTimeout).mockRestore();
    syncBuiltinESMExports();
  });
}
