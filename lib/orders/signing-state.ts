import type { Objection, SigningView, SignRequest } from "./effects.ts";
import type { IntentTerms } from "./intent.ts";
import { longestValidSeconds } from "./intent.ts";
import { hasEnded } from "./trade-order.ts";

/** The signer never signs it. */
export const refused = (reason: string): Objection => ({ refused: reason });

/** The signer may sign it when asked again. */
export const later = (reason: string): Objection => ({ later: reason });

/** Returns the objection to a request about another order than the intent's. */
export const objectionToOwner = (
  { orderId, userID, chain, wallet }: SignRequest,
  intent: IntentTerms,
): Objection | undefined =>
  intent.orderId === orderId && intent.userID === userID && intent.chain === chain && intent.wallet === wallet
    ? undefined
    : refused("the intent is of another order, user or wallet");

/** Returns the reason why nothing may be signed now that can fill the order. */
export function objectionToState(
  { order, isRetired, isStopped, isCancelled }: Omit<SigningView, "chainLimits">,
  nowMs: number,
): Objection | undefined {
  if (order === undefined || nowMs >= order.intent.validUntil * 1000) return later("the order is too old");
  // Does not reject the order, because the clock may be behind.
  if (order.intent.validUntil * 1000 > nowMs + longestValidSeconds * 1000)
    return later("the deadline is too far away");
  if (isStopped) return later("trading is stopped");
  if (isRetired) return later("the wallet is retired");
  if (isCancelled || hasEnded(order) || order.isCancelling) return later("the order has ended");
  return undefined;
}
