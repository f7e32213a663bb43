import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { foldersFor } from "./test/e2e/folders.ts";
import OrderOfFiles from "./test/support/order-of-files.ts";

/**
 * Vitest runs the groups one after another. In the first, static checks and unit tests fill the cores while the runner
 * of the end-to-end tests starts. The second looks back on what these wrote, while all other tests run.
 */
type Group = 0 | 1;

type Rest = { setupFiles?: string[]; globalSetup?: string[] };

type Files = { include: string[]; exclude?: string[] };

/** A project for each thing that tests need. They do not inherit the root's options, so that the global set-up runs once. */
const project = (name: string, files: Files, groupOrder: Group, rest: Rest = {}) => ({
  test: {
    name,
    ...files,
    // A worker loads modules once, not for each file: the AWS SDK and CDK take seconds.
    isolate: false,
    // Node loads the sources as it does in production. Vite would transform each module for each project.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    execArgv: ["--import", join(import.meta.dirname, "test/support/client-sources.ts")],
    // For machines that are busy with other tests.
    testTimeout: 180_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 30_000, interval: 10 } },
    sequence: { groupOrder },
    ...rest,
    setupFiles: ["lib/local/test/support/restore-mocks.ts", ...(rest.setupFiles ?? [])],
  },
});

/** Folders of tests. The console and the local chains have their own. */
const tests = "{test,lib/{console,devnet}/test}";

const within = (...folders: string[]): Files => ({
  include: folders.map((folder) => `test/${folder}/**/*.test.ts`),
});

/** Folders of tests that are projects of their own, or none of `npm test`. */
const ownFolders = ["browser", "e2e", "infra", "static", "markets/model", "trading/model"];

const e2e = {
  globalSetup: ["test/e2e/global-setup.ts"],
  setupFiles: ["test/e2e/support/ready.ts"],
};

export default defineConfig({
  test: {
    reporters: process.env.CI ? ["default", "./lib/local/test/support/closing-line.ts"] : ["default"],
    // One more than CI has cores: many tests wait for a database, a chain or a clock. Each worker loads the AWS SDK and CDK.
    maxWorkers: 3,
    sequence: { sequencer: OrderOfFiles },
    globalSetup: ["lib/local/test/support/dynamodb-setup.ts"],
    projects: [
      project("static", within("static"), 0),
      // Opens no socket and starts no process.
      project(
        "unit",
        {
          include: [`${tests}/**/*.test.ts`],
          exclude: ["**/*.{table,socket}.test.ts", ...ownFolders.map((folder) => `${tests}/${folder}/**`)],
        },
        0,
      ),
      project("e2e", within(...foldersFor(process.env).map((folder) => `e2e/${folder}`)), 0, e2e),
      project("last", within("e2e/last"), 1),
      // Synthesizes stacks (infra), needs DynamoDB Local (table), opens sockets or starts programs such as anvil (socket), or
      // takes long (model). One project, because each has workers of its own, which load the same modules.
      project(
        "system",
        {
          include: [
            `${tests}/**/*.{table,socket}.test.ts`,
            "test/infra/**/*.test.ts",
            "test/{markets,trading}/model/**/*.test.ts",
          ],
        },
        1,
        { globalSetup: ["test/infra/global-setup.ts"] },
      ),
    ],
  },
});
