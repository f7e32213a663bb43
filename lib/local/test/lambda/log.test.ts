import { expect, test } from "vitest";
import { runCode } from "./functions.ts";

const everyLevel = `export const handler = async () => {
  for (const level of ["trace", "debug", "log", "info", "warn", "error"]) console[level](level);
};`;

function parse(log: { line: string }[]) {
  return log.map(({ line }) => JSON.parse(line));
}

test("a line of JSON per call, with the request it belongs to", async () => {
  const { run, log } = runCode(`export const handler = async (event, { awsRequestId }) => {
    console.log("text %s", "in place");
    console.info({ wallet: 1 });
    return awsRequestId;
  };`);
  const { answer: requestId } = await run();
  expect(log.every(({ source }) => source === "fixture")).toBe(true);
  expect(parse(log)).toEqual([
    { timestamp: expect.stringMatching(/Z$/), level: "INFO", requestId, message: "text in place" },
    { timestamp: expect.any(String), level: "INFO", requestId, message: { wallet: 1 } },
  ]);
});

test.each([
  ["TRACE", ["TRACE", "DEBUG", "INFO", "INFO", "WARN", "ERROR"]],
  ["INFO", ["INFO", "INFO", "WARN", "ERROR"]],
  ["ERROR", ["ERROR"]],
] as const)("from %s on", async (level, expected) => {
  const { run, log } = runCode(everyLevel, { log: { format: "JSON", level, group: "g" } });
  await run();
  expect(parse(log).map((line) => line.level)).toEqual(expected);
});

test("errors are spelled out wherever they stand", async () => {
  const { run, log } = runCode(`export const handler = async () => {
    const error = Object.assign(new TypeError("boom"), { code: "E1" });
    console.error(error);
    console.error({ error });
    console.error("failed:", error);
  };`);
  await run();
  const described = { errorType: "TypeError", errorMessage: "boom", stackTrace: expect.any(Array) };
  expect(parse(log)).toMatchObject([
    { message: { ...described, code: "E1" } },
    { message: { error: { ...described, code: "E1" } } },
    { message: expect.stringContaining("failed: TypeError: boom"), ...described },
  ]);
});

test("what JSON cannot hold is still logged", async () => {
  const { run, log } = runCode(`export const handler = async () => {
    const circle = {}; circle.circle = circle;
    console.log(circle);
    console.log(10n);
    console.log();
  };`);
  await run();
  expect(parse(log).map(({ message }) => message)).toEqual([
    expect.stringContaining("[Circular *1]"),
    "10n",
    "",
  ]);
});

test("text, when the template asks for text", async () => {
  const { run, log } = runCode(`export const handler = async () => console.warn("two\\nlines");`, {
    log: { format: "Text", level: "TRACE", group: "g" },
  });
  await run();
  expect(log[0]?.line).toMatch(/^\S+Z\t[0-9a-f-]{36}\tWARN\ttwo\rlines$/);
});

test("what is written to the process itself is passed on as it is", async () => {
  const { run, log } = runCode(`export const handler = async () => {
    process.stdout.write("one\\ntwo\\n");
    process.stderr.write("three\\n");
  };`);
  await run();
  await expect.poll(() => log.map(({ line }) => line).toSorted()).toEqual(["one", "three", "two"]);
});

test.each([
  [
    "throw new TypeError('boom');",
    { level: "ERROR", message: { errorType: "TypeError", errorMessage: "boom" } },
  ],
  ["for (;;);", { level: "ERROR", message: "Task timed out after 1.00 seconds" }],
  [
    "setTimeout(() => { throw new Error('later'); }); await new Promise(() => {});",
    { message: { errorMessage: "later" } },
  ],
])("the end of %s is logged, and every line before it", async (harm, expected) => {
  const { run, log } = runCode(
    `export const handler = async () => { for (let n = 0; n < 100; n++) console.log(n); ${harm} };`,
    { timeout: 1 },
  );
  await run();
  const lines = parse(log);
  expect(lines).toHaveLength(101);
  expect(lines.slice(0, 100).map(({ message }) => message)).toEqual(Array.from({ length: 100 }, (_, n) => n));
  expect(lines[100]).toMatchObject({ requestId: lines[0].requestId, ...expected });
});
