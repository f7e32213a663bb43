import { defineConfig } from "vitest/config";

/** Browser tests have their own configuration, since they need Debian's Chromium, or CHROMIUM=/path/to/it. */
export default defineConfig({
  test: {
    reporters: process.env.CI ? ["default", "./lib/local/test/support/closing-line.ts"] : ["default"],
    globalSetup: ["test/browser/support/global-setup.ts"],
    include: ["test/browser/**/*.test.ts"],
    // Runs one browser at a time: prices and chains also need processor time.
    fileParallelism: false,
    testTimeout: 90_000,
    hookTimeout: 180_000,
  },
});
