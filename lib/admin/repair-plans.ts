import { forEachConcurrently } from "../concurrency.ts";
import type { Drift } from "../plans/drift.ts";
import { repair } from "../plans/repair.ts";
import { reasonOf } from "./error-line.ts";
import type { PlanTarget } from "./plan-target.ts";

/** What became of a difference. */
export type Repair = { drift: Drift } & ({ outcome: "repaired" } | { outcome: "failed"; reason: string });

export type RepairOptions = {
  /** Once aborted, no further difference is begun. */
  signal: AbortSignal;
  now: () => Date;
  /** Hears of each difference, once it is done with. */
  report: (result: Repair) => void;
};

/**
 * Does away with differences, one after the other: the control plane takes few calls a second. The failure of one does
 * not stop the others.
 */
export async function repairPlans(
  target: PlanTarget,
  drifts: readonly Drift[],
  { signal, now, report }: RepairOptions,
): Promise<void> {
  await forEachConcurrently(drifts, { concurrency: 1, signal }, async (drift) => {
    try {
      await repair({ ...target, now }, drift);
      report({ drift, outcome: "repaired" });
    } catch (error) {
      report({ drift, outcome: "failed", reason: reasonOf(error) });
    }
  });
}
