import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EventTooLargeError } from "../../src/lambda/invoke.ts";
import { STARTS_AT_ONCE, UnknownFunctionError } from "../../src/lambda/lambda.ts";
import { temporaryFolder } from "../fixtures/folder.ts";
import { defineCode, runCode, runFunctions } from "./functions.ts";

const counting = `let count = 0;
  export const handler = async ({ waitMs = 0 }) => {
    await new Promise((done) => setTimeout(done, waitMs));
    return ++count;
  };`;

describe("invoke", () => {
  const { run, invoke } = runCode(counting);

  it("reuses a warm sandbox", async () => {
    expect([(await run()).answer, (await run()).answer, (await run()).answer]).toEqual([1, 2, 3]);
  });

  it("runs simultaneous events in separate sandboxes", async () => {
    const { run } = runCode(counting);
    const answers = await Promise.all([{ waitMs: 200 }, { waitMs: 200 }, { waitMs: 200 }].map(run));
    expect(answers.map(({ answer }) => answer)).toEqual([1, 1, 1]);
  });

  it("replaces a sandbox that has ended between two events", async () => {
    const { run } = runCode(
      "export const handler = async () => { setTimeout(() => process.exit(1), 10); return process.pid; };",
      {},
      { concurrency: 1 },
    );
    const { answer: pid } = await run();
    await expect.poll(() => isRunning(pid)).toBe(false);
    const { answer, functionError } = await run();
    expect(functionError).toBeUndefined();
    expect(answer).not.toBe(pid);
  });

  it("handles waiting events in order of arrival", async () => {
    const { run } = runCode(
      `let order = 0;
       export const handler = async ({ n }) => { await new Promise((done) => setTimeout(done, 5)); return [n, ++order]; }`,
      {},
      { concurrency: 1 },
    );
    const answers = await Promise.all([1, 2, 3, 4].map((n) => run({ n })));
    expect(answers.map(({ answer }) => answer)).toEqual([1, 2, 3, 4].map((n) => [n, n]));
  });

  it("rejects an event that is too large", async () => {
    await expect(run("x".repeat(6 * 1024 * 1024))).rejects.toThrow(EventTooLargeError);
  });

  it("rejects an unknown name", async () => {
    await expect(invoke("other", {})).rejects.toBeInstanceOf(UnknownFunctionError);
  });

  it.each(["fixture", "arn:aws:lambda:us-east-1:000000000000:function:fixture", "function:fixture:$LATEST"])(
    "finds the function as %s",
    async (identifier) => {
      expect((await invoke(identifier, {})).functionError).toBeUndefined();
    },
  );
});

describe("the start of processes", () => {
  it("starts only a few processes at a time, across all functions", async () => {
    const steps = join(temporaryFolder(), "steps");
    const names = Array.from({ length: 3 * STARTS_AT_ONCE }, (_, index) => `f${index}`);
    const loading = `import { appendFileSync } from "node:fs";
      appendFileSync(${JSON.stringify(steps)}, "+");
      await new Promise((done) => setTimeout(done, 50));
      appendFileSync(${JSON.stringify(steps)}, "-");
      export const handler = async () => {};`;
    const { run } = runFunctions(names.map((name) => defineCode(loading, { name })));
    await Promise.all(names.map((name) => run(name)));
    let [underWay, most] = [0, 0];
    for (const step of readFileSync(steps, "utf8")) {
      underWay += step === "+" ? 1 : -1;
      most = Math.max(most, underWay);
    }
    expect(most).toBeLessThanOrEqual(STARTS_AT_ONCE);
  });

  it("lets an event use a warm sandbox that becomes free before its turn to start one", async () => {
    const [answer, load] = [gate(), gate()];
    const names = Array.from({ length: STARTS_AT_ONCE }, (_, index) => `f${index}`);
    const { run, log } = runFunctions([
      defineCode(`${answer.code} export const handler = async () => {
        console.log("started");
        await opened();
        return process.pid;
      };`),
      ...names.map((name) =>
        defineCode(`${load.code} console.log("loading"); await opened(); export const handler = () => {};`, {
          name,
        }),
      ),
    ]);
    const first = run("fixture");
    await expect.poll(() => log).toHaveLength(1);
    const others = names.map((name) => run(name));
    await expect.poll(() => log).toHaveLength(1 + names.length);
    const second = run("fixture");
    answer.open();
    const pids = (await Promise.all([first, second])).map(({ answer }) => answer);
    load.open();
    await Promise.all(others);
    expect(pids[1]).toBe(pids[0]);
  });
});

describe("replaceCode", () => {
  /** Code that answers at once, or waits for the gate if the event has `waits`. */
  const answering = (version: string, { code } = gate()) => `${code}
    export const handler = async ({ waits = false }) => {
      console.log("started");
      if (waits) await opened();
      return [${JSON.stringify(version)}, process.pid];
    };`;

  it("runs the new code from the next invocation on", async () => {
    const { run, replaceCode } = runCode(answering("old"));
    const [, pid] = (await run()).answer;
    await replaceCode(defineCode(answering("new")));
    expect((await run()).answer[0]).toBe("new");
    expect(isRunning(pid)).toBe(false);
  });

  it("lets an invocation in progress finish on the old code and resolves after it", async () => {
    const old = gate();
    const { run, replaceCode, log } = runCode(answering("old", old));
    const [, pid] = (await run()).answer;
    const steps: string[] = [];
    const inProgress = run({ waits: true }).then(({ answer }) => steps.push(`answered by ${answer[0]}`));
    await expect.poll(() => log.length).toBe(2);
    const replaced = replaceCode(defineCode(answering("new"))).then(() => steps.push("replaced"));
    expect((await run()).answer[0]).toBe("new");
    expect(isRunning(pid)).toBe(true);
    expect(steps).toEqual([]);
    old.open();
    await Promise.all([inProgress, replaced]);
    expect(steps).toEqual(["answered by old", "replaced"]);
    expect(isRunning(pid)).toBe(false);
  });

  it("runs the new code for an invocation that still waits for a sandbox", async () => {
    const old = gate();
    const { run, replaceCode, log } = runCode(answering("old", old), {}, { concurrency: 1 });
    const answers = Promise.all([run({ waits: true }), run()]);
    await expect.poll(() => log.length).toBe(1);
    const replaced = replaceCode(defineCode(answering("new")));
    old.open();
    await replaced;
    expect((await answers).map(({ answer: [version] }) => version)).toEqual(["old", "new"]);
  });

  it("also replaces the configuration", async () => {
    const { run, replaceCode } = runCode(answering("old"));
    await replaceCode(
      defineCode("export const get = async (_, c) => c.memoryLimitInMB", {
        handler: "index.get",
        memoryMB: 256,
      }),
    );
    expect((await run()).answer).toBe("256");
  });

  it("rejects an unknown name", async () => {
    const { replaceCode } = runFunctions([]);
    await expect(replaceCode(defineCode(""))).rejects.toBeInstanceOf(UnknownFunctionError);
  });
});

describe("killAfterMs", () => {
  it("kills the process before it answers, even if the answer is fast", async () => {
    const killAfterMs = [10_000, 0, undefined];
    const { run } = runCode(counting, {}, { killAfterMs: () => killAfterMs.shift() });
    for (const waitMs of [0, 10_000]) {
      const { answer, functionError } = await run({ waitMs });
      expect(functionError).toBe("Unhandled");
      expect(answer).toMatchObject({
        errorType: "Runtime.ExitError",
        errorMessage: expect.stringContaining("signal: killed"),
      });
    }
    expect((await run()).answer).toBe(1);
  });
});

describe("stop", () => {
  it("fails invocations in progress, waiting or new when the runner stops", async () => {
    const endless = "export const handler = () => { console.log('started'); return new Promise(() => {}); };";
    const lambda = runCode(endless, {}, { concurrency: 1 });
    const results = Promise.all([lambda.run(), lambda.run()]);
    await expect.poll(() => lambda.log).toHaveLength(1);
    await lambda.stop();
    for (const { answer } of await results) expect(answer).toMatchObject({ errorType: "Runtime.ExitError" });
    expect((await lambda.run()).answer).toMatchObject({ errorType: "Runtime.ExitError" });
  });
});

/** Creates a gate: code with a function that resolves once the gate is open. */
function gate() {
  const file = join(temporaryFolder(), "open");
  const code = `import { existsSync } from "node:fs";
    const opened = async () => {
      while (!existsSync(${JSON.stringify(file)})) await new Promise((done) => setTimeout(done, 5));
    };`;
  return { code, open: () => writeFileSync(file, "") };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
