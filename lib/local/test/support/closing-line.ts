import type { Reporter, TestModule } from "vitest/node";

/** Ends the output with a plain line for CI: `N passed, N failed`. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const count = (state: "passed" | "failed") =>
      modules.reduce((sum, module) => sum + [...module.children.allTests(state)].length, 0);
    // Counts a file that fails to load as one failure, since it has no tests.
    const broken = modules.filter((module) => module.errors().length > 0).length;
    process.stdout.write(`\n${count("passed")} passed, ${count("failed") + broken} failed\n`);
  }
}
