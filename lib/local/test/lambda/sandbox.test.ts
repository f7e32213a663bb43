import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../fixtures/folder.ts";
import { defineCode, runCode, runFunctions } from "./functions.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe("calls of a handler", () => {
  const { run, log } = runCode(
    `export const handler = async (event, context) => {
       switch (event.does) {
         case "nothing": return;
         case "context": return { ...context, remaining: context.getRemainingTimeInMillis() };
         case "environment": return process.env;
         default: console.log(event); return { got: event };
       }
     };`,
    { memoryMB: 256, timeoutSeconds: 10 },
    { concurrency: 1, environment: { TABLE_NAME: "t" }, codeCache: temporaryFolder() },
  );

  it("passes the event to the handler and returns its answer", async () => {
    expect(await run({ a: [1, "ü", null] })).toEqual({
      answer: { got: { a: [1, "ü", null] } },
      functionError: undefined,
    });
  });

  it("passes, logs and returns any text, including line separators and megabytes", async () => {
    const odd = "a\u2028b\u2029c\r\nd\u0000😀\ud800";
    expect((await run(odd)).answer.got).toBe(odd);
    expect(JSON.parse(log.at(-1)?.line ?? "").message).toBe(odd);
    const long = "€".repeat(1_900_000);
    expect((await run(long)).answer.got === long).toBe(true);
  });

  it("answers null if the handler returns nothing", async () => {
    expect((await run({ does: "nothing" })).answer).toBeNull();
  });

  it("passes Lambda's context to the handler", async () => {
    const { answer } = await run({ does: "context" });
    expect(answer).toMatchObject({
      awsRequestId: expect.stringMatching(UUID),
      functionName: "fixture",
      functionVersion: "$LATEST",
      invokedFunctionArn: "arn:aws:lambda:us-east-1:000000000000:function:fixture",
      memoryLimitInMB: "256",
      logGroupName: "/aws/lambda/fixture",
    });
    expect(answer.remaining).toBeGreaterThan(0);
    expect(answer.remaining).toBeLessThanOrEqual(10_000);
  });

  it("shows the handler only its own environment, not the machine's", async () => {
    expect((await run({ does: "environment" })).answer).toEqual({ TABLE_NAME: "t" });
  });

  it("keeps compiled code for the function's next process, unless it is behind walls", async () => {
    const definition = defineCode("export const handler = async () => process.env;");
    const cached = async (reachable?: string[]) => {
      const codeCache = temporaryFolder();
      const { run } = runFunctions([definition], { codeCache, reachableFrom: () => reachable });
      expect(await run("fixture")).toMatchObject({ answer: {}, functionError: undefined });
      return readdirSync(codeCache, { recursive: true });
    };
    expect(await cached()).not.toEqual([]);
    expect(await cached([])).toEqual([]);
  });

  it("runs a function behind walls from plain JavaScript, which needs no compiled code", async () => {
    const definition = defineCode("export const handler = async () => process.argv[1];");
    const { run } = runFunctions([definition], { reachableFrom: () => [] });
    expect((await run("fixture")).answer).toMatch(/bootstrap\.mjs$/);
  });

  it("loads a handler from a subfolder", async () => {
    const definition = defineCode("", { handler: "src/app.get" });
    mkdirSync(`${definition.codeFolder}/src`);
    writeFileSync(`${definition.codeFolder}/src/app.mjs`, "export const get = async () => 'found';");
    expect((await runFunctions([definition]).run("fixture")).answer).toBe("found");
  });
});

const harmful = `export const handler = async ({ harm }) => {
  switch (harm) {
    case "throw": throw Object.assign(new TypeError("boom"), { secretDetail: 1 });
    case "throw text": throw "just text";
    case "recurse": { const again = () => again() + 1; return again(); }
    case "circular": { const a = {}; a.a = a; return a; }
    case "bigint": return 1n;
    case "large": return "x".repeat(6 * 1024 * 1024);
    case "throw later": setTimeout(() => { throw new Error("later"); }, 5); return new Promise(() => {});
    case "reject": Promise.reject(new Error("unhandled")); return new Promise(() => {});
    case "exit": process.exit(3);
    case "exit quietly": process.exit(0);
    case "loop": for (;;);
    case "hang": return new Promise(() => {});
    case "abort": process.abort();
    case "kill itself": process.kill(process.pid, "SIGKILL");
    case "fill a map": { const map = new Map(); for (let n = 0; ; n++) map.set(n, { n }); }
    default: return process.pid;
  }
};`;

describe("errors of a handler", () => {
  const { run } = runCode(harmful, {}, { concurrency: 1 });

  it.each([
    ["throw", { errorType: "TypeError", errorMessage: "boom", trace: expect.any(Array) }],
    ["throw text", { errorType: "string", errorMessage: "just text", trace: [] }],
    ["recurse", { errorType: "RangeError", errorMessage: /stack/ }],
    ["circular", { errorType: "Runtime.MarshalError", errorMessage: /stringify/ }],
    ["bigint", { errorType: "Runtime.MarshalError", errorMessage: /stringify/ }],
    ["large", { errorType: "Function.ResponseSizeTooLarge", errorMessage: /6291456 bytes/ }],
  ])(
    "returns the error (%s) as the function's and handles the next event in the same process",
    async (harm, expected) => {
      const pid = await run();
      const { answer, functionError } = await run({ harm });
      expect(functionError).toBe("Unhandled");
      const { errorMessage, ...rest } = expected;
      expect(answer).toMatchObject(rest);
      expect(answer.errorMessage).toMatch(errorMessage);
      expect(await run()).toEqual(pid);
    },
  );
});

describe.concurrent("harm", () => {
  // Limits only code that never ends. On a busy machine, other code may take a while.
  const { run } = runFunctions([
    defineCode(harmful, { name: "slow", memoryMB: 64 }),
    defineCode(harmful, { name: "quick", memoryMB: 64, timeoutSeconds: 2 }),
  ]);

  it.each([
    ["throw later", "Runtime.ExitError", /exit status 129/],
    ["reject", "Runtime.ExitError", /exit status 129/],
    ["exit", "Runtime.ExitError", /^RequestId: \S{36} Error: .*exit status 3$/],
    ["exit quietly", "Runtime.ExitError", /exit status 0/],
    ["loop", "Sandbox.Timedout", /^\S+Z \S{36} Task timed out after 2.00 seconds$/],
    ["hang", "Sandbox.Timedout", /Task timed out after 2.00 seconds/],
    ["abort", "Runtime.ExitError", /signal: aborted/],
    ["kill itself", "Runtime.ExitError", /signal: killed/],
    ["fill a map", "Runtime.ExitError", /signal: aborted/],
  ])(
    "ends the process on the error (%s) and handles the next event in another one",
    async (harm, errorType, errorMessage) => {
      const name = errorType === "Sandbox.Timedout" ? "quick" : "slow";
      const { answer, functionError } = await run(name, { harm });
      expect(functionError).toBe("Unhandled");
      expect(answer.errorType).toBe(errorType);
      expect(answer.errorMessage).toMatch(errorMessage);
      expect(await run(name)).toEqual({ answer: expect.any(Number), functionError: undefined });
    },
  );
});

describe("isolation", () => {
  it("protects a function from harm in another one", async () => {
    const { run } = runFunctions([
      defineCode(harmful, { name: "bad", timeoutSeconds: 1, memoryMB: 64 }),
      defineCode(
        `let sum = 0; globalThis.shared ??= 0;
         export const handler = async () => { globalThis.shared++; return [++sum, globalThis.shared]; };`,
        { name: "good" },
      ),
    ]);
    await run("good");
    const harm = Promise.all(["loop", "exit", "reject"].map((each) => run("bad", { harm: each })));
    for (let n = 2; n < 20; n++) expect((await run("good")).answer).toEqual([n, n]);
    expect((await harm).map(({ functionError }) => functionError)).toEqual(Array(3).fill("Unhandled"));
  });
});

describe.concurrent("code that cannot be loaded", () => {
  it.each([
    [
      "has no such export",
      "export const other = 1;",
      "Runtime.HandlerNotFound",
      "index.handler is undefined",
    ],
    ["exports no function", "export const handler = 1;", "Runtime.HandlerNotFound", "is not a function"],
    [
      "takes a callback",
      "export const handler = (event, context, done) => done();",
      "Runtime.CallbackHandlerDeprecated",
      "callback",
    ],
    ["has a syntax error", "export const handler = ;", "Runtime.UserCodeSyntaxError", "Unexpected token"],
    ["lacks an import", "import 'absent-package';", "Runtime.ImportModuleError", "absent-package"],
    ["throws", "throw new RangeError('at load');", "RangeError", "at load"],
    ["exits", "process.exit(2);", "Runtime.ExitError", "exit status 2"],
  ])("fails each invocation if the code %s", async (_, code, errorType, errorMessage) => {
    const { run } = runCode(code);
    const failure = {
      functionError: "Unhandled",
      answer: { errorType, errorMessage: expect.stringContaining(errorMessage) },
    };
    expect(await Promise.all([run(), run()])).toMatchObject([failure, failure]);
  });

  it.each([
    ["index", "Runtime.MalformedHandlerName", "Bad handler index"],
    ["absent.handler", "Runtime.ImportModuleError", "Cannot find module 'absent.mjs'"],
  ])("fails each invocation if the handler is called %s", async (handler, errorType, errorMessage) => {
    const { run } = runCode("export const handler = async () => 1;", { handler });
    const { answer } = await run();
    expect(answer).toMatchObject({ errorType, errorMessage: expect.stringContaining(errorMessage) });
  });

  it("loads failed code again for a later event", async () => {
    const definition = defineCode("export const handler = ;");
    const { run } = runFunctions([definition]);
    expect((await run("fixture")).functionError).toBe("Unhandled");
    writeFileSync(`${definition.codeFolder}/index.mjs`, "export const handler = async () => 'mended';");
    expect((await run("fixture")).answer).toBe("mended");
  });
});
