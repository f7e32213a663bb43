import * as v from "valibot";
import { tradingChains } from "../../core/chain-facts.ts";
import { isOwnId } from "../../core/record-ids.ts";
import { listOf, text } from "../schema-parts.ts";
import { isPausing } from "./backoff.ts";
import { nextDueAt } from "./slices.ts";
import type { StoredResting } from "./stored.ts";
import { triggerTimes } from "./times.ts";
import { mostHandedOver } from "./turns.ts";
import type { FireWord } from "./watched-orders.ts";

/** Orders of one token whose prices may be reached, or whose children are out. All of this is a hint. */
export const fireRequest = v.strictObject({
  chain: v.picklist(tradingChains),
  token: text,
  orders: listOf(
    v.strictObject({ orderId: v.pipe(v.string(), v.check(isOwnId)), userID: text, wallet: text }),
    mostHandedOver,
  ),
});

export type FireRequest = v.InferOutput<typeof fireRequest>;

/** Findings about the orders, by id. */
export type FireAnswer = Readonly<Record<string, FireWord>>;

/**
 * Says whether a child of an order may fill, and when to hand the order over again.
 *
 * @param order Undefined if it no longer rests.
 * @param isWaiting True if only another order of its wallet or token has kept the order from firing. It is then handed
 * over again soon. Otherwise, each of a wallet's stops in a crash would delay its last one by a pause.
 */
export function wordOf(order: StoredResting | undefined, nowMs: number, isWaiting = false): FireWord {
  const { againMs, handOverMs } = triggerTimes;
  if (order === undefined || order.state === "done") return { state: "rest", askAgainMs: againMs.done };
  if (order.state === "firing") return { state: "out", askAgainMs: untilOutcomeMs(order, nowMs) };
  if (order.state === "filled") return { state: "out", askAgainMs: untilFinalMs(order, nowMs) };
  if (order.state === "ended") return { state: "rest", askAgainMs: untilFinalMs(order, nowMs) };
  if (order.state === "pending") return { state: "rest", askAgainMs: againMs.firing };
  const lookAgainMs = order.entry?.isFinal === false ? untilFinalMs(order, nowMs) : againMs.done;
  const again = order.entry && { lookAgainMs };
  if (order.state === "suspended") return { state: "rest", askAgainMs: lookAgainMs };
  const readMs = Math.max(order.seen?.lastMs ?? 0, order.rise?.seen.lastMs ?? 0);
  if (isWaiting || nowMs - readMs <= triggerTimes.readingGapMs)
    return { state: "rest", askAgainMs: againMs.reading, ...again };
  if (order.nextSlice !== undefined) return { state: "rest", askAgainMs: untilSliceMs(order, nowMs) };
  const pauses = order.legs.map((leg) => (isPausing(leg, nowMs) ? leg.nextAtMs - nowMs : 0));
  return { state: "rest", askAgainMs: Math.max(handOverMs.first, Math.min(...pauses)), ...again };
}

/** Waits for blocks if all slices that are out have filled, but not beyond the time of the next one. */
function untilOutcomeMs(order: StoredResting, nowMs: number): number {
  if (order.out.length > 0) return triggerTimes.againMs.firing;
  const dueMs = (nextDueAt(order) ?? Number.POSITIVE_INFINITY) * 1000;
  return Math.max(triggerTimes.againMs.firing, Math.min(untilFinalMs(order, nowMs), dueMs - nowMs));
}

/**
 * Waits for the time of the next slice. Once that slice is due but kept from firing, the pauses double. No pause
 * outlasts the slice's turn, because the next slice would be late, or missed.
 */
function untilSliceMs(order: StoredResting, nowMs: number): number {
  const { first, most } = triggerTimes.againMs.settling;
  const sinceMs = nowMs - (nextDueAt(order) ?? 0) * 1000;
  const leftMs = (order.mandate.slices?.everySeconds ?? 0) * 1000 - sinceMs;
  return sinceMs < 0 ? -sinceMs : Math.max(first, Math.min(most, sinceMs, leftMs));
}

/** Doubles the pauses since a fill or an end: chains are final after seconds, or after minutes. */
function untilFinalMs({ updatedAt }: StoredResting, nowMs: number): number {
  const { first, most } = triggerTimes.againMs.settling;
  return Math.min(most, Math.max(first, nowMs - Date.parse(updatedAt)));
}
