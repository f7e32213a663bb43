import type { Reporter, TestModule } from "vitest/node";

/** Ends the output with one plain line that any CI can read. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const count = (state: "passed" | "failed") =>
      modules.reduce((sum, module) => sum + [...module.children.allTests(state)].length, 0);
    // A file that could not even be loaded has no tests to fail.
    const broken = modules.filter((module) => module.errors().length > 0).length;
    process.stdout.write(`\n${count("passed")} passed, ${count("failed") + broken} failed\n`);
  }
}
