import { defineConfig } from "vitest/config";
import { foldersFor } from "./test/e2e/folders.ts";
import OrderOfFiles from "./test/support/order-of-files.ts";

/** A project per layer. `unit` opens no socket and starts no process; the others say in their set-up what they need. */
const project = (name: string, folders: string[], rest: object = {}) => ({
  extends: true as const,
  test: { name, include: folders.map((folder) => `${folder}/**/*.test.ts`), ...rest },
});

const inTest = (folders: string[]) => folders.map((folder) => `test/${folder}`);

const patient = { testTimeout: 60_000, hookTimeout: 120_000 };

const unit = [
  "domain",
  "api",
  "runtime",
  "documents",
  "functions",
  "structure",
  "cases",
  "realtime/unit",
  "prices/rules",
];

export default defineConfig({
  test: {
    reporters: process.env.CI ? ["default", "./test/closing-line.ts"] : ["default"],
    // All cores, and modules are loaded once for each worker, not for each file: the AWS SDK and CDK take seconds.
    maxWorkers: "100%",
    isolate: false,
    setupFiles: ["test/support/clean-up.ts"],
    sequence: { sequencer: OrderOfFiles },
    globalSetup: ["lib/local/test/support/dynamodb-setup.ts"],
    projects: [
      project("unit", inTest(unit)),
      project("feeds", inTest(["prices/sockets", "dev"]), patient),
      project("table", inTest(["aws", "users", "wallets", "realtime/table", "admin", "plans"]), patient),
      project("infra", inTest(["infra"]), patient),
      project("local", ["lib/local/test"], { ...patient, setupFiles: ["lib/local/test/support/set-up.ts"] }),
      project("e2e", inTest(foldersFor(process.env).map((folder) => `e2e/${folder}`)), {
        ...patient,
        globalSetup: ["test/e2e/global-setup.ts"],
      }),
    ],
  },
});
