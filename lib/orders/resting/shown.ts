import { chainFacts } from "../../core/chain-facts.ts";
import { coinText, formatAmount, formatPrice } from "../decimal-text.ts";
import type { Order } from "../execution.ts";
import { type Life, reasonText } from "../trade-order.ts";
import { nativeToken, storedNames } from "../trading-chain.ts";
import { shownAttention } from "./attention.ts";
import { type RestingOrder, stageOf } from "./life.ts";
import type { Leg } from "./mandate.ts";
import { priceText, type Ratio } from "./prices.ts";
import type { StoredResting } from "./stored.ts";

/** Returns the status that clients see. */
export function statusOf({ state, end }: RestingOrder): Life["status"] {
  return state === "filled" || (state === "done" && end === undefined) ? "filled" : (end?.status ?? "open");
}

/** Returns a resting order as clients and streams see it. Its children are orders of their own. */
export function shownResting(order: StoredResting): Order {
  const { mandate, placed, facts, state, end, firings, version, updatedAt } = order;
  const { chain, side, token } = mandate;
  const ofCoin = chainFacts[chain].coin.decimals;
  const [inDecimals, outDecimals] = side === "buy" ? [ofCoin, placed.decimals] : [placed.decimals, ofCoin];
  const { spent = 0n, received, txHash } = facts.fill ?? {};
  const [coins, tokens] = side === "buy" ? [spent, received] : [received, spent];
  const [newest] = firings;
  return {
    orderId: mandate.orderId,
    clientOrderId: placed.clientOrderId,
    wallet: mandate.wallet,
    chain,
    ...storedNames(chain, placed),
    token,
    side,
    ...termsOf(order),
    status: statusOf(order),
    stage: stageOf(order),
    settled: state === "done",
    amount: formatAmount(mandate.amount, inDecimals),
    amountToken: side === "buy" ? nativeToken : token,
    ...(placed.percent !== undefined && { percent: placed.percent }),
    filledAmount: formatAmount(spent, inDecimals),
    ...(received !== undefined && { receivedAmount: formatAmount(received, outDecimals) }),
    ...(coins && tokens && { averagePrice: formatPrice(chain, coins, tokens, placed.decimals) }),
    ...(placed.slippage !== undefined && { slippage: placed.slippage }),
    expiresAt: new Date(mandate.expiresAt * 1000).toISOString(),
    maxNetworkFee: coinText(chain, mandate.feesLimit + mandate.feesStop),
    feesSpent: {
      limit: coinText(chain, facts.feesSpent.limit),
      stop: coinText(chain, facts.feesSpent.stop),
    },
    networkFee: coinText(chain, facts.networkFee),
    ...(txHash !== undefined && { txHash }),
    ...(newest !== undefined && { childOrderId: newest.orderId }),
    // Whatever kept an order from firing is over once it has filled or ended.
    attention: statusOf(order) === "open" ? shownAttention(order.attention) : [],
    ...(end && { reason: reasonText[end.reasonCode], reasonCode: end.reasonCode }),
    createdAt: placed.createdAt,
    updatedAt,
    version,
  };
}

/** Shows the prices as they were given, in whole coins for one whole token. */
function termsOf({ mandate, placed }: StoredResting): Pick<Order, "type"> & Partial<Order> {
  const text = (price: Ratio) => priceText(mandate.chain, price, placed.decimals);
  const [first, second] = mandate.legs;
  const stop = (leg: Leg) =>
    leg.kind === "stop" ? { stopPrice: text(leg.trigger), price: text(leg.worst) } : undefined;
  if (first?.kind === "stop") return { type: "stop", ...stop(first) };
  const limit = first && { price: text(first.price) };
  return second === undefined
    ? { type: "limit", ...limit }
    : { type: "oco", takeProfit: limit, stopLoss: stop(second) };
}
