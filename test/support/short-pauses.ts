import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";
import { afterAll, beforeAll, vi } from "vitest";

/** The factor by which pauses are shortened. */
const factor = 20;

/**
 * Shortens the pauses between attempts in the tests of a file. Their number and order stay, and so do
 * deadlines.
 */
export function shortPausesForTests(): void {
  const { setTimeout: pause } = timers;
  beforeAll(() => {
    const short = (ms = 0, ...rest: unknown[]) =>
      (pause as (...all: unknown[]) => unknown)(ms / factor, ...rest);
    vi.spyOn(timers, "setTimeout").mockImplementation(short as typeof pause);
    // Applies to modules that import the function by name.
    syncBuiltinESMExports();
  });
  afterAll(() => {
    vi.mocked(timers.setTimeout).mockRestore();
    syncBuiltinESMExports();
  });
}
