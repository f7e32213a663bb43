import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { OperatorError } from "../../lib/admin/operator-error.ts";
import { CallLimit, maxCalls } from "../../lib/verify/call-limit.ts";
import { nextSteps, verdictLines } from "../../lib/verify/report.ts";
import type { Verdict } from "../../lib/verify/run-checks.ts";
import { Secrets } from "../../lib/verify/secrets.ts";
import { checkGroups, runVerify, type VerifyDeps } from "../../lib/verify/verify.ts";
import { collector } from "../admin/support/admin.ts";

async function run(args: string[], openService?: VerifyDeps["openService"]) {
  const [stdout, stderr] = [collector(), collector()];
  const code = await runVerify(args, {
    ...{ stdout, stderr, env: {} },
    openService: openService ?? (() => Promise.reject(new Error("It opens nothing"))),
    interruption: () => new AbortController().signal,
  });
  return { code, out: stdout.text(), err: stderr.text() };
}

describe("runVerify", () => {
  it.each([
    [[], /one of --local <port> and --stack <name> is required/],
    [["--local", "3000", "--stack", "TerminalApi"], /cannot be used with/],
    [["--local", "x"], /whole number/],
    [["--local", "3000", "more"], /too many arguments/],
  ])("exits with 2 for the arguments %j", async (args, message) => {
    const { code, out, err } = await run(args);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(message);
  });

  it("exits with 1 and one line if the service cannot be opened", async () => {
    const unreachable = async () => {
      throw new OperatorError("No server answers on port 3000");
    };
    expect(await run(["--local", "3000"], unreachable)).toEqual({
      ...{ code: 1, out: "" },
      err: "error: No server answers on port 3000\n",
    });
  });
});

describe("the checks", () => {
  const checks = checkGroups.flatMap((group) => group.checks);
  const page = readFileSync(new URL("../../docs/verify-live.md", import.meta.url), "utf8");

  it("each say something else", () => {
    const sentences = checks.map(({ says }) => says);
    expect(new Set(sentences).size).toBe(sentences.length);
  });

  it("that are made by hand are those of docs/verify-live.md", () => {
    const byHand = checks.filter((check) => check.byHand).map(({ says }) => says);
    const listed = [...page.matchAll(/^- \[ \] (.*)\.$/gm)].map(([, says]) => says);
    expect(byHand.toSorted()).toEqual(listed.toSorted());
  });
});

describe("the report", () => {
  const verdicts: Verdict[] = [
    { says: "Water is wet", outcome: "passed" },
    { says: "Fire is cold", outcome: "failed", reason: "It is 900, not 0" },
    { says: "Ice floats", outcome: "skipped", reason: "there is no ice" },
  ];

  it("has a line for each check, and one for its reason", () => {
    expect(verdicts.flatMap(verdictLines)).toEqual([
      "  pass  Water is wet",
      "  FAIL  Fire is cold",
      "        It is 900, not 0",
      "  skip  Ice floats",
      "        there is no ice",
    ]);
  });

  it("counts the checks and says what to do next", () => {
    const [counts, ...steps] = nextSteps(verdicts, { isLocal: false, calls: 7 });
    expect(counts).toBe("passed: 1, failed: 1, skipped: 1, calls: 7");
    expect(steps.join("\n")).toMatch(/assumption is wrong.*by hand.*end-to-end suite.*two days/s);
    expect(nextSteps(verdicts.slice(0, 1), { isLocal: true, calls: 7 }).join("\n")).not.toMatch(/wrong/);
  });
});

describe("Secrets", () => {
  it("hides what it knows, and everything that looks like a token", () => {
    const secrets = new Secrets();
    secrets.add("hunter2");
    secrets.add("");
    const token = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl";
    expect(secrets.hide(`hunter2 got '${token}'`)).toBe("[secret] got '[token]'");
  });
});

describe("CallLimit", () => {
  it("ends a run after its most calls, but lets the clean-up finish", async () => {
    const limit = new CallLimit();
    const call = limit.counted(async () => "answer");
    for (let made = 0; made < maxCalls; made++) await call({});
    await expect(call({})).rejects.toThrow(`${maxCalls} calls`);
    limit.lift();
    expect(await call({})).toBe("answer");
  });
});
