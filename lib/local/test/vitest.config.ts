import { defineConfig } from "vitest/config";

/** Configures the tests of this workspace. */
export default defineConfig({
  test: {
    reporters: process.env.CI ? ["default", "./test/support/closing-line.ts"] : ["default"],
    include: ["test/**/*.test.ts"],
    // Workers share loaded modules between test files, since loading the AWS SDK takes seconds.
    isolate: false,
    // Loads sources with Node, which takes less time than their transformation by Vite.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Uses more workers than CI's two cores, since many tests wait for a database or a clock.
    maxWorkers: 4,
    globalSetup: ["test/support/dynamodb-setup.ts"],
    setupFiles: ["test/support/set-up.ts", "test/support/restore-mocks.ts"],
    // Allows for machines that are busy with other tests.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000, interval: 10 } },
  },
});
