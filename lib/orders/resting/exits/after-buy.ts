import { least } from "../../bigints.ts";
import type { AttentionCode } from "../../execution.ts";
import { attentionAfter } from "../attention.ts";
import type { Birth, BuyView, ExitView } from "../firing.ts";
import type { ChildSight, ExitEnd, OutChild, RestingOrder } from "../life.ts";
import type { Mandate } from "../mandate.ts";
import { scaled, usualWorstPpm } from "../prices.ts";
import { pricedLegs, trailedBy } from "../trailing.ts";
import { type Entry, higher, isTooClose, partOf } from "./entry.ts";
import { longestRestSeconds } from "./mandates.ts";

/** State of a buy, as far as it is certain. */
export type BuySight = "unclear" | "open" | "filled" | "unfilled";

/**
 * Returns the certain facts about a buy. Both hosts must show its fill, or agree that there is none. A fill that a
 * reorganisation has moved to another block may have brought a different amount.
 */
export function sightOfBuy(
  { child, isFilled, isSettled }: BuyView,
  sightOf: (child: OutChild) => ChildSight,
  entry: Entry | undefined,
): BuySight {
  const sight: ChildSight = child === undefined ? { is: "out" } : sightOf(child);
  if (sight.is === "unclear") return "unclear";
  if (sight.is === "filled") {
    if (entry === undefined) return isFilled ? "filled" : "unclear";
    return entry.block === sight.block ? "filled" : "open";
  }
  return isSettled && !isFilled ? "unfilled" : "open";
}

/**
 * Returns why an exit has nothing to sell any more. Tokens that somebody sends, or that the wallet has from elsewhere,
 * keep no exit alive.
 */
export function endOfExit(
  { state, entry }: RestingOrder,
  { buy, isDust, isClosed }: ExitView,
  sight: BuySight,
): ExitEnd | undefined {
  if (entry?.isFinal && (isDust || isClosed)) return "POSITION_CLOSED";
  if (state !== "pending") return undefined;
  if (sight === "unfilled") return "PARENT_NOT_FILLED";
  const isClosedEarly = sight === "filled" && buy?.isSettled && buy.positionId === undefined;
  return isClosedEarly ? "POSITION_CLOSED" : undefined;
}

/** Moves an exit without a child according to its buy and its position. */
export function afterBuy(order: RestingOrder, view: ExitView, sight: BuySight, nowMs: number): RestingOrder {
  const { state, entry } = order;
  if (entry === undefined || (state !== "resting" && state !== "suspended")) return order;
  const { buy, openPositionId } = view;
  if (sight === "open" || sight === "unfilled")
    return { ...order, state: "pending", entry: undefined, mark: undefined, attention: {} };
  const positionId = buy?.positionId ?? entry.positionId;
  const isFinal = entry.isFinal || (sight === "filled" && buy?.isSettled === true);
  const known: Entry = { ...entry, positionId, isFinal };
  const isOther = openPositionId !== undefined && openPositionId !== positionId;
  if (isOther && state === "resting") return suspended(order, known, "POSITION_CHANGED", nowMs);
  const isChanged = positionId !== entry.positionId || isFinal !== entry.isFinal;
  return isChanged ? { ...order, entry: known } : order;
}

/**
 * Lets an exit rest whose buy has filled. Suspends it if both hosts say that its stop would fire as soon as it rests, for
 * example because the token has a tax. Ends it if its part is less than one unit. Returns the same order if a host is
 * silent, or if only one of them says so: one host that lies can neither make a stop sell at once nor suspend it.
 */
export function afterFill(
  order: RestingOrder,
  { child, positionId }: BuyView,
  { bought, amount, words }: Birth,
  nowMs: number,
): RestingOrder {
  const { mandate } = order;
  if (amount === 0n)
    return { ...order, state: "done", end: { status: "cancelled", reasonCode: "AMOUNT_TOO_SMALL" } };
  if (positionId === undefined || words.includes(undefined)) return order;
  const [a, b] = words.map((word) => word?.out);
  const [trail] = mandate.legs.flatMap((leg) => (leg.kind === "trailing" ? [leg] : []));
  const lowest = a === undefined || b === undefined ? 0n : least(a, b);
  // A trailing stop needs a price from which it starts.
  if (trail !== undefined && lowest === 0n) return order;
  const price = { coins: lowest, tokens: amount };
  const entry: Entry = {
    ...bought,
    ...(trail && {
      trailWorst: higher(trail.worst, scaled(trailedBy(price, trail.trailPpm), usualWorstPpm)),
    }),
    amount,
    endsAt: Math.min(mandate.expiresAt, Math.floor(nowMs / 1000) + longestRestSeconds),
    positionId,
    bought: child?.n ?? 0,
    isFinal: false,
  };
  const legs = pricedLegs({ mandate, entry });
  const isSoldFor = (out: bigint | undefined) =>
    out !== undefined && trail === undefined && legs.some((leg) => isTooClose(leg, amount, out));
  if (isSoldFor(a) !== isSoldFor(b)) return order;
  if (isSoldFor(a)) return suspended(order, entry, "EXIT_SUSPENDED", nowMs);
  return { ...order, state: "resting", entry, ...(trail && { mark: { price, sinceMs: nowMs } }) };
}

/**
 * Bounds what an exit sells by what its wallet holds, unless that is next to nothing. In that case, its closed position
 * ends it.
 */
export function birthAmount(mandate: Mandate, received: bigint, held: bigint | undefined): bigint {
  const share = partOf(mandate, received);
  return held === undefined || held >= share || held * 1000n < share ? share : held;
}

const suspended = (
  order: RestingOrder,
  entry: Entry,
  code: Extract<AttentionCode, "EXIT_SUSPENDED" | "POSITION_CHANGED">,
  nowMs: number,
): RestingOrder => ({
  ...order,
  state: "suspended",
  entry,
  attention: attentionAfter({}, new Set([code]), nowMs),
});
