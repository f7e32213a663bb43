import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type { Stack } from "aws-cdk-lib";
import { Bucket } from "aws-cdk-lib/aws-s3";
import { afterAll, describe, expect, it } from "vitest";
import { terminalApp } from "../../lib/infra/app.ts";

const run = promisify(execFile);
const directory = mkdtempSync(join(tmpdir(), "synthesis-"));
afterAll(() => rmSync(directory, { recursive: true }));

/** Fails whoever opens a connection. */
const offline = `data:text/javascript,${encodeURIComponent(
  'import { Socket } from "node:net"; Socket.prototype.connect = () => { throw new Error("No network here"); };',
)}`;

/** Runs the program in an empty environment and in a directory of no project, as the CDK CLI would run it. */
async function synthesize(name: string, context: Record<string, unknown> = {}) {
  const outdir = join(directory, name);
  const program = resolve("bin/app.ts");
  const { stderr } = await run(process.execPath, ["--import", offline, program], {
    cwd: directory,
    env: {
      CDK_OUTDIR: outdir,
      CDK_CONTEXT_JSON: JSON.stringify({ "aws:cdk:bundling-stacks": [], ...context }),
    },
  });
  return { stderr, templates: templatesIn(outdir) };
}

const templatesIn = (outdir: string) =>
  ["TerminalData", "TerminalApi"].map((stack) =>
    readFileSync(join(outdir, `${stack}.template.json`), "utf8"),
  );

describe("the synthesis", () => {
  it("gives the same without account, region, network or project directory, and says nothing", async () => {
    const { stderr, templates } = await synthesize("elsewhere");
    expect(stderr).toBe("");
    const outdir = join(directory, "here");
    const context = { "aws:cdk:bundling-stacks": [] };
    terminalApp({ outdir, context, builtinCloudFormationValidation: false }).synth();
    expect(templates).toEqual(templatesIn(outdir));
    expect(templates.join()).not.toMatch(/arn:aws:|\b\d{12}\b|(us|eu|ap)-[a-z]+-\d/);
    expect(readdirSync(directory).sort()).toEqual(["elsewhere", "here"]);
  });

  it("fails with one plain message for a bad configuration", async () => {
    const failure = synthesize("bad", { cookieName: "access token" });
    await expect(failure).rejects.toMatchObject({
      code: 1,
      stderr: "Context cookieName must be a cookie name\n",
    });
  });

  it("fails when a rule of AWS Solutions is broken without a reason", () => {
    const app = terminalApp({
      outdir: join(directory, "nag"),
      builtinCloudFormationValidation: false,
      context: { "aws:cdk:bundling-stacks": [] },
    });
    new Bucket(app.node.findChild("TerminalData") as Stack, "Bucket");
    expect(() => app.synth()).toThrow("AwsSolutions-S1");
  });
});
