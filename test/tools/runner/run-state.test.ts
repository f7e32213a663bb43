import { expect, it } from "vitest";
import { watchRun } from "../../../lib/tools/runner/run-state.ts";

const startedAt = new Date("2026-11-18T12:00:00.000Z");
const atMs = startedAt.getTime();
const line = (level: string) => JSON.stringify({ timestamp: startedAt.toISOString(), level, message: {} });

it("counts the faults of five minutes by their source, and the messages that went to a queue", () => {
  const run = watchRun(startedAt);
  run.note({ source: "readMarkets", line: line("ERROR") }, atMs);
  run.note({ source: "readMarkets", line: line("WARN") }, atMs);
  run.note({ source: "readMarkets", line: line("ERROR") }, atMs + 1000);
  run.note({ source: "sqs", line: line("WARN") }, atMs);
  expect(run.state(atMs + 299_999)).toEqual({
    startedAt: startedAt.toISOString(),
    faults: { readMarkets: [atMs, atMs + 1000] },
    queued: 1,
  });
  expect(run.state(atMs + 300_999).faults).toEqual({ readMarkets: [atMs + 1000] });
});
