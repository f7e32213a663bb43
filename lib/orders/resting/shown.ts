import { coinText, formatPrice } from "../decimal-text.ts";
import type { Order } from "../execution.ts";
import { percentFrom } from "../percent.ts";
import { type Life, shownAlike } from "../trade-order.ts";
import { shownAttention } from "./attention.ts";
import { type RestingOrder, stageOf } from "./life.ts";
import type { Leg } from "./mandate.ts";
import { priceText, type Ratio } from "./prices.ts";
import type { StoredResting } from "./stored.ts";
import { trailedBy } from "./trailing.ts";

/** Returns the status that clients see. */
export function statusOf({ state, end }: RestingOrder): Life["status"] {
  return state === "filled" || (state === "done" && end === undefined) ? "filled" : (end?.status ?? "open");
}

/** Returns a resting order as clients and streams see it. Its children are orders of their own. */
export function shownResting(order: StoredResting): Order {
  const { mandate, placed, facts, state, end, firings, version, updatedAt } = order;
  const { chain, amount, feesLimit, feesStop } = mandate;
  const { networkFee, feesSpent, fill = { spent: 0n } } = facts;
  const [newest] = firings;
  return {
    ...shownAlike(mandate, placed, { ...fill, amount, networkFee, reasonCode: end?.reasonCode }),
    ...termsOf(order),
    status: statusOf(order),
    stage: stageOf(order),
    settled: state === "done",
    expiresAt: new Date(mandate.expiresAt * 1000).toISOString(),
    maxNetworkFee: coinText(chain, feesLimit + feesStop),
    feesSpent: { limit: coinText(chain, feesSpent.limit), stop: coinText(chain, feesSpent.stop) },
    ...(newest !== undefined && { childOrderId: newest.orderId }),
    // Nothing keeps an order from firing any more once it has filled or ended.
    attention: statusOf(order) === "open" ? shownAttention(order.attention) : [],
    updatedAt,
    version,
  };
}

/** Shows the prices as they were given, in whole coins for one whole token, and marks to 18 digits. */
function termsOf({ mandate, mark, placed }: StoredResting): Pick<Order, "type"> & Partial<Order> {
  const { chain } = mandate;
  const { decimals } = placed;
  const text = (price: Ratio) => priceText(chain, price, decimals);
  const [first, second] = mandate.legs;
  const stop = (leg: Leg) =>
    leg.kind === "stop" ? { stopPrice: text(leg.trigger), price: text(leg.worst) } : undefined;
  if (first?.kind === "stop") return { type: "stop", ...stop(first) };
  if (first?.kind === "trailing") {
    const { trailPpm, worst } = first;
    const rounded = ({ coins, tokens }: Ratio) => formatPrice(chain, coins, tokens, decimals);
    const at = mark && { mark: rounded(mark.price), stopPrice: rounded(trailedBy(mark.price, trailPpm)) };
    return {
      type: "trailing_stop",
      price: text(worst),
      ...(at && { trailing: { trailPercent: percentFrom(trailPpm), ...at } }),
    };
  }
  const limit = first && { price: text(first.price) };
  return second === undefined
    ? { type: "limit", ...limit }
    : { type: "oco", takeProfit: limit, stopLoss: stop(second) };
}
