import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type Check, expectThat, Skip } from "../../lib/verify/check.ts";
import { CleanUp } from "../../lib/verify/clean-up.ts";
import { runChecks, type Verdict } from "../../lib/verify/run-checks.ts";

type Given = { cleanUp: CleanUp; removed: string[]; interrupt: () => void };

const check = (says: string, run: Check<Given>["run"] = async () => {}): Check<Given> => ({ says, run });

const throwing = (error: Error) => async () => {
  throw error;
};

/** Makes something that the clean-up removes. */
const making = async ({ cleanUp, removed }: Given, what: string) =>
  cleanUp.add(what, async () => void removed.push(what));

async function run(checks: readonly Check<Given>[], options: { quick?: boolean } = {}) {
  const cleanUp = new CleanUp();
  const removed: string[] = [];
  const controller = new AbortController();
  const { signal } = controller;
  const shown: Verdict[] = [];
  const verdicts = await runChecks([{ title: "Group", checks }], {
    given: { cleanUp, removed, interrupt: () => controller.abort() },
    ...{ cleanUp, signal, quick: options.quick ?? false },
    explain: (error) => (error as Error).message,
    onGroup: () => {},
    onVerdict: (verdict) => shown.push(verdict),
    onCleanUp: () => {},
  });
  expect(shown).toEqual(verdicts);
  const [last] = verdicts.slice(-1);
  const outcomes = Object.fromEntries(
    verdicts
      .slice(0, -1)
      .map(({ says, outcome, reason }) => [says, reason ? `${outcome}: ${reason}` : outcome]),
  );
  return { outcomes, removed, cleaned: last };
}

describe("runChecks", () => {
  it("passes, fails or skips each check, with the reason, and goes on after each", async () => {
    const { outcomes } = await run([
      check("refuted", async () => expectThat(false, "It is 1, not 2")),
      check("broken", throwing(new TypeError("It is no function"))),
      check("skipped", throwing(new Skip("there is no such thing here"))),
      check("right"),
    ]);

    expect(outcomes).toEqual({
      refuted: "failed: It is 1, not 2",
      broken: "failed: It is no function",
      skipped: "skipped: there is no such thing here",
      right: "passed",
    });
  });

  it("skips slow checks in a quick run, and makes them in any other", async () => {
    const slow: Check<Given> = { ...check("slow"), slow: true };

    expect((await run([slow], { quick: true })).outcomes.slow).toMatch(/^skipped: /);
    expect((await run([slow])).outcomes.slow).toBe("passed");
  });

  it("removes what checks have made, the latest first, also after one has thrown", async () => {
    const { removed, cleaned } = await run([
      check("makes", (given) => making(given, "first")),
      check("makes and throws", async (given) => {
        await making(given, "second");
        throw new Error("It broke");
      }),
    ]);

    expect(removed).toEqual(["second", "first"]);
    expect(cleaned).toMatchObject({ outcome: "passed" });
  });

  it("ends the current check at an interrupt, skips the others, and removes what was made", async () => {
    const { outcomes, removed, cleaned } = await run([
      check("is interrupted", async (given) => {
        await making(given, "first");
        given.interrupt();
        await pause(60_000, undefined, { ref: false });
      }),
      check("never starts", (given) => making(given, "second")),
    ]);

    expect(outcomes).toEqual({
      "is interrupted": "skipped: the run was interrupted",
      "never starts": "skipped: the run was interrupted",
    });
    expect(removed).toEqual(["first"]);
    expect(cleaned).toMatchObject({ outcome: "passed" });
  });

  it("removes at once what an interrupted check makes after the clean-up", async () => {
    const late = Promise.withResolvers<void>();
    const { removed } = await run([
      check("is interrupted", async (given) => {
        given.interrupt();
        await late.promise;
        await making(given, "late");
      }),
    ]);

    late.resolve();

    await expect.poll(() => removed).toEqual(["late"]);
  });

  it("fails the clean-up if something is left, names it, and still removes the rest", async () => {
    const { removed, cleaned } = await run([
      check("makes", async (given) => {
        await making(given, "first");
        given.cleanUp.add("the wallet", throwing(new Error("Access denied")));
      }),
    ]);

    expect(removed).toEqual(["first"]);
    expect(cleaned).toMatchObject({ outcome: "failed", reason: "the wallet is left: Access denied" });
  });
});
