import { isDeepStrictEqual } from "node:util";
import type { Network } from "../../core/network.ts";
import { hashedId } from "../../core/record-ids.ts";
import { type AttentionCode, orderSides } from "../../orders/execution.ts";
import { attentionAfter } from "../../orders/resting/attention.ts";
import { isPausing, type LegState } from "../../orders/resting/backoff.ts";
import {
  type ChildView,
  type FiringFamily,
  type FiringProcedure,
  type ParentView,
  performFiring,
} from "../../orders/resting/firing.ts";
import {
  afterFiring,
  afterSights,
  childValidUntil,
  mayFire,
  type OutChild,
  type RestingOrder,
  restingAfter,
} from "../../orders/resting/life.ts";
import type { Leg } from "../../orders/resting/mandate.ts";
import { type Chosen, type Selection, selecting } from "../../orders/resting/selection.ts";
import { feesLeft, hasFiredOften } from "../../orders/resting/tally.ts";
import {
  isOldHead,
  isSeenEnough,
  isTouched,
  lookBack,
  needsReadings,
  seenAfter,
} from "../../orders/resting/touch.ts";

/** Resting orders of one token whose prices may have come, or whose children are out. */
export type FiringRequest = {
  chain: Network;
  orderIds: readonly string[];
  /** Returns a number from 0 up to, but not including, 1. */
  random: () => number;
};

/** A parent with the leg whose price both hosts say is reached. */
type Touched = { parent: ParentView; order: RestingOrder; leg: number; head: Head };

/** The block at which both hosts said so. */
type Head = { number: number; hash: string; time: number };

/** Conditions found in this run, by the order's id. An order whose price nobody asked for has no entry. */
type Conditions = Map<string, Set<AttentionCode>>;

/**
 * Moves resting orders by what is certain about their children, and fires those whose prices are reached. All that
 * brought it here is a hint: it believes only what two hosts say. Returns the ids of the orders that it fired.
 */
export function* firing(family: FiringFamily, request: FiringRequest): FiringProcedure<string[]> {
  const { chain, orderIds } = request;
  const { parents, out } = yield* performFiring({ do: "readParents", chain, orderIds });
  const touched: Touched[] = [];
  const conditions: Conditions = new Map();
  const orders = new Map<string, RestingOrder>();
  for (const parent of parents) {
    let order = yield* movedBySights(family, parent);
    if (order === undefined) continue;
    for (const leg of legsInTurn(order)) {
      if (!(yield* isWorthPricing(family, parent, order, leg, conditions))) continue;
      const askedMs = yield* performFiring({ do: "now" });
      const reached: Head | undefined = yield* reachedHead(request, parent, order, leg, conditions);
      order = yield* withReading(order, leg, reached !== undefined, askedMs);
      if (order === undefined) break;
      if (reached === undefined || !hasEnoughReadings(order, leg)) continue;
      if (yield* isFree(family, parent, order, leg)) touched.push({ parent, order, leg, head: reached });
      break;
    }
    if (order !== undefined) orders.set(idOf(order), order);
  }
  const fired: string[] = [];
  for (const side of orderSides) {
    const crossed = touched.filter(({ order }) => order.mandate.side === side);
    const { chosen, beyond } = yield* chooseOf(family, crossed, out[side]);
    for (const { orderId } of beyond) noted(conditions, orderId, "PRICE_BEYOND_WORST");
    for (const each of chosen) {
      const found = crossed.find(({ order }) => idOf(order) === each.crossed.orderId);
      if (found !== undefined && (yield* fireChild(found, each, conditions)))
        fired.push(each.crossed.orderId);
    }
  }
  for (const [orderId, order] of orders)
    if (!fired.includes(orderId)) yield* attend(order, conditions.get(orderId));
  return fired;
}

const idOf = ({ mandate }: RestingOrder): string => mandate.orderId;

const legOf = ({ mandate }: RestingOrder, leg: number): Leg => mandate.legs[leg] as Leg;

/** Lists the places of an order's legs, with stops first. */
function legsInTurn({ mandate: { legs } }: RestingOrder): number[] {
  const isStop = (leg: number) => Number(legs[leg]?.kind === "stop");
  return [...legs.keys()].toSorted((a, b) => isStop(b) - isStop(a));
}

function noted(conditions: Conditions, orderId: string, ...codes: AttentionCode[]): void {
  conditions.set(orderId, new Set([...(conditions.get(orderId) ?? []), ...codes]));
}

/** Moves a parent by what both hosts say about its children. Undefined if another run has moved it meanwhile. */
function* movedBySights(
  family: FiringFamily,
  { order, children, end }: ParentView,
): FiringProcedure<RestingOrder | undefined> {
  const { chain, wallet } = order.mandate;
  const sights = new Map<string, ReturnType<FiringFamily["sightOf"]>>();
  for (const child of order.out) {
    const view = children.get(child.orderId);
    const readMs = yield* performFiring({ do: "now" });
    if (view === undefined || !isWorthAsking(order, child, view, readMs)) continue;
    const words = yield* performFiring({
      do: "childWords",
      lane: { chain, wallet },
      parentId: idOf(order),
      child,
      signed: view.signed,
    });
    const nowMs = yield* performFiring({ do: "now" });
    sights.set(child.orderId, family.sightOf({ chain, child, view, nowMs }, words));
  }
  const nowMs = yield* performFiring({ do: "now" });
  const next = afterSights(order, ({ orderId }) => sights.get(orderId) ?? { is: "unclear" }, {
    ...end,
    nowMs,
  });
  return next === order ? order : yield* written(order, next);
}

/** Asks hosts only about children that have an outcome, make way unsigned, or are past their deadline. */
const isWorthAsking = (
  { filled }: RestingOrder,
  { orderId, validUntil }: OutChild,
  { hasEnded, isProvenDead, yields, signed }: ChildView,
  nowMs: number,
): boolean =>
  filled === orderId ||
  hasEnded ||
  isProvenDead ||
  (yields && signed === undefined) ||
  nowMs > (signed?.deadline ?? validUntil) * 1000;

function* written(old: RestingOrder, order: RestingOrder): FiringProcedure<RestingOrder | undefined> {
  return (yield* performFiring({ do: "moveParent", order, revision: old.revision })) ? order : undefined;
}

/** True if a leg could fire, or if it is a stop behind a limit's child that can make way. */
function* isWorthPricing(
  { isOneOut }: FiringFamily,
  { busy, amount, tally, ended }: ParentView,
  order: RestingOrder,
  leg: number,
  conditions: Conditions,
): FiringProcedure<boolean> {
  const nowMs = yield* performFiring({ do: "now" });
  const { kind } = legOf(order, leg);
  const isBehind = order.state === "firing" && kind === "stop" && canYield(busy);
  const mayGo =
    mayFire(order, leg, nowMs, isOneOut) || (isBehind && mayFire({ ...order, out: [] }, leg, nowMs, true));
  if (!mayGo) return false;
  const isBroke = feesLeft(order.mandate, tally, ended, kind) <= 0n;
  if (isBroke) noted(conditions, idOf(order), "FEE_BUDGET_SPENT");
  if (amount <= 0n) noted(conditions, idOf(order), "INSUFFICIENT_BALANCE");
  return (
    !isBroke &&
    amount > 0n &&
    !isPausing(order.legs[leg] as LegState, nowMs) &&
    !hasFiredOften(tally, kind, nowMs)
  );
}

const canYield = (busy: ParentView["busy"]): boolean => busy?.kind === "limit" && !busy.yields;

/** Returns the block at which both hosts say that a leg's price is reached. */
function* reachedHead(
  { chain, random }: FiringRequest,
  { amount }: ParentView,
  order: RestingOrder,
  leg: number,
  conditions: Conditions,
): FiringProcedure<Head | undefined> {
  const { mandate } = order;
  const { side, token, wallet } = mandate;
  const distances = lookBack(chain, legOf(order, leg), mandate, random);
  const lane = { chain, wallet };
  const words = yield* performFiring({ do: "priceWords", lane, side, token, amount, distances });
  const nowMs = yield* performFiring({ do: "now" });
  const isRouteless = words.every((word) => word !== undefined && word.out === undefined);
  noted(conditions, idOf(order), ...(isRouteless ? (["NO_ROUTE"] as const) : []));
  const isReached = isTouched({ chain, side, leg: legOf(order, leg), amount, distances }, words, nowMs);
  return isReached ? words[0]?.head : undefined;
}

const hasEnoughReadings = (order: RestingOrder, leg: number): boolean =>
  !needsReadings(order.mandate.chain, order.mandate) || isSeenEnough(order.seen, leg, legOf(order, leg).kind);

/** Notes a reading of a leg that needs several. */
function* withReading(
  order: RestingOrder,
  leg: number,
  isReached: boolean,
  askedMs: number,
): FiringProcedure<RestingOrder | undefined> {
  if (!needsReadings(order.mandate.chain, order.mandate)) return order;
  const answeredMs = yield* performFiring({ do: "now" });
  const seen = seenAfter(order.seen, leg, isReached, { askedMs, answeredMs });
  return isDeepStrictEqual(seen, order.seen) ? order : yield* written(order, restingAfter(order, { seen }));
}

/** True if the wallet's lane is free for the child. A due stop makes a limit's child make way, whatever its token. */
function* isFree(
  { isOneOut }: FiringFamily,
  { busy }: ParentView,
  order: RestingOrder,
  leg: number,
): FiringProcedure<boolean> {
  const { chain, wallet } = order.mandate;
  if (legOf(order, leg).kind === "stop" && busy !== undefined && canYield(busy))
    yield* performFiring({ do: "yieldToStop", lane: { chain, wallet }, orderId: busy.orderId });
  const nowMs = yield* performFiring({ do: "now" });
  return busy === undefined && mayFire(order, leg, nowMs, isOneOut);
}

/** Chooses the orders that fire in this wave. */
function* chooseOf(
  { isOneOut }: FiringFamily,
  touched: readonly Touched[],
  out: bigint,
): FiringProcedure<Selection> {
  const [first] = touched;
  if (first === undefined) return { chosen: [], beyond: [], waiting: [] };
  const { chain, side, token } = first.order.mandate;
  const isPublic = touched.some(({ parent }) => parent.isPublic);
  const crowd = { side, out, block: first.head.hash, isOneOfWallet: isOneOut, isPublic };
  const selection = selecting(
    crowd,
    touched.map(({ parent, order, leg }) => ({
      orderId: idOf(order),
      userID: order.mandate.userID,
      wallet: order.mandate.wallet,
      leg: legOf(order, leg),
      amount: parent.amount,
      slippagePpm: parent.slippagePpm[leg] as bigint,
    })),
  );
  let next = selection.next();
  while (!next.done)
    next = selection.next(yield* performFiring({ do: "quoteSums", chain, side, token, sums: next.value }));
  return next.value;
}

/** Writes a child together with its parent's move. Returns false if it could not be made, or another run was faster. */
function* fireChild(
  { order, leg, head }: Touched,
  chosen: Chosen,
  conditions: Conditions,
): FiringProcedure<boolean> {
  const { userID, orderId: parentId } = order.mandate;
  const nowMs = yield* performFiring({ do: "now" });
  // Two runs that fire the same order make the same id, so only one of their writes succeeds.
  const orderId = hashedId(["child", userID, parentId, order.n + 1]);
  const validUntil = childValidUntil(order.mandate, nowMs);
  const child = yield* performFiring({ do: "prepareChild", order, orderId, leg, validUntil, chosen });
  if ("attention" in child) {
    noted(conditions, parentId, ...(child.attention === undefined ? [] : [child.attention]));
    return false;
  }
  // A run that stood still for long would fire at a price of the past.
  const { chain } = order.mandate;
  if (isOldHead(chain, head, yield* performFiring({ do: "now" }))) return false;
  const next = afterFiring(order, { ...child, orderId, leg, block: head.number });
  return yield* performFiring({ do: "fire", order: next, revision: order.revision, orderId, child });
}

/** Notes what keeps an order from firing. Orders whose prices were not asked for keep what was noted before. */
function* attend(order: RestingOrder, codes: ReadonlySet<AttentionCode> | undefined): FiringProcedure<void> {
  if (codes === undefined || order.state === "done") return;
  const nowMs = yield* performFiring({ do: "now" });
  const attention = attentionAfter(order.attention, codes, nowMs);
  if (isDeepStrictEqual(attention, order.attention)) return;
  yield* written(order, restingAfter(order, { attention }));
}
