import { isCutOff } from "./cutoffs.ts";
import type { Objection, SigningView, SignRequest } from "./effects.ts";
import { clocksApartMs, longestValidSeconds, termsText } from "./intent.ts";
import { type AnyOrder, hasEnded } from "./trade-order.ts";

/** Refuses a request for good: the signer will never sign it. */
export const refused = (reason: string): Objection => ({ refused: reason });

/** Refuses a request for now: the signer may sign it when asked again. */
export const later = (reason: string): Objection => ({ later: reason });

/** Returns the reason to refuse a request that names, or claims, a different order from the stored one. */
export function objectionToOwner(
  { orderId, userID, chain, wallet, claimed }: SignRequest,
  { intent, mac }: Pick<AnyOrder, "intent" | "mac">,
): Objection | undefined {
  const isOwn =
    intent.orderId === orderId &&
    intent.userID === userID &&
    intent.chain === chain &&
    intent.wallet === wallet;
  if (!isOwn) return refused("the intent is of another order, user or wallet");
  if (claimed === undefined) return undefined;
  return claimed.mac === mac && termsText(claimed.intent) === termsText(intent)
    ? undefined
    : refused("the intent is not the stored one");
}

/** Returns the reason why no transaction that can fill the order may be signed now. */
export function objectionToState(
  { order, isRetired, isStopped, isCancelled, cutoffs }: Omit<SigningView, "chainLimits">,
  nowMs: number,
): Objection | undefined {
  if (order === undefined || nowMs >= order.intent.validUntil * 1000) return later("the order is too old");
  // Refuses only for now, because the clock may be behind. The order is not rejected.
  if (order.intent.validUntil * 1000 > nowMs + longestValidSeconds * 1000)
    return later("the deadline is too far away");
  if ((order.intent.createdAt ?? 0) > nowMs + clocksApartMs) return later("the order is from the future");
  if (order.yields) return later("the order makes way for a stop");
  if (isStopped) return later("trading is stopped");
  if (isRetired) return later("the wallet is retired");
  if (isCancelled || isCutOff(order.intent, cutoffs) || hasEnded(order) || order.isCancelling)
    return later("the order has ended");
  return undefined;
}
