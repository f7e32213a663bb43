import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { EventTooLargeError } from "../../src/lambda/invoke.ts";
import { UnknownFunctionError } from "../../src/lambda/lambda.ts";
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

  it("replaces a sandbox that ended between two events", async () => {
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

  it("takes waiting events in order of arrival", async () => {
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

  it("rejects for a name that no function has", async () => {
    await expect(invoke("other", {})).rejects.toBeInstanceOf(UnknownFunctionError);
  });

  it.each(["fixture", "arn:aws:lambda:us-east-1:000000000000:function:fixture", "function:fixture:$LATEST"])(
    "finds the function as %s",
    async (identifier) => {
      expect((await invoke(identifier, {})).functionError).toBeUndefined();
    },
  );
});

describe("replaceCode", () => {
  const answering = (version: string) => `export const handler = async ({ waitMs = 0 }) => {
    console.log("started");
    await new Promise((done) => setTimeout(done, waitMs));
    return [${JSON.stringify(version)}, process.pid];
  };`;

  it("runs the new code from the next invocation on", async () => {
    const { run, replaceCode } = runCode(answering("old"));
    const [, pid] = (await run()).answer;
    await replaceCode(defineCode(answering("new")));
    expect((await run()).answer[0]).toBe("new");
    expect(isRunning(pid)).toBe(false);
  });

  it("lets an invocation in progress finish on the old code, and resolves after it", async () => {
    const { run, replaceCode, log } = runCode(answering("old"));
    const [, pid] = (await run()).answer;
    const steps: string[] = [];
    const inProgress = run({ waitMs: 1000 }).then(({ answer }) => steps.push(`answered by ${answer[0]}`));
    await expect.poll(() => log.length).toBe(2);
    const replaced = replaceCode(defineCode(answering("new"))).then(() => steps.push("replaced"));
    expect((await run()).answer[0]).toBe("new");
    expect(isRunning(pid)).toBe(true);
    await Promise.all([inProgress, replaced]);
    expect(steps).toEqual(["answered by old", "replaced"]);
    expect(isRunning(pid)).toBe(false);
  });

  it("runs the new code for an invocation that still waits for a sandbox", async () => {
    const { run, replaceCode, log } = runCode(answering("old"), {}, { concurrency: 1 });
    const answers = Promise.all([run({ waitMs: 200 }), run()]);
    await expect.poll(() => log.length).toBe(1);
    await replaceCode(defineCode(answering("new")));
    expect((await answers).map(({ answer: [version] }) => version)).toEqual(["old", "new"]);
  });

  it("replaces the configuration too", async () => {
    const { run, replaceCode } = runCode(answering("old"));
    await replaceCode(
      defineCode("export const get = async (_, c) => c.memoryLimitInMB", {
        handler: "index.get",
        memoryMB: 256,
      }),
    );
    expect((await run()).answer).toBe("256");
  });

  it("rejects for a name that no function has", async () => {
    const { replaceCode } = runFunctions([]);
    await expect(replaceCode(defineCode(""))).rejects.toBeInstanceOf(UnknownFunctionError);
  });
});

describe("killAfterMs", () => {
  it("kills the process of an event before its answer, however fast that is", async () => {
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
  it("ends invocations in progress, and waiting and later ones", async () => {
    const lambda = runCode("export const handler = () => new Promise(() => {});", {}, { concurrency: 1 });
    const results = Promise.all([lambda.run(), lambda.run()]);
    await delay(100);
    await lambda.stop();
    for (const { answer } of await results) expect(answer).toMatchObject({ errorType: "Runtime.ExitError" });
    expect((await lambda.run()).answer).toMatchObject({ errorType: "Runtime.ExitError" });
  });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
