import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { OperatorError } from "../../../lib/tools/admin/operator-error.ts";
import { runWith } from "./support/admin.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Runs a command that fails after this time without having printed anything. */
async function runFor(ms: number) {
  const openTarget = () =>
    new Promise<never>((_, reject) => setTimeout(() => reject(new OperatorError("no such stack")), ms));
  const running = runWith(["trading", "--local", "3000"], { openTarget });
  await vi.advanceTimersByTimeAsync(ms);
  return running;
}

it("says that a command is still running if it prints nothing for two seconds", async () => {
  expect(await runFor(2500)).toEqual({
    code: 1,
    out: "",
    err: "trading is working\nerror: no such stack\n",
  });
});

it("says nothing of a short command", async () => {
  expect((await runFor(1900)).err).toBe("error: no such stack\n");
});
