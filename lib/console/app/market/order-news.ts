import type { Order } from "trading-terminal-client";
import { hasFill } from "../fills-csv.ts";
import { isOpen, pairUnits, words } from "../format.ts";
import { shortSymbol } from "../ticket/sentence.ts";
import { fillText } from "./bars.ts";

/** Outcome of an order: its fill, or the reason why there is none. */
export type OrderNews = { order: Order; text: string; kind: "good" | "bad" };

/** Reasons for ends that the user has caused, or that follow from another order, which has news of its own. */
const expected: readonly (string | undefined)[] = [
  "CANCELLED_BY_USER",
  "PARENT_NOT_FILLED",
  "POSITION_CLOSED",
  "REPLACED",
  "YIELDED",
];

/** Says that an order has ended without a fill, and why. */
function failureOf(order: Order): string {
  const { side, type, status, reason, reasonCode } = order;
  const kind = type === "market" ? "" : `${words(type)} `;
  const name = `The ${kind}${side === "buy" ? "buy" : "sale"} of ${shortSymbol(pairUnits(order).base)}`;
  const end = status === "rejected" ? "failed" : status === "expired" ? "has expired" : "was cancelled";
  const why = reason ?? (reasonCode === undefined ? "" : words(reasonCode));
  return `${name} ${end}${why && `: ${why.charAt(0).toLowerCase()}${why.slice(1)}`}. Nothing was traded.`;
}

function newsOf(order: Order): OrderNews | undefined {
  if (isOpen(order)) return undefined;
  if (hasFill(order)) return { order, text: fillText(order), kind: "good" };
  // A resting order that has filled leaves the news to its child.
  if (order.status === "filled" || Number(order.filledAmount) > 0) return undefined;
  return expected.includes(order.reasonCode) ? undefined : { order, text: failureOf(order), kind: "bad" };
}

/** Fills the ticket for a market order once more. Undefined for other orders. */
export function sameTrade({ chain, side, type, token, wallet, percent, amount }: Order) {
  if (type !== "market" || token === undefined) return undefined;
  const isPart = percent !== undefined;
  return {
    chain,
    side,
    token,
    wallet,
    given: isPart ? `${percent}` : amount,
    unit: isPart ? "percent" : "amount",
  } as const;
}

/**
 * Makes a function that takes the user's orders after each change, and returns the outcome of each order that ended
 * since the first call, once. A fill that is undone and comes again with another block is no news.
 */
export function makeOrderNews(): (orders: readonly Order[]) => OrderNews[] {
  let atFirst: { ids: ReadonlySet<string>; newest: string } | undefined;
  const reported = new Set<string>();
  return (orders) => {
    const news = orders
      .filter(({ orderId }) => !reported.has(orderId))
      .map(newsOf)
      .filter((each) => each !== undefined);
    for (const { order } of news) reported.add(order.orderId);
    if (atFirst === undefined) {
      const newest =
        orders
          .map(({ createdAt }) => createdAt)
          .sort()
          .at(-1) ?? "";
      atFirst = { ids: new Set(orders.map(({ orderId }) => orderId)), newest };
      return [];
    }
    const { ids, newest } = atFirst;
    // Leaves out an order of long ago, which the stream has only since it changed again.
    return news.filter(({ order: { orderId, createdAt } }) => ids.has(orderId) || createdAt > newest);
  };
}
