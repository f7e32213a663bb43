import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { terminalApp } from "../../lib/infra/app.ts";
import { operations } from "../../lib/operations.ts";
import { functionsOf } from "./synthesized.ts";

const run = promisify(execFile);
const outdir = mkdtempSync(join(tmpdir(), "bundles-"));
afterAll(() => rmSync(outdir, { recursive: true }));

const assembly = terminalApp({ outdir }).synth();
const functions = functionsOf({
  data: assembly.getStackByName("TerminalData").template,
  api: assembly.getStackByName("TerminalApi").template,
});

/** A value with something in place of what is known at deployment only. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  const [, parts] = (value as { "Fn::Join"?: [string, unknown] })["Fn::Join"] ?? [];
  return Array.isArray(parts) ? parts.map(textOf).join("") : "known at deployment";
}

/** Loads the code as Lambda would, with the function's own environment and nothing else. */
async function load(file: string, variables: Record<string, unknown>) {
  const program = `const { handler } = await import(${JSON.stringify(pathToFileURL(file))});
    console.log(JSON.stringify({ type: typeof handler, parameters: handler.length }));`;
  const known = Object.entries(variables).map(([name, value]) => [name, textOf(value)]);
  const { stdout, stderr } = await run(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: outdir,
    env: { AWS_REGION: "eu-west-1", ...Object.fromEntries(known) },
  });
  return { stderr, ...JSON.parse(stdout) };
}

describe("the bundles", () => {
  it.each(Object.keys(operations))("of %s is one small module that gives a handler", async (name) => {
    const { Code, Environment } = functions[name] ?? {};
    const asset = join(outdir, `asset.${Code?.S3Key.replace(/\.zip$/, "")}`);
    expect(readdirSync(asset)).toEqual(["index.mjs"]);
    const file = join(asset, "index.mjs");
    expect(statSync(file).size).toBeLessThan(400 * 1024);
    const { type, parameters, stderr } = await load(file, Environment?.Variables ?? {});
    expect({ type, stderr }).toEqual({ type: "function", stderr: "" });
    // The runtime refuses handlers that take a callback.
    expect(parameters).toBeLessThan(3);
  });
});
