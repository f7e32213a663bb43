import * as v from "valibot";
import { tradingChains } from "../../core/chain-facts.ts";
import { isOwnId } from "../../core/record-ids.ts";
import { listOf, text } from "../schema-parts.ts";
import { isPausing } from "./backoff.ts";
import type { RestingOrder } from "./life.ts";
import { triggerTimes } from "./times.ts";
import type { FireWord } from "./watched-orders.ts";

/** Maximum number of orders that are handed over to fireOrders at once. */
export const mostHandedOver = 48;

/** Orders of one token whose prices may be reached, or whose children are out. All of it is a hint. */
export const fireRequest = v.strictObject({
  chain: v.picklist(tradingChains),
  token: text,
  orders: listOf(
    v.strictObject({ orderId: v.pipe(v.string(), v.check(isOwnId)), userID: text, wallet: text }),
    mostHandedOver,
  ),
});

export type FireRequest = v.InferOutput<typeof fireRequest>;

/** The words about the orders, by their ids. */
export type FireAnswer = Readonly<Record<string, FireWord>>;

/**
 * Says whether a child of an order may fill, and when to hand the order over again.
 *
 * @param order Undefined if it rests no more.
 */
export function wordOf(order: RestingOrder | undefined, nowMs: number): FireWord {
  const { againMs, handOverMs } = triggerTimes;
  if (order === undefined || order.state === "done") return { state: "rest", askAgainMs: againMs.ended };
  if (order.state !== "resting") return { state: "out", askAgainMs: againMs[order.state] };
  if (order.seen !== undefined) return { state: "rest", askAgainMs: againMs.reading };
  const pauses = order.legs.map((leg) => (isPausing(leg, nowMs) ? leg.nextAtMs - nowMs : 0));
  return { state: "rest", askAgainMs: Math.max(handOverMs.first, Math.min(...pauses)) };
}
