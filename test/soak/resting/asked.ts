import { chainFacts, type TradingChain } from "../../../lib/core/chain-facts.ts";
import type { Order } from "../../../lib/orders/execution.ts";
import type { SentOrder } from "../trade/traders.ts";

/** An exact price: units of the coin for units of the token. */
export type Price = { coins: bigint; tokens: bigint };

export type AskedLeg = {
  name: "limit" | "stop" | "takeProfit" | "stopLoss";
  isStop: boolean;
  /** Price at which the leg fires. */
  at: Price;
  /** Worst price at which it may fill. */
  worst: Price;
};

/** A resting order as its user asked for it. */
export type Asked = {
  orderId: string;
  userID: string;
  chain: TradingChain;
  wallet: string;
  token: string;
  side: Order["side"];
  /** Units of the coin for buys, and of the token for sales. */
  amount: bigint;
  legs: readonly AskedLeg[];
  createdAtMs: number;
  expiresAtMs: number;
  /** Time of the first request to cancel it. */
  cancelledAtMs?: number;
};

type Stop = { stopPrice: string; price?: string };
type Terms = Stop & {
  type: string;
  price: string;
  amount: string;
  takeProfit: { price: string };
  stopLoss: Stop;
};

/** Reads a request that placed an order, with the id and the times of the answer. */
export function askedOf(
  userID: string,
  { wallet: { chain, address }, body }: SentOrder,
  { orderId, createdAt, expiresAt = "" }: Order,
  decimals: number,
): Asked {
  const terms = body as unknown as Terms;
  const side = body.side as Order["side"];
  const coinDecimals = chainFacts[chain].coin.decimals;
  const price = (text: string): Price => {
    const [digits, places] = digitsOf(text);
    return { coins: digits * 10n ** BigInt(coinDecimals), tokens: 10n ** BigInt(places + decimals) };
  };
  const limit = (name: AskedLeg["name"], text: string): AskedLeg => ({
    name,
    isStop: false,
    at: price(text),
    worst: price(text),
  });
  const stop = (name: AskedLeg["name"], { stopPrice, price: least }: Stop): AskedLeg => {
    const at = price(stopPrice);
    // A stop sells for 0.8 of its price at least, unless the request says otherwise.
    const worst = least === undefined ? { coins: at.coins * 8n, tokens: at.tokens * 10n } : price(least);
    return { name, isStop: true, at, worst };
  };
  const legs =
    terms.type === "oco"
      ? [limit("takeProfit", terms.takeProfit.price), stop("stopLoss", terms.stopLoss)]
      : [terms.type === "limit" ? limit("limit", terms.price) : stop("stop", terms)];
  const [digits, places] = digitsOf(terms.amount);
  return {
    orderId,
    userID,
    chain,
    wallet: address,
    token: body.token as string,
    side,
    amount: digits * 10n ** BigInt((side === "buy" ? coinDecimals : decimals) - places),
    legs,
    createdAtMs: Date.parse(createdAt),
    expiresAtMs: Date.parse(expiresAt),
  };
}

function digitsOf(text: string): [digits: bigint, places: number] {
  const [whole = "0", places = ""] = text.split(".");
  return [BigInt(whole + places), places.length];
}

/** True if a fill respects a price to the last unit. */
export const respects = (
  side: Order["side"],
  { coins, tokens }: Price,
  { spent, received }: { spent: bigint; received: bigint },
): boolean => (side === "sell" ? received * tokens >= spent * coins : received * coins >= spent * tokens);

/** True if the price of an amount reaches a leg's, with a margin as a share of it. A negative one is a tolerance. */
export function isReached(
  { side, amount }: Pick<Asked, "side" | "amount">,
  { isStop, at }: AskedLeg,
  out: number,
  margin: number,
): boolean {
  if (out === 0) return false;
  const price = side === "sell" ? out / Number(amount) : Number(amount) / out;
  const ratio = price / (Number(at.coins) / Number(at.tokens));
  return isStop || side === "buy" ? ratio <= 1 - margin : ratio >= 1 + margin;
}
