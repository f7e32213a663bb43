import type { Order } from "trading-terminal-client";
import { hasFill } from "../fills-csv.ts";
import { isOpen } from "../format.ts";
import { fillText } from "./bars.ts";

/**
 * Makes a function that takes the user's orders after each change, and returns what has been bought and sold since the
 * first call, each fill once. A fill can be undone and come again with another block, which is no news.
 */
export function makeFillNews(): (orders: readonly Order[]) => string[] {
  let atFirst: { ids: ReadonlySet<string>; newest: string } | undefined;
  const reported = new Set<string>();
  return (orders) => {
    const filled = orders.filter((order) => hasFill(order) && !isOpen(order) && !reported.has(order.orderId));
    for (const { orderId } of filled) reported.add(orderId);
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
    return filled.filter(({ orderId, createdAt }) => ids.has(orderId) || createdAt > newest).map(fillText);
  };
}
