import { defineConfig } from "vitest/config";
import { foldersFor } from "./test/e2e/folders.ts";
import { keptFiles } from "./test/kept/files.ts";
import OrderOfFiles from "./test/support/order-of-files.ts";
import { reporters, testOptions } from "./test/support/test-options.ts";

/**
 * Vitest runs the groups one after another. In the first, static checks and unit tests use the cores while the runner
 * of the end-to-end tests starts. The second inspects the output of the first, while all other tests run.
 */
type Group = 0 | 1;

type Rest = { setupFiles?: string[]; globalSetup?: string[] };

type Files = { include: string[]; exclude?: string[] };

/**
 * Defines one project for each thing that tests need. Projects do not inherit the root's options, so the global set-up
 * runs once.
 */
const project = (name: string, files: Files, groupOrder: Group, rest: Rest = {}) => ({
  test: {
    name,
    ...testOptions,
    ...files,
    sequence: { groupOrder },
    ...rest,
    setupFiles: [...testOptions.setupFiles, ...(rest.setupFiles ?? [])],
  },
});

/** Folders of tests. The console and the local chains have their own. */
const tests = "{test,lib/{console,devnet}/test}";

const within = (...folders: string[]): Files => ({
  include: folders.map((folder) => `test/${folder}/**/*.test.ts`),
});

/** Folders of tests that form their own projects, or take no part in `npm test`. */
const ownFolders = ["browser", "e2e", "infra", "static"];

const e2e = {
  globalSetup: ["test/e2e/global-setup.ts"],
  setupFiles: ["test/e2e/support/ready.ts"],
};

export default defineConfig({
  test: {
    reporters,
    // Exceeds the cores of CI by two, because many tests wait for a database, a chain or a clock. Each worker loads the
    // AWS SDK and CDK.
    maxWorkers: 4,
    sequence: { sequencer: OrderOfFiles },
    globalSetup: ["lib/local/test/support/dynamodb-setup.ts"],
    projects: [
      project("static", within("static"), 0),
      // Tests that open no socket and start no process.
      project(
        "unit",
        {
          include: [`${tests}/**/*.test.ts`],
          exclude: [
            "**/*.{table,socket}.test.ts",
            ...ownFolders.map((folder) => `${tests}/${folder}/**`),
            ...keptFiles,
          ],
        },
        0,
        { setupFiles: ["test/support/property-runs.ts"] },
      ),
      project("e2e", within(...foldersFor(process.env).map((folder) => `e2e/${folder}`)), 0, e2e),
      project("last", within("e2e/last"), 1),
      // Runs through wireit in `npm test`, which keeps the results.
      project("kept", { include: [...keptFiles] }, 1),
      // Synthesizes stacks (infra), needs DynamoDB Local (table), or opens sockets or starts programs such as anvil
      // (socket). All share one project, because each project has its own workers, which load the same modules.
      project(
        "system",
        {
          include: [`${tests}/**/*.{table,socket}.test.ts`, "test/infra/**/*.test.ts"],
          exclude: [...keptFiles],
        },
        1,
        { globalSetup: ["test/infra/global-setup.ts"] },
      ),
    ],
  },
});
