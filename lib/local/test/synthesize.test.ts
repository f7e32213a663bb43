import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createReaper } from "../src/processes/reaper.ts";
import { StartupError } from "../src/startup-error.ts";
import { synthesize } from "../src/synthesize.ts";
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

test("the app gets its folder, its arguments and both contexts, and a folder without leftovers", async () => {
  const { project, folder } = projectWith(`
    import { mkdirSync, writeFileSync } from "node:fs";
    const { CDK_OUTDIR = "", CDK_CONTEXT_JSON } = process.env;
    mkdirSync(CDK_OUTDIR);
    writeFileSync(CDK_OUTDIR + "/told", JSON.stringify([process.argv[2], JSON.parse(CDK_CONTEXT_JSON ?? "")]));
  `);
  mkdirSync(folder);
  writeFileSync(join(folder, "asset.old"), "");
  await synthesize({ project, folder, context: { overridden: "yes", allowedOrigins: ["a"] }, reaper });
  expect(readdirSync(folder)).toEqual(["told"]);
  expect(JSON.parse(readFileSync(join(folder, "told"), "utf8"))).toEqual([
    "--flag",
    { kept: 1, overridden: "yes", allowedOrigins: ["a"] },
  ]);
});

test("a failure is told in the app's own words", async () => {
  const { project, folder } = projectWith('console.error("Context issuer must be a URL"); process.exit(1);');
  const failure = synthesize({ project, folder, context: {}, reaper });
  await expect(failure).rejects.toBeInstanceOf(StartupError);
  await expect(failure).rejects.toThrow(
    "The stacks cannot be synthesized (node app.ts --flag):\nContext issuer must be a URL",
  );
});
