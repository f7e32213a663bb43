import { defineConfig } from "vitest/config";

/** Separate from the other layers, since it needs a browser: Chromium as Debian packages it, or CHROMIUM=/path/to/it. */
export default defineConfig({
  test: {
    reporters: process.env.CI ? ["default", "./lib/local/test/support/closing-line.ts"] : ["default"],
    globalSetup: ["test/browser/support/global-setup.ts"],
    include: ["test/browser/**/*.test.ts"],
    // One browser at a time is enough for this machine, whose clock the prices and chains need, too.
    fileParallelism: false,
    testTimeout: 90_000,
    hookTimeout: 180_000,
  },
});
