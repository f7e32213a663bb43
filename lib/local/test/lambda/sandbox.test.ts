import { describe, expect, test } from "vitest";
import { EventTooLargeError } from "../../src/lambda/invoke.ts";
import { UnknownFunctionError } from "../../src/lambda/lambda.ts";
import { defineCode, runCode, runFunctions } from "./functions.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe("a handler", () => {
  test("gets the event and gives an answer", async () => {
    const { run } = runCode("export const handler = async (event) => ({ got: event });");
    expect(await run({ a: [1, "ü", null] })).toEqual({
      answer: { got: { a: [1, "ü", null] } },
      functionError: undefined,
    });
  });

  test("may be given and give any text, long or with separators of its own", async () => {
    const { run, log } = runCode(
      "export const handler = async (text) => { console.log(text); return text; };",
    );
    const odd = "a\u2028b\u2029c\r\nd\u0000😀\ud800";
    expect((await run(odd)).answer).toBe(odd);
    expect(log.map(({ line }) => JSON.parse(line).message)).toEqual([odd]);
    const long = "€".repeat(1_900_000);
    expect((await run(long)).answer === long).toBe(true);
  });

  test("that answers nothing answers null", async () => {
    const { run } = runCode("export function handler() {}");
    expect((await run()).answer).toBeNull();
  });

  test("gets Lambda's context", async () => {
    const { run } = runCode(
      `export const handler = async (event, context) =>
         ({ ...context, remaining: context.getRemainingTimeInMillis() });`,
      { memorySize: 256, timeout: 10 },
    );
    const { answer } = await run();
    expect(answer).toMatchObject({
      awsRequestId: expect.stringMatching(UUID),
      functionName: "fixture",
      functionVersion: "$LATEST",
      invokedFunctionArn: "arn:aws:lambda:us-east-1:000000000000:function:fixture",
      memoryLimitInMB: "256",
      logGroupName: "/aws/lambda/fixture",
    });
    expect(answer.remaining).toBeGreaterThan(9000);
    expect(answer.remaining).toBeLessThanOrEqual(10_000);
  });

  test("may be CommonJS, in a folder, in an object", async () => {
    const definition = defineCode("");
    const { mkdirSync, writeFileSync } = await import("node:fs");
    mkdirSync(`${definition.codeFolder}/src`);
    writeFileSync(`${definition.codeFolder}/src/app.cjs`, "exports.api = { get: async () => 'cjs' };");
    const { run } = runFunctions([{ ...definition, handler: "src/app.api.get" }]);
    expect((await run("fixture")).answer).toBe("cjs");
  });

  test("finds exactly its own environment", async () => {
    process.env.OF_THE_MACHINE = "secret";
    const { run } = runCode(
      "export const handler = async () => process.env;",
      {},
      { environment: { TABLE_NAME: "t" } },
    );
    expect((await run()).answer).toEqual({ TABLE_NAME: "t" });
    delete process.env.OF_THE_MACHINE;
  });
});

describe("a sandbox", () => {
  const counting = `let count = 0;
    export const handler = async ({ wait = 0 }) => {
      await new Promise((done) => setTimeout(done, wait));
      return ++count;
    };`;

  test("stays warm", async () => {
    const { run } = runCode(counting);
    expect([(await run()).answer, (await run()).answer, (await run()).answer]).toEqual([1, 2, 3]);
  });

  test("handles one event at a time, others get one of their own", async () => {
    const { run } = runCode(counting);
    const answers = await Promise.all([run({ wait: 200 }), run({ wait: 200 }), run({ wait: 200 })]);
    expect(answers.map(({ answer }) => answer)).toEqual([1, 1, 1]);
  });

  test("that ends between two events is replaced", async () => {
    const { run } = runCode(
      `export const handler = async () => { setTimeout(() => process.exit(1), 10); return process.pid; };`,
      {},
      { concurrency: 1 },
    );
    const first = (await run()).answer;
    await new Promise((done) => setTimeout(done, 500));
    const { answer, functionError } = await run();
    expect(functionError).toBeUndefined();
    expect(answer).not.toBe(first);
  });

  test("takes waiting events in their order once there are enough sandboxes", async () => {
    const { run } = runCode(
      `export const handler = async ({ n }) => { await new Promise((done) => setTimeout(done, 20)); return [n, Date.now()]; }`,
      {},
      { concurrency: 1 },
    );
    const answers = await Promise.all([1, 2, 3, 4].map((n) => run({ n })));
    const times = answers.map(({ answer: [, time] }) => time);
    expect(answers.map(({ answer: [n] }) => n)).toEqual([1, 2, 3, 4]);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });
});

describe("harm", () => {
  const harmful = `export const handler = async ({ harm }) => {
    switch (harm) {
      case "throw": throw Object.assign(new TypeError("boom"), { secretDetail: 1 });
      case "throw text": throw "just text";
      case "throw later": setTimeout(() => { throw new Error("later"); }, 5); return new Promise(() => {});
      case "reject": Promise.reject(new Error("unhandled")); return new Promise(() => {});
      case "exit": process.exit(3);
      case "exit quietly": process.exit(0);
      case "loop": for (;;);
      case "hang": return new Promise(() => {});
      case "abort": process.abort();
      case "kill itself": process.kill(process.pid, "SIGKILL");
      case "fill a map": { const map = new Map(); for (let n = 0; ; n++) map.set(n, { n }); }
      case "recurse": { const again = () => again() + 1; return again(); }
      case "circular": { const a = {}; a.a = a; return a; }
      case "bigint": return 1n;
      case "large": return "x".repeat(6 * 1024 * 1024);
      default: return "well";
    }
  };`;

  test.each([
    ["throw", { errorType: "TypeError", errorMessage: "boom", trace: expect.any(Array) }],
    ["throw text", { errorType: "string", errorMessage: "just text", trace: [] }],
    ["throw later", { errorType: "Runtime.ExitError", errorMessage: /exit status 129/ }],
    ["reject", { errorType: "Runtime.ExitError", errorMessage: /exit status 129/ }],
    ["exit", { errorType: "Runtime.ExitError", errorMessage: /^RequestId: \S{36} Error: .*exit status 3$/ }],
    ["exit quietly", { errorType: "Runtime.ExitError", errorMessage: /exit status 0/ }],
    [
      "loop",
      { errorType: "Sandbox.Timedout", errorMessage: /^\S+Z \S{36} Task timed out after 2.00 seconds$/ },
    ],
    ["hang", { errorType: "Sandbox.Timedout", errorMessage: /Task timed out after 2.00 seconds/ }],
    ["abort", { errorType: "Runtime.ExitError", errorMessage: /signal: aborted/ }],
    ["kill itself", { errorType: "Runtime.ExitError", errorMessage: /signal: killed/ }],
    ["fill a map", { errorType: "Runtime.ExitError", errorMessage: /signal: aborted/ }],
    ["recurse", { errorType: "RangeError", errorMessage: /stack/ }],
    ["circular", { errorType: "Runtime.MarshalError", errorMessage: /stringify/ }],
    ["bigint", { errorType: "Runtime.MarshalError", errorMessage: /stringify/ }],
    ["large", { errorType: "Function.ResponseSizeTooLarge", errorMessage: /6291456 bytes/ }],
  ])("%s is an error of the function, and the next event is handled", async (harm, expected) => {
    // Only what never ends has to run into its time limit; on a busy machine the rest may take a while.
    const timeout = ["loop", "hang"].includes(harm) ? 2 : 20;
    const { run } = runCode(harmful, { timeout, memorySize: 64 });
    const { answer, functionError } = await run({ harm });
    expect(functionError).toBe("Unhandled");
    const { errorMessage, ...rest } = expected;
    expect(answer).toMatchObject(rest);
    expect(answer.errorMessage).toMatch(errorMessage);
    expect(await run()).toEqual({ answer: "well", functionError: undefined });
  });

  test("others are not affected", async () => {
    const { run } = runFunctions([
      defineCode(harmful, { name: "bad", timeout: 1, memorySize: 64 }),
      defineCode(
        `let sum = 0; globalThis.shared ??= 0;
         export const handler = async () => { globalThis.shared++; return [++sum, globalThis.shared]; };`,
        { name: "good" },
      ),
    ]);
    await run("good");
    const harm = Promise.all(
      ["loop", "exit", "fill a map", "reject"].map((each) => run("bad", { harm: each })),
    );
    for (let n = 2; n < 20; n++) expect((await run("good")).answer).toEqual([n, n]);
    expect((await harm).map(({ functionError }) => functionError)).toEqual(Array(4).fill("Unhandled"));
  });

  test("an event that is too large is refused", async () => {
    const { run } = runCode(harmful);
    await expect(run("x".repeat(6 * 1024 * 1024))).rejects.toThrow(EventTooLargeError);
  });

  test("a name that no function has rejects", async () => {
    const { invoke } = runCode(harmful);
    await expect(invoke("other", {})).rejects.toBeInstanceOf(UnknownFunctionError);
  });

  test.each([
    "fixture",
    "arn:aws:lambda:us-east-1:000000000000:function:fixture",
    "function:fixture:$LATEST",
  ])("%s names the function", async (identifier) => {
    const { invoke } = runCode(harmful);
    expect(await invoke(identifier, {})).toEqual({ payload: '"well"' });
  });
});

describe("code that cannot be loaded", () => {
  test.each([
    ["no such export", "export const other = 1;", "Runtime.HandlerNotFound", "index.handler is undefined"],
    ["not a function", "export const handler = 1;", "Runtime.HandlerNotFound", "is not a function"],
    [
      "a callback",
      "export const handler = (event, context, done) => done();",
      "Runtime.CallbackHandlerDeprecated",
      "callback",
    ],
    ["a syntax error", "export const handler = ;", "Runtime.UserCodeSyntaxError", "Unexpected token"],
    ["a missing import", "import 'absent-package';", "Runtime.ImportModuleError", "absent-package"],
    ["a throw", "throw new RangeError('at load');", "RangeError", "at load"],
    ["an exit", "process.exit(2);", "Runtime.ExitError", "exit status 2"],
  ])("%s", async (_, code, errorType, errorMessage) => {
    const { run } = runCode(code);
    for (let times = 0; times < 2; times++) {
      expect(await run()).toMatchObject({
        functionError: "Unhandled",
        answer: { errorType, errorMessage: expect.stringContaining(errorMessage) },
      });
    }
  });

  test.each([
    ["index", "Runtime.MalformedHandlerName"],
    ["absent.handler", "Runtime.ImportModuleError"],
  ])("the handler %s", async (handler, errorType) => {
    const { run } = runCode("export const handler = async () => 1;", { handler });
    expect((await run()).answer).toMatchObject({ errorType });
  });
});

test("stopping ends what is under way and what waits", async () => {
  const lambda = runCode("export const handler = () => new Promise(() => {});", {}, { concurrency: 1 });
  const results = Promise.all([lambda.run(), lambda.run()]);
  await new Promise((done) => setTimeout(done, 100));
  await lambda.stop();
  for (const { answer } of await results) expect(answer).toMatchObject({ errorType: "Runtime.ExitError" });
  expect((await lambda.run()).answer).toMatchObject({ errorType: "Runtime.ExitError" });
});
