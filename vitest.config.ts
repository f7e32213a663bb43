import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { foldersFor } from "./test/e2e/folders.ts";
import OrderOfFiles from "./test/support/order-of-files.ts";

/**
 * Vitest runs the groups one after another. In the first, static checks and unit tests fill the cores while the runner of the
 * end-to-end tests starts. The second looks back on what these wrote, beside all other tests.
 */
type Group = 0 | 1;

type Rest = { setupFiles?: string[]; globalSetup?: string[] };

/** A project per layer. They do not inherit the root's options, so that the global set-up runs once. */
const project = (name: string, folders: string[], groupOrder: Group, rest: Rest = {}) => ({
  // The client's sources, so that no test runs what was built before.
  resolve: { alias: { "trading-terminal/client": join(import.meta.dirname, "lib/client/index.ts") } },
  test: {
    name,
    include: folders.map((folder) => `${folder}/**/*.test.ts`),
    // A worker loads modules once, not for each file: the AWS SDK and CDK take seconds.
    isolate: false,
    // For machines that are busy with other tests.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000, interval: 10 } },
    sequence: { groupOrder },
    ...rest,
    setupFiles: ["test/support/clean-up.ts", ...(rest.setupFiles ?? [])],
  },
});

const inTest = (...folders: string[]) => folders.map((folder) => `test/${folder}`);

const pure = [
  "api",
  "cases",
  "client/unit",
  "documents",
  "domain",
  "functions",
  "prices/rules",
  "realtime/unit",
  "runtime",
  "soak",
];

const e2e = {
  globalSetup: ["test/e2e/global-setup.ts"],
  setupFiles: ["test/e2e/support/ready.ts"],
};

export default defineConfig({
  test: {
    reporters: process.env.CI ? ["default", "./lib/local/test/support/closing-line.ts"] : ["default"],
    // Two more than CI has cores: many tests wait for a database, a chain or a clock.
    maxWorkers: 4,
    sequence: { sequencer: OrderOfFiles },
    globalSetup: ["lib/local/test/support/dynamodb-setup.ts"],
    projects: [
      project("static", inTest("static"), 0),
      // Opens no socket and starts no process.
      project("unit", inTest(...pure, "structure", "support"), 0),
      project("e2e", inTest(...foldersFor(process.env).map((folder) => `e2e/${folder}`)), 0, e2e),
      project("last", inTest("e2e/last"), 1),
      project("infra", inTest("infra"), 1),
      project(
        "table",
        inTest("aws", "users", "wallets", "rewards", "realtime/table", "admin", "plans", "lists", "lanes"),
        1,
      ),
      project("feeds", inTest("prices/sockets", "client/sockets", "dev", "chains", "quotes", "histories"), 1),
      project("model", inTest("trading"), 1),
    ],
  },
});
