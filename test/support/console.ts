import { beforeEach, vi } from "vitest";

/**
 * Silences the console in a test file.
 * @returns a function that lists all calls since the test began: each as its argument, or as an array of several
 * arguments
 */
export function quietConsole(): () => unknown[] {
  const logs = (["error", "warn", "info", "log", "debug"] as const).map((level) =>
    vi.spyOn(console, level).mockImplementation(() => {}),
  );
  beforeEach(() => {
    for (const log of logs) log.mockClear();
  });
  return () =>
    logs.flatMap(({ mock }) => mock.calls.map((things) => (things.length === 1 ? things[0] : things)));
}
