import { isDeepStrictEqual } from "node:util";
import type { Attention } from "./attention.ts";
import { afterDeadChild, freshLeg, type LegState } from "./backoff.ts";
import { type Entry, endsAt } from "./exits/entry.ts";
import { classOf, hasStop, isStop, type Leg, type Mandate, type Tally } from "./mandate.ts";
import { nextSliceOf, sliceAt, sliceFrom } from "./slices.ts";
import { triggerTimes } from "./times.ts";
import type { Seen } from "./touch.ts";
import type { Mark, Rise } from "./trailing.ts";

/** A child that may still fill. */
export type OutChild = {
  orderId: string;
  /** Place of the child's leg in the mandate's list. */
  leg: number;
  n: number;
  /** Number of the child's slice. */
  slice?: number | undefined;
  /** Deadline of the child's order, in seconds. */
  validUntil: number;
};

export const firingOutcomes = ["out", "filled", "failed", "lapsed", "unsent", "yielded", "replaced"] as const;

export type FiringOutcome = (typeof firingOutcomes)[number];

/** A firing as clients see it. Repeated firings that were not signed share one entry. */
export type Firing = {
  n: number;
  orderId: string;
  leg: Exclude<Leg["kind"], "gain" | "loss"> | "takeProfit" | "stopLoss";
  slice?: number;
  /** Price of one token at which the leg fired, as decimal text. */
  price: string;
  block: number;
  outcome: FiringOutcome;
  times?: number;
};

/** Why an exit has nothing to sell. */
export type ExitEnd = "POSITION_CLOSED" | "PARENT_NOT_FILLED" | "AMOUNT_TOO_SMALL";

/** Why a resting order has ended without a fill. */
export type ParentEnd =
  | { status: "cancelled"; reasonCode: "CANCELLED_BY_USER" | "WALLET_RETIRED" | "MANDATE_VOID" | ExitEnd }
  | { status: "expired"; reasonCode: "EXPIRED" };

/**
 * A resting order:
 *
 * | state     | meaning                                          | next                         |
 * | --------- | ------------------------------------------------ | ---------------------------- |
 * | pending   | the buy of an exit has not filled                | resting, suspended, done     |
 * | resting   | no child may fill                                | firing, ended, done; of an exit also pending, suspended |
 * | suspended | an exit that waits for its owner                 | pending, ended, done         |
 * | firing    | a child may fill                                 | resting, filled, ended, done |
 * | filled    | a child's fill is in a block                     | firing, ended, done          |
 * | ended     | no child fills any more, but one has not settled | firing, filled, done         |
 * | done      | nothing changes any more                         |                              |
 */
export type RestingOrder = {
  mandate: Mandate;
  mac: string;
  state: "pending" | "resting" | "suspended" | "firing" | "filled" | "ended" | "done";
  /** What the buy of an exit has brought. Absent while it is pending. */
  entry?: Entry | undefined;
  /** Number of children so far. */
  n: number;
  /** Children that are out: at most one on EVM chains, and one of each leg on sol. Slices leave when they fill. */
  out: readonly OutChild[];
  /** Number of the slice that fires next. Absent if none is left, and for orders without slices. */
  nextSlice?: number | undefined;
  /** Id of the child that has filled. Absent for orders with slices. */
  filled?: string | undefined;
  /** Id of the newest signed child that can never fill, as both hosts have proved. */
  dead?: string | undefined;
  legs: readonly LegState[];
  seen?: Seen | undefined;
  /** Price below which a trailing leg fires. It never falls. */
  mark?: Mark | undefined;
  /** Readings of a price above the mark. */
  rise?: Rise | undefined;
  attention: Attention;
  /** Firings, newest first. */
  firings: readonly Firing[];
  isCancelling: boolean;
  end?: ParentEnd | undefined;
  /** Grows with each write. */
  revision: number;
};

/** Maximum number of firings that are kept. Each slice has at most one that was signed, and one that was not. */
const mostFirings = ({ slices }: Mandate): number => (slices === undefined ? 10 : 2 * slices.count);

export const newResting = (mandate: Mandate, mac: string, mark?: Mark): RestingOrder => ({
  mandate,
  mac,
  state: mandate.exit === undefined ? "resting" : "pending",
  n: 0,
  out: [],
  legs: mandate.legs.map(() => freshLeg),
  ...(mark !== undefined && { mark }),
  ...(mandate.slices !== undefined && { nextSlice: 1 }),
  attention: {},
  firings: [],
  isCancelling: false,
  revision: 1,
});

/** Returns the stage that clients see. */
export function stageOf({
  state,
  isCancelling,
}: RestingOrder): Exclude<RestingOrder["state"], "filled" | "ended"> | "cancelling" {
  if (state === "ended") return "done";
  if (state !== "firing" && state !== "filled") return state;
  return isCancelling && state === "firing" ? "cancelling" : "firing";
}

/** Returns the name of a leg that clients see. */
export function legName(mandate: Mandate, leg: Leg): Firing["leg"] {
  if (leg.kind === "trailing" || leg.kind === "slice") return leg.kind;
  if (mandate.legs.length === 1) return classOf(leg);
  return !isStop(leg) && hasStop(mandate) ? "takeProfit" : "stopLoss";
}

/** A child that the order is about to place. */
export type NewChild = { orderId: string; leg: number; validUntil: number; price: string; block: number };

/** Returns the order with one more child. */
export function afterFiring(order: RestingOrder, { price, block, ...child }: NewChild): RestingOrder {
  const { mandate, nextSlice: slice } = order;
  const n = order.n + 1;
  const leg = legName(mandate, mandate.legs[child.leg] as Leg);
  const ofSlice = slice === undefined ? {} : { slice };
  const firing: Firing = { n, orderId: child.orderId, leg, ...ofSlice, price, block, outcome: "out" };
  return {
    ...order,
    state: "firing",
    n,
    out: [...order.out, { ...child, n, ...ofSlice }],
    ...(slice !== undefined && { nextSlice: sliceFrom(mandate, slice + 1) }),
    seen: undefined,
    rise: undefined,
    firings: [firing, ...order.firings].slice(0, mostFirings(mandate)),
  };
}

/**
 * Returns the order with the child that the signer's record shows as out. Only a signer whose clock is behind, or an
 * executeOrders that is taken over, lets the swap of a child be signed after it has counted as unsigned for good.
 */
export function withSignedOut(
  order: RestingOrder,
  tally: Pick<Tally, "out" | "slices"> | undefined,
): RestingOrder {
  if (order.mandate.slices !== undefined) return withSignedSlices(order, tally?.slices ?? []);
  const { child: orderId, kind } = tally?.out ?? {};
  const isKnown = orderId === order.dead || order.out.length > 0 || order.state === "done";
  if (orderId === undefined || isKnown) return order;
  const leg = order.mandate.legs.findIndex((each) => classOf(each) === kind);
  const { n } = order.firings.find((each) => each.orderId === orderId) ?? order;
  return { ...order, state: "firing", out: [{ orderId, leg, n, validUntil: 0 }] };
}

/** Returns the order with the children of slices that have counted as unsigned, but are signed. */
function withSignedSlices(order: RestingOrder, signed: NonNullable<Tally["slices"]>): RestingOrder {
  const out = [...order.out];
  let { firings } = order;
  for (const { slice, child: orderId } of signed) {
    const last = firings.find((each) => each.slice === slice);
    if (last?.outcome !== "unsent") continue;
    const { times: _, ...firing } = last;
    out.push({ orderId, leg: 0, n: firing.n, slice, validUntil: 0 });
    firings = firings.map((each) => (each === last ? { ...firing, orderId, outcome: "out" } : each));
  }
  const isSame = out.length === order.out.length || order.state === "done";
  return isSame ? order : { ...order, state: "firing", out, firings };
}

/** State of a child, as far as it is certain. */
export type ChildSight =
  | { is: "out" }
  /** A host is silent, or the hosts differ about a fill. */
  | { is: "unclear" }
  /**
   * The child's fill is in a block, according to both hosts. The block's hash is absent where only final blocks count.
   */
  | { is: "filled"; block?: string }
  /**
   * The child can never fill. If its swap is signed, and no sibling's would keep it from filling, both hosts have
   * proved it.
   */
  | {
      is: "dead";
      outcome: Exclude<FiringOutcome, "out" | "filled">;
      isProven?: true;
      /** True if the marker that the order's children share is made. Unless another child has filled, none ever will. */
      isUsedUp?: true;
    };

type Dead = Extract<ChildSight, { is: "dead" }> & { child: OutChild };

/** Facts that end an order, besides those about its children. */
export type EndFacts = {
  nowMs: number;
  /** True if the user has cancelled this order, or all orders after it was placed. */
  isCancelled: boolean;
  /** True if the wallet was retired after the order was placed. */
  isRetired: boolean;
  /** True if the mandate is of another table, or its MAC is of another key. */
  isVoid: boolean;
  /** True if the orders of all children have settled. */
  isSettled: boolean;
  /** Why an exit has nothing to sell. */
  ofExit?: ExitEnd | undefined;
};

/**
 * Moves an order according to what is certain about its children. Depends only on the current state, so a lost message
 * costs no more than the time to the next look. Returns the same order if nothing has changed.
 */
export function afterSights(
  order: RestingOrder,
  sightOf: (child: OutChild) => ChildSight,
  facts: EndFacts,
): RestingOrder {
  if (order.state === "done") return order;
  const { mandate } = order;
  const { slices } = mandate;
  const sights = order.out.map((child) => ({ child, sight: known(order, child, sightOf(child)) }));
  const dead: Dead[] = sights.flatMap(({ child, sight }) =>
    sight.is === "dead" ? [{ ...sight, child }] : [],
  );
  const alive = sights.flatMap(({ child, sight }) => (sight.is === "dead" ? [] : [child]));
  const open = sights.flatMap(({ child, sight }) => (sight.is === "out" ? [child] : []));
  const firings = firingsAfter(order.firings, sights);
  const fills = firings.filter(({ outcome }) => outcome === "filled").length;
  const filled = alive.find((child) => !open.includes(child))?.orderId;
  const isComplete = slices === undefined ? filled !== undefined : fills === slices.count;
  const isUsedUp = dead.some((each) => each.isUsedUp);
  const due = order.end ?? endOf(order, facts) ?? (isUsedUp ? endOfVoid : undefined);
  const end = open.length === 0 && !isComplete ? due : undefined;
  // A filled child settles last, because its marker proves that its siblings are dead.
  const isOver = isComplete ? open.length === 0 : end !== undefined;
  const isFiring = open.length > 0 || (slices !== undefined && !facts.isSettled);
  const unfilled = isOver ? "ended" : isFiring ? "firing" : waitingState(order);
  const unsettled = isComplete ? "filled" : unfilled;
  const state = isOver && facts.isSettled ? "done" : unsettled;
  const next: RestingOrder = {
    ...order,
    state,
    // Leaves filled slices out of the list, because their jobs name them until they settle.
    out: state === "done" || slices !== undefined ? open : alive,
    end,
    filled: slices === undefined ? filled : undefined,
    ...(slices !== undefined && { nextSlice: nextSliceOf(mandate, firings, facts.nowMs) }),
    dead: dead.find(({ isProven }) => isProven)?.child.orderId ?? order.dead,
    // Slices have their times instead of pauses.
    legs: slices === undefined ? pausing(order, dead, facts.nowMs) : order.legs,
    firings,
    isCancelling: order.isCancelling || facts.isCancelled,
  };
  const empty = { filled: undefined, dead: undefined, end: undefined };
  const isSame = isDeepStrictEqual(next, { ...empty, ...(slices && { nextSlice: undefined }), ...order });
  return isSame ? order : next;
}

/** Returns the state of an order that has neither filled nor ended, and has no child. */
function waitingState({ mandate, entry, state }: RestingOrder): RestingOrder["state"] {
  if (mandate.exit !== undefined && entry === undefined) return "pending";
  return state === "suspended" ? state : "resting";
}

/** Keeps what was known of a child while nothing new is clear. */
function known({ filled, firings }: RestingOrder, { orderId }: OutChild, sight: ChildSight): ChildSight {
  if (sight.is !== "unclear") return sight;
  const isFilled =
    filled === orderId || firings.some((each) => each.orderId === orderId && each.outcome === "filled");
  return { is: isFilled ? "filled" : "out" };
}

const endOfVoid = { status: "cancelled", reasonCode: "MANDATE_VOID" } as const;

function endOf(
  order: RestingOrder,
  { nowMs, isCancelled, isRetired, isVoid, ofExit }: EndFacts,
): ParentEnd | undefined {
  if (isVoid) return endOfVoid;
  if (isCancelled || order.isCancelling) return { status: "cancelled", reasonCode: "CANCELLED_BY_USER" };
  if (isRetired) return { status: "cancelled", reasonCode: "WALLET_RETIRED" };
  if (ofExit !== undefined) return { status: "cancelled", reasonCode: ofExit };
  return nowMs >= endsAt(order) * 1000 ? { status: "expired", reasonCode: "EXPIRED" } : undefined;
}

/** A child that was never signed costs its leg no pause and no place in the queue. */
const pausing = (order: RestingOrder, dead: readonly Dead[], nowMs: number): LegState[] =>
  order.legs.map((state, index) =>
    dead
      .filter(({ child: { leg }, outcome }) => leg === index && outcome !== "unsent")
      .reduce((each) => afterDeadChild(each, classOf(order.mandate.legs[index] as Leg), nowMs), state),
  );

function firingsAfter(
  firings: readonly Firing[],
  sights: readonly { child: OutChild; sight: ChildSight }[],
): Firing[] {
  const outcomes = new Map(
    sights.map(({ child, sight }): [string, FiringOutcome] => [
      child.orderId,
      sight.is === "dead" ? sight.outcome : sight.is === "filled" ? "filled" : "out",
    ]),
  );
  const kept: Firing[] = [];
  for (const firing of firings) {
    const { leg, slice, outcome } = { ...firing, outcome: outcomes.get(firing.orderId) ?? firing.outcome };
    const newer = kept.at(-1);
    const isRepeated =
      newer?.outcome === "unsent" && outcome === "unsent" && newer.leg === leg && newer.slice === slice;
    if (isRepeated) kept[kept.length - 1] = { ...newer, times: (newer.times ?? 1) + (firing.times ?? 1) };
    else kept.push({ ...firing, outcome });
  }
  return kept;
}

/** True if the order's own state allows another child for a leg. */
export function mayFire(order: RestingOrder, leg: number, nowMs: number, isOneOut: boolean): boolean {
  const { state, out, isCancelling, mandate } = order;
  if (isCancelling || (state !== "resting" && state !== "firing")) return false;
  // A child that would live past the order's expiry is not placed.
  if (nowMs >= endsAt(order) * 1000) return false;
  if (mandate.slices !== undefined)
    return order.nextSlice !== undefined && sliceAt(mandate, nowMs) === order.nextSlice;
  return isOneOut ? out.length === 0 : !out.some((child) => child.leg === leg);
}

/** Returns the deadline of a child that is placed now, in seconds. */
export const childValidUntil = (order: RestingOrder, nowMs: number): number =>
  Math.min(endsAt(order), Math.floor(nowMs / 1000) + triggerTimes.childSeconds);
