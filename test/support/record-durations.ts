import { writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Reporter, TestModule } from "vitest/node";
import durations from "./durations.json" with { type: "json" };

/** Files that take less time are not recorded, because their place in the order hardly matters. */
const leastSeconds = 4;

/** Records how many seconds each long file took, for the order of the next runs: `RECORD_DURATIONS=1 npm test`. */
export default class RecordDurations implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const run = modules.map(
      (module) =>
        [relative(process.cwd(), module.moduleId), Math.round(module.diagnostic().duration / 1000)] as const,
    );
    const all = { ...durations, ...Object.fromEntries(run) };
    const long = Object.entries(all).filter(([, seconds]) => seconds >= leastSeconds);
    const sorted = Object.fromEntries(long.toSorted(([, one], [, other]) => other - one));
    writeFileSync(join(import.meta.dirname, "durations.json"), `${JSON.stringify(sorted, null, 2)}\n`);
  }
}
