import type { TradingChain } from "../../core/chain-facts.ts";
import type { LaneView } from "../../orders/effects.ts";
import type { ReasonCode } from "../../orders/execution.ts";
import type { SlotTerms } from "../../orders/family.ts";
import type { TradeStep } from "../../orders/table-step.ts";
import type { AnyOrder } from "../../orders/trade-order.ts";

/** Time from an order's request until a host or a relay first accepted one of its transactions. */
export type Broadcast = { chain: TradingChain; broadcastMs: number };

/** Reasons for which an order waits although its user can do nothing about it. */
const ownReasons: ReadonlySet<ReasonCode> = new Set(["CHAIN_UNAVAILABLE", "RELAY_UNAVAILABLE"]);

/** Finds a run's writes that first record that a transaction of an order was sent. */
export class FirstBroadcasts {
  /** Orders that were sent before, or that wait or waited for something like cheaper gas or a higher balance. */
  readonly #uncounted = new Set<string>();

  /** Notes what the table had before this run's writes. */
  see({ orders, slots }: Pick<LaneView, "orders" | "slots">): void {
    for (const slot of slots) if (sentAtMs(slot) !== undefined) this.#uncounted.add(slot.orderId);
    for (const order of orders) this.#seeWaiting(order);
  }

  /** Returns the broadcasts of a step that was written. Each order has one, so a transaction that replaces another has none. */
  in(step: TradeStep): Broadcast[] {
    const puts = step.filter((write) => write.kind === "put");
    const sent = puts.flatMap((put) => {
      const ms = put.of === "slot" ? sentAtMs(put.item) : undefined;
      return put.of !== "slot" || ms === undefined ? [] : [{ orderId: put.item.orderId, ms }];
    });
    return puts.flatMap((put): Broadcast[] => {
      if (put.of !== "order") return [];
      const { intent, placed } = put.item;
      this.#seeWaiting(put.item);
      const ms = sent.find(({ orderId }) => orderId === intent.orderId)?.ms;
      if (ms === undefined || this.#uncounted.has(intent.orderId)) return [];
      this.#uncounted.add(intent.orderId);
      return [{ chain: intent.chain, broadcastMs: Math.max(0, ms - Date.parse(placed.createdAt)) }];
    });
  }

  #seeWaiting({ intent, life }: AnyOrder): void {
    if (life.reasonCode !== undefined && !ownReasons.has(life.reasonCode))
      this.#uncounted.add(intent.orderId);
  }
}

/** Returns when the first attempt that can fill the order was sent. */
const sentAtMs = ({ attempts }: SlotTerms): number | undefined =>
  attempts.find((attempt) => attempt.purpose !== "clear" && attempt.sentAtMs !== undefined)?.sentAtMs;
