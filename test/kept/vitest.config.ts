import { defineConfig } from "vitest/config";
import { reporters, testOptions } from "../support/test-options.ts";
import { keptFiles } from "./files.ts";

/** Runs these tests separately, because wireit runs only some of their files at a time, each in its own Vitest. */
export default defineConfig({
  test: {
    ...testOptions,
    reporters,
    include: [...keptFiles],
    maxWorkers: 2,
  },
});
