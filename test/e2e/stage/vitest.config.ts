import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import Report from "./support/report.ts";

/** Runs the files by name: the user's first request comes first, and the logs are read last. */
class ByName extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((one, other) => one.moduleId.localeCompare(other.moduleId));
  }
}

/** Separate from the tests of the repository, since `npm run verify` starts it, and gives it a service and a user. */
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
    // No check that passes takes half of it.
    testTimeout: 10 * 60 * 1000,
    // A failure shows the whole value.
    chaiConfig: { truncateThreshold: 0 },
  },
});
