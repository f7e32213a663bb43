import { defineConfig } from "vitest/config";
import {
  BaseSequencer,
  type Reporter,
  type TestCase,
  type TestModule,
  type TestSpecification,
} from "vitest/node";

const marks = { passed: "pass", failed: "FAIL", skipped: "skip" };

/** Prints a line for each check with its duration in seconds and any reason, then a summary. */
class Report implements Reporter {
  readonly #counts = { passed: 0, failed: 0, skipped: 0 };

  onTestCaseResult(test: TestCase): void {
    const result = test.result();
    if (result.state === "pending") return;
    this.#counts[result.state]++;
    const line = `${marks[result.state]}  ${test.fullName.replaceAll(" > ", " ")}`;
    if (result.state === "skipped") {
      print(line);
      printReasons(result.note ?? "an earlier step failed");
    } else {
      print(`${line} (${((test.diagnostic()?.duration ?? 0) / 1000).toFixed(1)} s)`);
      for (const { message } of result.errors ?? []) printReasons(message);
    }
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly { message: string }[]): void {
    for (const { message } of [...modules.flatMap((file) => file.errors()), ...unhandled]) {
      this.#counts.failed++;
      print("FAIL  outside the checks");
      printReasons(message);
    }
    const { passed, failed, skipped } = this.#counts;
    print(`\npassed: ${passed}, failed: ${failed}, skipped: ${skipped}`);
  }
}

const printReasons = (text: string) => print(text.replace(/^/gm, "      "));

const print = (text: string) => process.stdout.write(`${text}\n`);

/** Runs the files in order of their names, so that the user's first request comes first and the logs are read last. */
class ByName extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((one, other) => one.moduleId.localeCompare(other.moduleId));
  }
}

/** Keeps these checks apart from other tests, because `npm run verify` starts them with a service and a user. */
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
    // Passing checks take less than half of this time.
    testTimeout: 10 * 60 * 1000,
    // Shows complete values in failures.
    chaiConfig: { truncateThreshold: 0 },
  },
});
