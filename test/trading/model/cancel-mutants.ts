import { cuttingOff } from "../../../lib/orders/cancelling.ts";
import { firstAfter } from "../../../lib/orders/cutoffs.ts";
import type { Effects, Procedure, SigningView } from "../../../lib/orders/effects.ts";
import type { IntentTerms } from "../../../lib/orders/intent.ts";
import type { CutoffScope, ItemWrite } from "../../../lib/orders/table-step.ts";
import { inWrites, type Rewrite } from "./rewrites.ts";

export const withoutCutoffChecks = (write: ItemWrite): readonly ItemWrite[] =>
  write.of === "cutoff" ? [] : [write];

/** Leaves out cancellations of many orders from what the signer reads and checks. */
export const withoutCutoffs: Rewrite = {
  ...inWrites(withoutCutoffChecks),
  answer: (effect, answer) =>
    effect.do === "readSigning" ? { ...(answer as Effects["readSigning"]["answer"]), cutoffs: {} } : answer,
};

/** Mistakes an order from the future for one that was placed just after the last cancellation. */
export function trustsAnyTime(): Rewrite {
  let stored: IntentTerms | undefined;
  return {
    effect: (effect) =>
      effect.do === "checkMac" && stored !== undefined ? { ...effect, intent: stored } : effect,
    answer: (effect, answer) => {
      const { order, cutoffs } = answer as SigningView;
      if (effect.do !== "readSigning" || order === undefined) return answer;
      stored = order.intent;
      const createdAt = Math.min(stored.createdAt ?? 0, firstAfter(stored, cutoffs));
      return { ...(answer as SigningView), order: { ...order, intent: { ...order.intent, createdAt } } };
    },
  };
}

/** Does not look for orders whose clocks were ahead. */
export function* cuttingOffOnly(scope: CutoffScope): Procedure<number> {
  return (yield* cuttingOff(scope)).length;
}
