import { join } from "node:path";
import { defineConfig } from "vitest/config";
import type { TestSpecification } from "vitest/node";
import OrderOfFiles from "../support/order-of-files.ts";
import { reporters } from "../support/test-options.ts";

/** Starts the console's own tests first, because they need no runner, which starts meanwhile. */
class ConsoleFirst extends OrderOfFiles {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => Number(needsRunner(one)) - Number(needsRunner(other)));
  }
}

const needsRunner = ({ moduleId }: TestSpecification) => !moduleId.includes("/lib/console/");

/**
 * Browser tests have their own configuration because they need Debian's Chromium or CHROMIUM=/path/to/it. The console's
 * own tests show only its components; all others use the whole service.
 */
export default defineConfig({
  test: {
    reporters,
    globalSetup: [
      "lib/console/test/support/page-server.ts",
      "lib/console/test/support/chromium.ts",
      "test/browser/support/global-setup.ts",
    ],
    include: ["{test,lib/console/test}/browser/**/*.test.ts"],
    isolate: false,
    experimental: { viteModuleRunner: false, nodeLoader: false },
    execArgv: ["--import", join(import.meta.dirname, "../support/client-sources.ts")],
    sequence: { sequencer: ConsoleFirst },
    // Runs three files at a time, each with its own users.
    maxWorkers: process.env.HEADED ? 1 : 3,
    // Allows for machines that are busy with other programs.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000, interval: 50 } },
  },
});
