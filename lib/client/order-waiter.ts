import { type Clock, limitsOf, type WaitLimits } from "./clock.ts";
import type { RestCalls } from "./methods.ts";
import type { Order, Stream } from "./stream-types.ts";

export type OrderWait = WaitLimits & {
  /**
   * `filled` waits until the order has ended, whether it was filled or not. `settled`, the default, waits until the
   * order's end is final on chain, which takes up to 15 minutes.
   */
  until?: "filled" | "settled";
};

type Deps = { calls: Pick<RestCalls, "getOrder">; follow: () => Stream; clock: Clock };

/**
 * Makes a function that waits for orders. Calls at the same time share one stream. A call rejects if the user has no
 * such order, or when one of its limits is reached.
 */
export function orderWaiter({ calls, follow, clock }: Deps) {
  let shared: Stream | undefined;
  let waiting = 0;
  return async (orderId: string, { until = "settled", ...wanted }: OrderWait = {}): Promise<Order> => {
    shared ??= follow();
    const stream = shared;
    waiting++;
    const { signal, end } = limitsOf(clock, wanted);
    const hasEnded = (order: Order) =>
      order.orderId === orderId &&
      order.status !== "open" &&
      order.status !== "partially_filled" &&
      // Orders of other trading engines have no stages and need not report finality.
      (until === "filled" || (order.settled ?? order.stage === undefined));
    try {
      // The stream lacks orders that ended more than a week ago.
      const { data, error } = await calls.getOrder({ path: { orderId }, signal });
      if (error?.code === "ORDER_NOT_FOUND") throw new Error(error.message, { cause: error });
      if (data && hasEnded(data.order)) return data.order;
      return await stream.until(({ orders }) => orders.find(hasEnded), { signal });
    } finally {
      end();
      if (--waiting === 0) {
        stream.close();
        shared = undefined;
      }
    }
  };
}
