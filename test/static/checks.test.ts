import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync("package.json", "utf8"));
// Includes `lint:types`, which reads the types of all packages and is too slow for `npm run check`.
const checks = Object.keys(scripts).filter((name) => /^(static|lint):/.test(name));

/** Runs a script, and returns its output if it fails. */
const failureOf = (script: string) =>
  promisify(execFile)("npm", ["run", "-s", script], { maxBuffer: Number.POSITIVE_INFINITY }).then(
    () => "",
    ({ stdout, stderr, message }) => `${stdout}${stderr}` || message,
  );

describe("a static check", () => {
  it.each(checks)("finds no fault: %s", { timeout: 400_000 }, async (script) => {
    expect(await failureOf(script)).toBe("");
  });
});
