import type { TradeStep } from "../table-step.ts";
import { type StoredResting, triggerOf } from "./stored.ts";

/**
 * Writes a resting order and its trigger. An order that has ended moves away from those that rest, so that only orders
 * that may still fire rest.
 *
 * @param when Revision and version that the order must have in the table, or "absent" if it is new.
 */
export function restingStep(
  order: StoredResting,
  when: "absent" | Pick<StoredResting, "revision" | "version">,
): TradeStep {
  const known = when === "absent" ? when : { revision: when.revision, version: when.version };
  const trigger = triggerOf(order);
  return order.state === "done"
    ? [
        { kind: "remove", of: "resting", item: order, when: known },
        { kind: "remove", of: "trigger", item: trigger },
        { kind: "put", of: "rested", item: order },
      ]
    : [
        { kind: "put", of: "resting", item: order, when: known },
        { kind: "put", of: "trigger", item: trigger },
      ];
}
