import { defineConfig } from "vitest/config";
import { reporters, testOptions } from "../support/test-options.ts";
import { keptFiles } from "./files.ts";

/** Separate from the other tests, because wireit runs some of these files at a time, each time in a Vitest of its own. */
export default defineConfig({
  test: {
    ...testOptions,
    reporters,
    include: [...keptFiles],
    maxWorkers: 2,
  },
});
