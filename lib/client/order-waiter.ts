import { type Clock, limitsOf, type WaitLimits } from "./clock.ts";
import type { RestCalls } from "./methods.ts";
import type { Order, Stream } from "./stream-types.ts";

export type OrderWait = WaitLimits & {
  /**
   * `filled`: until the order has ended, with or without a fill. `settled`, the default: until that is final on chain, which
   * takes up to a quarter of an hour.
   */
  until?: "filled" | "settled";
};

type Deps = { calls: Pick<RestCalls, "getOrder">; follow: () => Stream; clock: Clock };

/** Waits for orders. All that wait at the same time share a stream. */
export class OrderWaiter {
  readonly #deps: Deps;
  #stream: Stream | undefined;
  #waiting = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Rejects if the user has no such order, and when a limit is reached. */
  async wait(orderId: string, { until = "settled", ...wanted }: OrderWait): Promise<Order> {
    this.#stream ??= this.#deps.follow();
    const stream = this.#stream;
    this.#waiting++;
    const limits = limitsOf(this.#deps.clock, wanted);
    const { signal } = limits;
    const hasEnded = (order: Order) =>
      order.orderId === orderId &&
      order.status !== "open" &&
      order.status !== "partially_filled" &&
      // Other engines need not say what is final.
      (until === "filled" || order.settled !== false);
    try {
      const isKnown = await stream.until(
        ({ orders }) => ({ is: orders.some((order) => order.orderId === orderId) }),
        { signal },
      );
      const older = isKnown.is ? undefined : await this.#older(orderId, signal);
      if (older !== undefined && hasEnded(older)) return older;
      return await stream.until(({ orders }) => orders.find(hasEnded), { signal });
    } finally {
      limits.end();
      if (--this.#waiting === 0) {
        stream.close();
        this.#stream = undefined;
      }
    }
  }

  /** Reads an order that is not among those of the last week. Undefined if that fails for now. */
  async #older(orderId: string, signal: AbortSignal): Promise<Order | undefined> {
    const { data, error } = await this.#deps.calls.getOrder({ path: { orderId }, signal });
    if (error?.code === "ORDER_NOT_FOUND") throw new Error(error.message, { cause: error });
    return data?.order;
  }
}
