import type { Objection, SigningView, SignRequest } from "./effects.ts";
import type { IntentTerms } from "./intent.ts";
import { longestValidSeconds } from "./intent.ts";
import { hasEnded } from "./trade-order.ts";

/** Objects to a request that the signer will never sign. */
export const refused = (reason: string): Objection => ({ refused: reason });

/** Objects to a request that the signer may sign when asked again. */
export const later = (reason: string): Objection => ({ later: reason });

/** Returns the objection to a request about another order than the intent's. */
export const objectionToOwner = (
  { orderId, userID, chain, wallet }: SignRequest,
  intent: IntentTerms,
): Objection | undefined =>
  intent.orderId === orderId && intent.userID === userID && intent.chain === chain && intent.wallet === wallet
    ? undefined
    : refused("the intent is of another order, user or wallet");

/** Returns why nothing that can fill the order may be signed now. */
export function objectionToState(
  { order, isRetired, isStopped, isCancelled }: Omit<SigningView, "chainLimits">,
  nowMs: number,
): Objection | undefined {
  if (order === undefined || nowMs >= order.intent.validUntil * 1000) return later("the order is too old");
  // Keeps the order instead of rejecting it, because the clock may be behind.
  if (order.intent.validUntil * 1000 > nowMs + longestValidSeconds * 1000)
    return later("the deadline is too far away");
  if (isStopped) return later("trading is stopped");
  if (isRetired) return later("the wallet is retired");
  if (isCancelled || hasEnded(order) || order.isCancelling) return later("the order has ended");
  return undefined;
}
