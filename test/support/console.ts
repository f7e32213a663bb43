import { beforeEach, vi } from "vitest";

/**
 * Keeps the console quiet in a test file.
 * @returns what gives all that was logged since the test began: the one thing of each call, or a list where it is not one
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
