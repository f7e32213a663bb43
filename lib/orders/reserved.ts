import type { CoinUnits, TokenUnits } from "../core/units.ts";
import type { KeyRules, ProgramFacts } from "./program-limits.ts";
import { type AnyOrder, hasEnded } from "./trade-order.ts";
import {
  addedBy,
  type DayFeeLimits,
  type DaySpend,
  type Limits,
  type OrderRules,
  rulesAt,
  signedOn,
} from "./wallet-policy.ts";

type Planned = Pick<AnyOrder, "intent" | "quoted" | "amount">;

/** Computes the most coin that an order may spend, including network fees. */
const coinsOf = ({ intent, quoted, amount }: Planned): CoinUnits =>
  addedBy(intent.side, amount, quoted.networkFee);

/** Computes the most that an order can add to the day's count of network fees. */
const feesOf = ({ quoted }: Planned): CoinUnits => quoted.networkFee + (quoted.stayingRents ?? 0n);

/** Computes the most coin that an order can need: its amount, and deposits for new accounts. */
const needsOf = (order: Planned): { coins: CoinUnits; tokens: TokenUnits } => ({
  coins: coinsOf(order) + (order.quoted.rents ?? 0n),
  tokens: order.intent.side === "buy" ? 0n : order.amount,
});

/** Sums up the most that a wallet's open orders need: coins, and tokens by their addresses. */
export function reservedBy(orders: readonly AnyOrder[]): {
  coins: CoinUnits;
  tokens: Map<string, TokenUnits>;
} {
  const tokens = new Map<string, TokenUnits>();
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
 * Returns the rules for a user's next order. They count the user's open orders whose swap is not signed, including
 * their fees. A signed approval counts twice until the swap is signed, so the sum is never too low.
 *
 * @param orders The wallet's orders, including those of other users.
 */
export function rulesBeside(
  limits: Limits,
  orders: readonly AnyOrder[],
  { userID, nowMs, chainLimits }: { userID: string; nowMs: number; chainLimits: DayFeeLimits },
): OrderRules {
  const { policy, spent, fees } = rulesAt(limits, nowMs, chainLimits);
  const planned = unsignedOf(userID, orders, limits.count);
  return {
    policy,
    spent: planned.reduce((sum, order) => sum + coinsOf(order), spent),
    fees: { ...fees, counted: planned.reduce((sum, order) => sum + feesOf(order), fees.counted) },
  };
}

/**
 * Returns the rules for a program's next order. They count its key's open orders of the wallet whose swap is not signed.
 * Undefined for an order of a user.
 */
export function keyRulesBeside(
  program: ProgramFacts | undefined,
  orders: readonly AnyOrder[],
  { by, userID, wallet, nowMs }: { by?: string | undefined; userID: string; wallet: string; nowMs: number },
): KeyRules | undefined {
  if (by === undefined) return undefined;
  const { key, count } = program ?? {};
  const planned = unsignedOf(userID, orders, count).filter(({ intent }) => intent.by === by);
  const { spent } = signedOn(count, nowMs);
  return { key, wallet, spent: planned.reduce((sum, order) => sum + coinsOf(order), spent), nowMs };
}

/** Lists a user's open orders whose swap is not signed. */
const unsignedOf = (userID: string, orders: readonly AnyOrder[], count: DaySpend | undefined): AnyOrder[] =>
  orders.filter(
    ({ intent, life }) =>
      intent.userID === userID &&
      life.status === "open" &&
      !signedStages.includes(life.stage) &&
      // The day's count may already include this order although the order does not record its signature yet.
      intent.orderId !== count?.newestOrderId,
  );

/** Stages of an order whose swap is signed. */
const signedStages: readonly string[] = ["sent", "cancelling"];
