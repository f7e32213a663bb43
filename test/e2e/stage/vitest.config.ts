import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import Report from "./support/report.ts";

/** Runs the files by name, so that the user's first request comes first, and the logs are read last. */
class ByName extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((one, other) => one.moduleId.localeCompare(other.moduleId));
  }
}

/** Separate from the other tests, because `npm run verify` starts it with a service and a user. */
export default defineConfig({
  test: {
    include: ["test/e2e/stage/*.test.ts"],
    provide: JSON.parse(process.env.VERIFY_RUN ?? "{}"),
    reporters: [new Report()],
    pool: "threads",
    // All checks share one user.
    fileParallelism: false,
    isolate: false,
    sequence: { sequencer: ByName },
    // A passing check takes less than half of this.
    testTimeout: 10 * 60 * 1000,
    // Shows whole values in failures.
    chaiConfig: { truncateThreshold: 0 },
  },
});
