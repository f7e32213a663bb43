import { cancellingFound, cuttingOff } from "../../../lib/orders/cancelling.ts";
import type { Procedure } from "../../../lib/orders/effects.ts";
import type { CutoffScope } from "../../../lib/orders/table-step.ts";

/** Cancels all of a user's orders in the scope, one after another, and returns their number. */
export function* cancellingAll(scope: CutoffScope): Procedure<number> {
  const open = yield* cuttingOff(scope);
  for (const order of open) yield* cancellingFound(order);
  return open.length;
}
