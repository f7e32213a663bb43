import { hasEnded, type TradeOrder } from "./trade-order.ts";
import { type BuyRules, type Limits, rulesAt } from "./wallet-policy.ts";

/** What an order will spend at most, in units: network fees included. */
export const needsOf = ({
  intent: { side },
  quoted,
  amount,
}: Pick<TradeOrder, "intent" | "quoted" | "amount">): { coins: bigint; tokens: bigint } =>
  side === "buy"
    ? { coins: amount + quoted.networkFee, tokens: 0n }
    : { coins: quoted.networkFee, tokens: amount };

/** What a wallet's open orders will spend at most: coins, and units of each token by its address. */
export function reservedBy(orders: readonly TradeOrder[]): { coins: bigint; tokens: Map<string, bigint> } {
  const tokens = new Map<string, bigint>();
  let coins = 0n;
  for (const order of orders.filter((each) => !hasEnded(each))) {
    const needs = needsOf(order);
    coins += needs.coins;
    const { token } = order.intent;
    if (needs.tokens > 0n) tokens.set(token, (tokens.get(token) ?? 0n) + needs.tokens);
  }
  return { coins, tokens };
}

/**
 * What decides about a user's next buy, which comes after those of their open buys that are not signed yet.
 *
 * @param orders Of the wallet, those of other users too.
 */
export function buyRulesBeside(
  limits: Limits,
  orders: readonly TradeOrder[],
  userID: string,
  nowMs: number,
): BuyRules {
  const { policy, spent } = rulesAt(limits, nowMs);
  const planned = orders.filter(
    ({ intent, life }) =>
      intent.userID === userID &&
      intent.side === "buy" &&
      life.status === "open" &&
      !signedStages.includes(life.stage) &&
      // Its signature may not be noted with the order yet.
      intent.orderId !== limits.count?.newestOrderId,
  );
  return { policy, spent: planned.reduce((sum, { intent }) => sum + intent.amount, spent) };
}

/** Of an order whose swap is signed. */
const signedStages: readonly string[] = ["sent", "cancelling"];
