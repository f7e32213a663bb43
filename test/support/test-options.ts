import { join } from "node:path";

/** The options of all tests but those in the browser. */
export const testOptions = {
  // A worker loads modules once, not for each file: the AWS SDK and CDK take seconds.
  isolate: false,
  // Node loads the sources as it does in production. Vite would transform each module for each project.
  experimental: { viteModuleRunner: false, nodeLoader: false },
  execArgv: ["--import", join(import.meta.dirname, "client-sources.ts")],
  setupFiles: [join(import.meta.dirname, "../../lib/local/test/support/restore-mocks.ts")],
  // For machines that are busy with other tests.
  testTimeout: 180_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 30_000, interval: 10 } },
};

/** CI adds up the last lines of all runs. */
export const reporters = process.env.CI
  ? ["default", join(import.meta.dirname, "../../lib/local/test/support/closing-line.ts")]
  : ["default"];
