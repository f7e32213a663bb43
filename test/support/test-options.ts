import { join } from "node:path";

/** Options for all tests except those in the browser. */
export const testOptions = {
  // Loads modules once for each worker instead of each file, because the AWS SDK and CDK take seconds.
  isolate: false,
  // Loads sources with Node, as in production. Vite would transform each module again for every project.
  experimental: { viteModuleRunner: false, nodeLoader: false },
  execArgv: ["--import", join(import.meta.dirname, "client-sources.ts")],
  setupFiles: [join(import.meta.dirname, "../../lib/local/test/support/restore-mocks.ts")],
  // Allows for machines that are busy with other tests.
  testTimeout: 180_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 30_000, interval: 10 } },
};

const file = (path: string) => join(import.meta.dirname, path);

// esbuild and the checkers of types are Go programs, which spend a third of their time on collecting garbage by default.
process.env.GOGC ??= "400";

export const reporters = [
  "default",
  // Prints a last line, which CI adds up over all runs.
  ...(process.env.CI ? [file("../../lib/local/test/support/closing-line.ts")] : []),
  ...(process.env.RECORD_DURATIONS ? [file("record-durations.ts")] : []),
];
