import { describe, expect, it } from "vitest";
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

describe("the faults of an authorizer", () => {
  const thrown = (errorMessage: string) =>
    JSON.stringify({ level: "ERROR", message: { errorType: "Error", errorMessage, stackTrace: [""] } });
  const logged = JSON.stringify({ level: "ERROR", message: { operation: "authorizeConnection" } });
  const timedOut = JSON.stringify({ level: "ERROR", message: "Task timed out after 3.00 seconds" });

  function faultsAfter(lines: readonly string[]) {
    const run = watchRun(startedAt);
    for (const each of lines) run.note({ source: "authorizeConnection", line: each }, atMs);
    return run.state(atMs).faults.authorizeConnection?.length ?? 0;
  }

  it.each([
    ["no refused connection, as the alarms of a deployment", Array(4).fill(thrown("Unauthorized")), 0],
    ["a run once that logs a fault and then fails", [logged, thrown("The authorizer failed")], 1],
    ["runs that end without a word", [logged, thrown("The authorizer failed"), timedOut], 2],
    ["faults that are answered", [logged, logged, timedOut], 2],
  ])("count %s", (_, lines, count) => {
    expect(faultsAfter(lines)).toBe(count);
  });
});
