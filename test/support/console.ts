import { beforeEach, vi } from "vitest";

/** Keeps the console quiet in a test file. @returns what gives all that was logged since the test began. */
export function quietConsole(): () => unknown[] {
  const logs = (["error", "warn", "info", "log", "debug"] as const).map((level) =>
    vi.spyOn(console, level).mockImplementation(() => {}),
  );
  beforeEach(() => {
    for (const log of logs) log.mockClear();
  });
  return () => logs.flatMap(({ mock }) => mock.calls.flat());
}
