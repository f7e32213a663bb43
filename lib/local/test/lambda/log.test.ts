import { describe, expect, it, onTestFinished } from "vitest";
import { type LogLevel, logLine, redirectConsole } from "../../src/lambda/sandbox/log.ts";
import { runCode } from "./functions.ts";

const parse = (lines: string[]) => lines.map((line) => JSON.parse(line));

describe("redirectConsole", () => {
  it.each<[LogLevel, string[]]>([
    ["TRACE", ["TRACE", "DEBUG", "INFO", "INFO", "WARN", "ERROR"]],
    ["INFO", ["INFO", "INFO", "WARN", "ERROR"]],
    ["ERROR", ["ERROR"]],
  ])("writes only lines of level %s and above", (level, expected) => {
    const original = { ...console };
    onTestFinished(() => void Object.assign(console, original));
    const lines: string[] = [];
    redirectConsole({ format: "JSON", level, requestId: () => "r1", write: (line) => lines.push(line) });
    for (const method of ["trace", "debug", "log", "info", "warn", "error"] as const) console[method](method);
    expect(parse(lines).map((line) => line.level)).toEqual(expected);
  });
});

describe("logLine", () => {
  const json = (...values: unknown[]) => JSON.parse(logLine("JSON", "INFO", "r1", values));

  it("formats placeholders and several values as one message", () => {
    expect(json("text %s", "in place")).toMatchObject({ message: "text in place" });
    expect(json("a", 1)).toMatchObject({ message: "a 1" });
  });

  it("logs a single object unchanged", () => {
    expect(json({ item: 1 })).toMatchObject({ message: { item: 1 } });
  });

  it("describes errors at any depth", () => {
    const error = Object.assign(new TypeError("boom"), { code: "E1" });
    const described = { errorType: "TypeError", errorMessage: "boom", stackTrace: expect.any(Array) };
    expect(json(error)).toMatchObject({ message: { ...described, code: "E1" } });
    expect(json({ error })).toMatchObject({ message: { error: { ...described, code: "E1" } } });
    expect(json("failed:", error)).toMatchObject({
      message: expect.stringContaining("failed: TypeError: boom"),
      ...described,
    });
  });

  it("logs even values that JSON cannot represent", () => {
    const circle: Record<string, unknown> = {};
    circle.circle = circle;
    expect(json(circle).message).toContain("[Circular *1]");
    expect(json(10n).message).toBe("10n");
    expect(json().message).toBe("");
  });

  it("writes text if the template asks for text", () => {
    expect(logLine("Text", "WARN", "r1", ["two\nlines"])).toMatch(/^\S+Z\tr1\tWARN\ttwo\rlines$/);
  });
});

describe.concurrent("the log of a function", () => {
  it("contains a line of JSON with the request id for each console call", async () => {
    const { run, log } = runCode(`export const handler = async (event, { awsRequestId }) => {
      console.log({ item: 1 });
      return awsRequestId;
    };`);
    const { answer: requestId } = await run();
    expect(log.map(({ source, line }) => ({ source, ...JSON.parse(line) }))).toEqual([
      {
        source: "fixture",
        timestamp: expect.stringMatching(/Z$/),
        level: "INFO",
        requestId,
        message: { item: 1 },
      },
    ]);
  });

  it("contains the lines that the process writes to its standard streams", async ({ expect }) => {
    const { run, log } = runCode(`export const handler = async () => {
      process.stdout.write("one\\ntwo\\n");
      process.stderr.write("three\\n");
    };`);
    await run();
    await expect.poll(() => log.map(({ line }) => line).toSorted()).toEqual(["one", "three", "two"]);
  });

  it.each([
    [
      "throw new TypeError('boom');",
      { level: "ERROR", message: { errorType: "TypeError", errorMessage: "boom" } },
    ],
    ["for (;;);", { level: "ERROR", message: "Task timed out after 3.00 seconds" }],
    [
      "setTimeout(() => { throw new Error('later'); }); await new Promise(() => {});",
      { message: { errorMessage: "later" } },
    ],
  ])(
    "ends a function's log with the reason, after all other lines, if the code is %s",
    async (harm, expected) => {
      const { run, log } = runCode(
        `export const handler = async () => { for (let n = 0; n < 100; n++) console.log(n); ${harm} };`,
        // Allows time to log all lines on a busy machine. Code that ends by itself gets more time.
        { timeoutSeconds: harm.startsWith("for") ? 3 : 20 },
      );
      await run();
      const lines = parse(log.map(({ line }) => line));
      expect(lines).toHaveLength(101);
      expect(lines.slice(0, 100).map(({ message }) => message)).toEqual(
        Array.from({ length: 100 }, (_, n) => n),
      );
      expect(lines[100]).toMatchObject({ requestId: lines[0].requestId, ...expected });
    },
  );
});
