import { dayOf } from "../core/time.ts";
import { unchangedCutoffs } from "./cutoffs.ts";
import { type Procedure, perform, type SigningView, type SignRequest } from "./effects.ts";
import type { FamilyTypes, SlotTerms } from "./family.ts";
import type { IntentTerms } from "./intent.ts";
import type { TradeStep } from "./table-step.ts";
import type { AnyOrder } from "./trade-order.ts";

/** Time for which bytes are kept after the last time at which they could be used, in case a chain is down for days. */
const keptSeconds = 7 * 86_400;

/** Computes when the bytes of a transaction may be deleted, in seconds. */
export const bytesExpireAt = ({ validUntil }: IntentTerms, nowMs: number): number =>
  Math.max(validUntil, Math.ceil(nowMs / 1000)) + keptSeconds;

type ReadForSigning<F extends FamilyTypes> = {
  nowMs: number;
  view: SigningView<F>;
  /** True if the MAC over the claimed intent is valid. `objectionToOwner` requires that it is the stored intent. */
  isGenuine: boolean;
};

/** Reads the clock before it reads the table, so that a signature counts on the day whose count was read. */
export function* readForSigning<F extends FamilyTypes>(
  request: SignRequest<F>,
): Procedure<ReadForSigning<F>> {
  const nowMs = yield* perform({ do: "now" });
  const { isClaimGenuine = false, ...view } = yield* perform<"readSigning", F>({
    do: "readSigning",
    request,
    day: dayOf(nowMs),
  });
  const { order } = view;
  if (request.claimed !== undefined || order === undefined) return { nowMs, view, isGenuine: isClaimGenuine };
  // During a deployment, runs of an earlier version claim nothing.
  const isGenuine = yield* perform({ do: "checkMac", intent: order.intent, mac: order.mac });
  return { nowMs, view, isGenuine };
}

/** Builds the condition that an item is unchanged since it was read. */
export const revisionOf = (item: { revision: number } | undefined) =>
  item === undefined ? "absent" : { revision: item.revision };

/**
 * Builds the condition that a slot is unchanged since it was read. Names the order, because another order's slot may
 * have taken the same place meanwhile, with the same revision.
 */
export const unchangedSlot = (slot: Pick<SlotTerms, "orderId" | "revision"> | undefined) =>
  slot === undefined ? "absent" : { orderId: slot.orderId, revision: slot.revision };

/**
 * Builds the conditions under which a signature that can fill an order is written. Cancellations write their own items,
 * retiring a wallet writes the wallet, and the user writes the policy. The signer's step conflicts with each of these
 * writes, so only one of them succeeds.
 */
export const checksOfFill = (
  order: AnyOrder,
  { limits: { stored }, cutoffs }: Pick<SigningView, "limits" | "cutoffs">,
): TradeStep => {
  const { chain, wallet, userID, orderId, parent } = order.intent;
  // A child also ends with its resting order. The cutoffs of both are the same items.
  const ids = [orderId, ...(parent ? [parent.orderId] : [])];
  return [
    { kind: "check", of: "order", item: order, when: { revision: order.revision } },
    { kind: "check", of: "wallet", item: { chain, wallet, userID }, when: { retiredAt: undefined } },
    ...ids.map(
      (each) =>
        ({ kind: "check", of: "cancellation", item: { userID, orderId: each }, when: "absent" }) as const,
    ),
    ...unchangedCutoffs(order.intent, cutoffs),
    { kind: "check", of: "policy", item: { chain, wallet, userID }, when: revisionOf(stored) },
  ];
};
