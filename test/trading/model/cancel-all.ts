import type { FamilyTypes } from "../../../lib/orders/family.ts";
import type { CutoffScope } from "../../../lib/orders/table-step.ts";
import type { cancellingAll } from "./cancelling-all.ts";
import type { Machines } from "./machines.ts";
import type { Process } from "./process.ts";
import type { ModelTable } from "./table.ts";
import { must } from "./violation.ts";

type CancellableWorld<F extends FamilyTypes> = Machines<F> & {
  readonly table: ModelTable<F>;
  readonly system: { cancelAll: typeof cancellingAll };
  readonly invariants: { noteAllCancelled(orderIds: readonly string[]): void };
};

/**
 * Starts to cancel all of a user's orders, by a clock that may be a second wrong. Once that has succeeded, none of the
 * orders that were open at its beginning may be signed.
 */
export function startCancelAll<F extends FamilyTypes>(
  world: CancellableWorld<F>,
  scope: CutoffScope,
): Process<F> | undefined {
  const orderIds = world.table.openOrders(scope).map(({ intent }) => intent.orderId);
  const procedure = world.system.cancelAll(scope);
  const skewMs = 1000 * (world.random.below(3) - 1);
  return world.start({ name: "cancelAll", procedure, skewMs }, (end) => {
    if ("failure" in end) return;
    world.seen.add("all orders were cancelled");
    world.invariants.noteAllCancelled(orderIds);
  });
}

/** Lets processes take turns at random until all have ended, or have crashed at the rate of the given process's faults. */
export async function interleave<F extends FamilyTypes>(
  world: Machines<F>,
  processes: readonly (Process<F> | undefined)[],
): Promise<void> {
  const { random } = world;
  for (let steps = 0; steps < 120; steps++) {
    const process = random.pick(
      processes.filter((each) => each !== undefined && world.processes.includes(each) && !each.isFrozen),
    );
    if (process === undefined) return;
    const isCrash = random.chance(process.name === "cancelAll" ? 0.06 : 0.01);
    await world.step(process, isCrash ? (random.chance(0.5) ? "before" : "after") : "none");
  }
}

/** Checks that only a cancellation writes a cutoff, and that its times only grow. */
export function checkCutoff(name: string, before: unknown, after: unknown): void {
  must(name === "cancelAll", "somebody else cancelled all orders");
  const times = (item: unknown) =>
    Object.entries(item ?? {}).filter(([, value]) => typeof value === "number") as [string, number][];
  const old = new Map(times(before));
  must(
    times(after).every(([field, time]) => time >= (old.get(field) ?? 0)),
    "orders came back after they were cancelled",
  );
}
