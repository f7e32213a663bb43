import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type { Stack } from "aws-cdk-lib";
import { Bucket } from "aws-cdk-lib/aws-s3";
import { afterAll, describe, expect, it } from "vitest";
import { terminalApp } from "../../lib/infra/app.ts";
import { main } from "../../lib/infra/main.ts";
import { withoutCode } from "../../lib/infra/read-stacks.ts";

const run = promisify(execFile);
const directory = mkdtempSync(join(tmpdir(), "synthesis-"));
afterAll(() => rmSync(directory, { recursive: true }));

/** A module that makes every connection fail. */
const offline = `data:text/javascript,${encodeURIComponent(
  'import { Socket } from "node:net"; Socket.prototype.connect = () => { throw new Error("No network here"); };',
)}`;

/** Reads the templates in a folder, by file name. */
const textsIn = (folder: string) =>
  new Map(
    readdirSync(folder)
      .filter((name) => name.endsWith(".template.json"))
      .map((name) => [name, readFileSync(join(folder, name), "utf8")]),
  );

describe("bin/app.ts", () => {
  it("synthesizes the same templates without account, region, network or project directory", async () => {
    const outdir = join(directory, "elsewhere");
    const { stderr } = await run(process.execPath, ["--import", offline, resolve("bin/app.ts")], {
      cwd: directory,
      // Skips CDK's slow check of the templates, which bundles.test.ts includes.
      env: {
        CDK_OUTDIR: outdir,
        CDK_CONTEXT_JSON: JSON.stringify(withoutCode),
        CDK_VALIDATION: "false",
      },
    });
    expect(stderr).toBe("");
    const texts = textsIn(outdir);
    expect([...texts.keys()]).toContain("TerminalApi.template.json");
    expect(JSON.stringify([...texts])).not.toMatch(/arn:aws:|\b\d{12}\b|(us|eu|ap)-[a-z]+-\d/);
    expect(readdirSync(directory)).toEqual(["elsewhere"]);
    const here = join(directory, "here");
    terminalApp({ outdir: here, builtinCloudFormationValidation: false, context: withoutCode }).synth();
    expect(texts).toEqual(textsIn(here));
  });

  it("exits with 1 and prints one plain message for an invalid configuration", () => {
    const warnings: string[] = [];
    const context = { ...withoutCode, cookieName: "access token" };
    const steps: string[] = [];
    const onStep = (text: string) => void steps.push(text);
    expect(main({ context }, (message) => warnings.push(message), { onStep })).toBe(1);
    expect(warnings).toEqual(["Context cookieName must be a cookie name"]);
    // Speaks at once, because the next step takes long.
    expect(steps).toEqual([expect.stringMatching(/^Making the stacks/)]);
  });

  it.each([
    ["cn-north-1", "aws-cn"],
    ["us-gov-west-1", "aws-us-gov"],
  ])("refuses to deploy to %s, which is in the partition %s", (region, partition) => {
    const warnings: string[] = [];
    expect(main({ context: withoutCode }, (message) => warnings.push(message), { region })).toBe(1);
    expect(warnings).toEqual([
      expect.stringMatching(`^Region ${region} is in the partition ${partition}: deploy to`),
    ]);
  });

  it.each(["eu-west-1", "zz-new-1", ""])(
    "accepts the region %j, whose partition is aws or unknown",
    (region) => {
      const context = { ...withoutCode, cookieName: "access token" };
      const warnings: string[] = [];
      main({ context }, (message) => warnings.push(message), { region });
      expect(warnings).toEqual(["Context cookieName must be a cookie name"]);
    },
  );
});

describe("terminalApp", () => {
  it("throws if a stack breaks a rule of AWS Solutions without a reason", () => {
    const app = terminalApp({
      outdir: join(directory, "nag"),
      builtinCloudFormationValidation: false,
      context: withoutCode,
    });
    new Bucket(app.node.findChild("TerminalData") as Stack, "Bucket");
    expect(() => app.synth()).toThrow("AwsSolutions-S1");
  });
});
