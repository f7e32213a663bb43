import * as v from "valibot";
import { tradingChains } from "../../core/chain-facts.ts";
import { isOwnId } from "../../core/record-ids.ts";
import { listOf, text } from "../schema-parts.ts";
import { isPausing } from "./backoff.ts";
import type { StoredResting } from "./stored.ts";
import { triggerTimes } from "./times.ts";
import { mostHandedOver } from "./turns.ts";
import type { FireWord } from "./watched-orders.ts";

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

/** Words about the orders, by id. */
export type FireAnswer = Readonly<Record<string, FireWord>>;

/**
 * Says whether a child of an order may fill, and when to hand the order over again.
 *
 * @param order Undefined if it rests no more.
 * @param isWaiting True if the order would have fired if another one of its wallet or token had not been first. It is
 * handed over again soon, or a wallet's last stop in a crash would come as many pauses late as there are others.
 */
export function wordOf(order: StoredResting | undefined, nowMs: number, isWaiting = false): FireWord {
  const { againMs, handOverMs } = triggerTimes;
  if (order === undefined || order.state === "done") return { state: "rest", askAgainMs: againMs.done };
  if (order.state === "firing") return { state: "out", askAgainMs: againMs.firing };
  if (order.state === "filled") return { state: "out", askAgainMs: untilFinalMs(order, nowMs) };
  if (order.state === "ended") return { state: "rest", askAgainMs: untilFinalMs(order, nowMs) };
  if (order.state === "pending") return { state: "rest", askAgainMs: againMs.firing };
  const lookAgainMs = order.entry?.isFinal === false ? untilFinalMs(order, nowMs) : againMs.done;
  const again = order.entry && { lookAgainMs };
  if (order.state === "suspended") return { state: "rest", askAgainMs: lookAgainMs };
  const readMs = Math.max(order.seen?.lastMs ?? 0, order.rise?.seen.lastMs ?? 0);
  if (isWaiting || nowMs - readMs <= triggerTimes.readingGapMs)
    return { state: "rest", askAgainMs: againMs.reading, ...again };
  const pauses = order.legs.map((leg) => (isPausing(leg, nowMs) ? leg.nextAtMs - nowMs : 0));
  return { state: "rest", askAgainMs: Math.max(handOverMs.first, Math.min(...pauses)), ...again };
}

/** Doubles the pauses since a fill or an end: chains are final after seconds, or after minutes. */
function untilFinalMs({ updatedAt }: StoredResting, nowMs: number): number {
  const { first, most } = triggerTimes.againMs.settling;
  return Math.min(most, Math.max(first, nowMs - Date.parse(updatedAt)));
}
