import { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { createReaper } from "../src/processes.ts";
import { StartupError } from "../src/startup-error.ts";
import { type Synthesis, synthesize } from "../src/synthesize.ts";
import { temporaryFolder } from "./fixtures/folder.ts";

const reaper = createReaper();
afterAll(() => reaper.close());

function projectWith(app: string) {
  const project = temporaryFolder();
  writeFileSync(join(project, "app.ts"), app);
  const context = { kept: 1, overridden: "no" };
  writeFileSync(join(project, "cdk.json"), JSON.stringify({ app: "node app.ts --flag", context }));
  return { project, folder: join(project, "out") };
}

describe("synthesize", () => {
  it("gives the app an empty folder, its arguments and both contexts, and skips CDK's check", async () => {
    const { project, folder } = projectWith(`
      import { mkdirSync, writeFileSync } from "node:fs";
      const { CDK_OUTDIR = "", CDK_CONTEXT_JSON = "", CDK_VALIDATION } = process.env;
      mkdirSync(CDK_OUTDIR);
      const given = [process.argv[2], JSON.parse(CDK_CONTEXT_JSON), CDK_VALIDATION];
      writeFileSync(CDK_OUTDIR + "/given", JSON.stringify(given));
    `);
    mkdirSync(folder);
    writeFileSync(join(folder, "asset.old"), "");
    await synthesize({ project, folder, context: { overridden: "yes", allowedOrigins: ["a"] }, reaper });
    expect(readdirSync(folder)).toEqual(["given"]);
    expect(JSON.parse(readFileSync(join(folder, "given"), "utf8"))).toEqual([
      "--flag",
      { kept: 1, overridden: "yes", allowedOrigins: ["a"] },
      "false",
    ]);
  });

  it("reports a failure with the app's own message", async () => {
    const { project, folder } = projectWith(
      'console.error("Context issuer must be a URL"); process.exit(1);',
    );
    const failure = synthesize({ project, folder, context: {}, reaper });
    await expect(failure).rejects.toBeInstanceOf(StartupError);
    await expect(failure).rejects.toThrow(
      "The stacks cannot be synthesized (node app.ts --flag):\nContext issuer must be a URL",
    );
  });
});

describe("an assembly with known sources", () => {
  let synthesis: Synthesis;
  const inProject = (...path: string[]) => join(synthesis.project, ...path);
  const assembly = () => readFileSync(join(synthesis.folder, "template"), "utf8");

  /** Writes the source that it reads. Its context may make it crash, save a source or fail halfway. */
  const app = `
    import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
    const { CDK_OUTDIR = "", CDK_CONTEXT_JSON = "" } = process.env;
    mkdirSync(CDK_OUTDIR);
    writeFileSync(CDK_OUTDIR + "/template", readFileSync("lib/stack.ts", "utf8"));
    const { halfway } = JSON.parse(CDK_CONTEXT_JSON);
    if (halfway === "die") process.kill(process.pid, "SIGKILL");
    if (halfway === "save") appendFileSync("lib/stack.ts", "// saved");
    if (halfway === "fail") process.exit(1);
    writeFileSync(CDK_OUTDIR + "/asset", "code");
  `;

  beforeEach(async () => {
    const { project, folder } = projectWith(app);
    mkdirSync(join(project, "lib"));
    writeFileSync(join(project, "lib", "stack.ts"), "stack.ts");
    const context = { issuer: "http://127.0.0.1:3000" };
    synthesis = { project, folder, sources: ["app.ts", "lib"], context, reaper };
    expect(await synthesize(synthesis)).toBe("synthesized");
  });

  it("reuses an unchanged assembly without running the app", async () => {
    const { mtimeMs } = statSync(join(synthesis.folder, "template"));
    expect(await synthesize(synthesis)).toBe("reused");
    expect(statSync(join(synthesis.folder, "template")).mtimeMs).toBe(mtimeMs);
  });

  it("synthesizes again after a source or the context changes, then reuses the result", async () => {
    appendFileSync(inProject("lib/stack.ts"), "!");
    expect(await synthesize(synthesis)).toBe("synthesized");
    expect(assembly()).toBe("stack.ts!");
    const moved = { ...synthesis, context: { issuer: "http://127.0.0.1:4000" } };
    expect(await synthesize(moved)).toBe("synthesized");
    expect(await synthesize(moved)).toBe("reused");
  });

  it("synthesizes again after a run that was killed or failed halfway", async () => {
    for (const halfway of ["die", "fail"]) {
      const broken = { ...synthesis, context: { halfway } };
      for (let attempt = 0; attempt < 2; attempt++)
        await expect(synthesize(broken)).rejects.toBeInstanceOf(StartupError);
      expect(readdirSync(synthesis.folder)).toEqual(["template"]);
    }
    expect(await synthesize(synthesis)).toBe("synthesized");
  });

  it("synthesizes again if a source was saved while the app ran", async () => {
    const saving = { ...synthesis, context: { halfway: "save" } };
    expect(await synthesize(saving)).toBe("synthesized");
    expect(assembly()).toBe("stack.ts");
    expect(await synthesize({ ...saving, context: synthesis.context })).toBe("synthesized");
    expect(assembly()).toBe("stack.ts// saved");

    // Undoing the save does not help, because the app may have read either version.
    writeFileSync(inProject("lib", "stack.ts"), "stack.ts");
    expect(await synthesize(saving)).toBe("synthesized");
    writeFileSync(inProject("lib", "stack.ts"), "stack.ts");
    expect(await synthesize(saving)).toBe("synthesized");
  });

  it("never reuses an assembly without a list of sources", async () => {
    const { sources: _, ...unknown } = synthesis;
    expect(await synthesize(unknown)).toBe("synthesized");
    expect(await synthesize(synthesis)).toBe("synthesized");
  });
});
