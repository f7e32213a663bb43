import { defineConfig } from "vitest/config";

/** Separate from the other layers, since it needs a browser: Chromium as Debian packages it, or CHROMIUM=/path/to/it. */
export default defineConfig({
  test: {
    reporters: process.env.CI ? ["default", "./test/closing-line.ts"] : ["default"],
    include: ["test/browser/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 180_000,
  },
});
