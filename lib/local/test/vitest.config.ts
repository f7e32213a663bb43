import { defineConfig } from "vitest/config";

/** The workspace's own tests. */
export default defineConfig({
  test: {
    reporters: process.env.CI ? ["default", "./test/support/closing-line.ts"] : ["default"],
    include: ["test/**/*.test.ts"],
    // A worker loads modules once, not for each file: the AWS SDK takes seconds.
    isolate: false,
    // Two more than CI has cores: many tests wait for a database or a clock.
    maxWorkers: 4,
    globalSetup: ["test/support/dynamodb-setup.ts"],
    setupFiles: ["test/support/set-up.ts"],
    // For machines that are busy with other tests.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000, interval: 10 } },
  },
});
