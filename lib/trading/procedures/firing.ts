import { isDeepStrictEqual } from "node:util";
import type { Network } from "../../core/network.ts";
import { hashedId } from "../../core/record-ids.ts";
import { type AttentionCode, orderSides } from "../../orders/execution.ts";
import { attentionAfter } from "../../orders/resting/attention.ts";
import { isPausing, type LegState } from "../../orders/resting/backoff.ts";
import {
  type ChildRefusal,
  type ChildView,
  type FiringFamily,
  type FiringProcedure,
  type LegQuestion,
  type ParentView,
  type PreparedChild,
  performFiring,
} from "../../orders/resting/firing.ts";
import {
  afterFiring,
  afterSights,
  type ChildSight,
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
  type PriceWords,
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

/** A question about the price of an order's leg. */
type Look = { id: string; parent: ParentView; leg: number; terms: Leg; question: LegQuestion };

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
  const looks: Look[] = [];
  const sights = yield* sightsOf(family, parents);
  for (const parent of parents) {
    const order = yield* movedBySights(parent, sights);
    if (order === undefined) continue;
    orders.set(idOf(order), order);
    for (const leg of legsInTurn(order))
      if (yield* isWorthPricing(family, parent, order, leg, conditions))
        looks.push(lookAt(request, parent, order, leg));
  }
  const askedMs = yield* performFiring({ do: "now" });
  const questions = looks.map(({ question }) => question);
  const words = questions.length === 0 ? [] : yield* performFiring({ do: "priceWords", questions });
  const decided = new Set<string>();
  for (const [index, look] of looks.entries()) {
    const { id, parent, leg } = look;
    let order = orders.get(id);
    if (order === undefined || decided.has(id)) continue;
    const reached: Head | undefined = yield* reachedHead(
      chain,
      look,
      words[index] ?? [undefined, undefined],
      conditions,
    );
    order = yield* withReading(order, leg, reached !== undefined, askedMs);
    if (order === undefined) {
      orders.delete(id);
      continue;
    }
    orders.set(id, order);
    if (reached === undefined || !hasEnoughReadings(order, leg)) continue;
    decided.add(id);
    if (yield* isFree(family, parent, order, leg)) touched.push({ parent, order, leg, head: reached });
  }
  const fired: string[] = [];
  for (const side of orderSides) {
    const crossed = touched.filter(({ order }) => order.mandate.side === side);
    const { chosen, beyond } = yield* chooseOf(family, crossed, out[side]);
    for (const { orderId } of beyond) noted(conditions, orderId, "PRICE_BEYOND_WORST");
    const found = chosen.flatMap((each) => {
      const which = crossed.find(({ order }) => idOf(order) === each.crossed.orderId);
      return which === undefined ? [] : [{ ...which, chosen: each }];
    });
    fired.push(...(yield* fireChildren(found, conditions)));
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

type Sights = ReadonlyMap<string, ChildSight>;

/** Returns what is certain about children, and what both hosts say about those that are worth asking about. */
function* sightsOf(family: FiringFamily, parents: readonly ParentView[]): FiringProcedure<Sights> {
  const readMs = yield* performFiring({ do: "now" });
  const out = parents.flatMap(({ order, children }) =>
    order.out.flatMap((child) => {
      const view = children.get(child.orderId);
      return view === undefined ? [] : [{ order, child, view, sight: unsignedSight(view) }];
    }),
  );
  const known = out.flatMap(({ child, sight }) => (sight ? [[child.orderId, sight] as const] : []));
  const asked = out.filter(
    ({ order, child, view, sight }) => sight === undefined && isWorthAsking(order, child, view, readMs),
  );
  if (asked.length === 0) return new Map(known);
  const questions = asked.map(({ order, child, view: { signed } }) => {
    const { chain, wallet } = order.mandate;
    return { lane: { chain, wallet }, parentId: idOf(order), child, signed };
  });
  const words = yield* performFiring({ do: "childWords", questions });
  const nowMs = yield* performFiring({ do: "now" });
  return new Map([
    ...known,
    ...asked.map(({ order, child, view }, index) => {
      const { chain } = order.mandate;
      const sight = family.sightOf({ chain, child, view, nowMs }, words[index] ?? [undefined, undefined]);
      return [child.orderId, sight] as const;
    }),
  ]);
}

/** Sight of an unsigned child that the signer refuses from now on. It needs no host's word. */
function unsignedSight({ signed, yields, isRefused }: ChildView): ChildSight | undefined {
  if (signed !== undefined) return undefined;
  if (yields) return { is: "dead", outcome: "yielded" };
  return isRefused ? { is: "dead", outcome: "unsent" } : undefined;
}

/** Moves a parent by what is certain about its children. Undefined if another run has moved it meanwhile. */
function* movedBySights(
  { order, end }: ParentView,
  sights: Sights,
): FiringProcedure<RestingOrder | undefined> {
  const nowMs = yield* performFiring({ do: "now" });
  const next = afterSights(order, ({ orderId }) => sights.get(orderId) ?? { is: "unclear" }, {
    ...end,
    nowMs,
  });
  return next === order ? order : yield* written(order, next);
}

/** Asks hosts only about children that have an outcome, or are past their deadline. */
const isWorthAsking = (
  { filled }: RestingOrder,
  { orderId, validUntil }: OutChild,
  { hasEnded, isProvenDead, signed }: ChildView,
  nowMs: number,
): boolean =>
  filled === orderId || hasEnded || isProvenDead || nowMs > (signed?.deadline ?? validUntil) * 1000;

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

function lookAt(
  { chain, random }: FiringRequest,
  parent: ParentView,
  order: RestingOrder,
  leg: number,
): Look {
  const { side, token, wallet } = order.mandate;
  const { amount } = parent;
  const distances = lookBack(chain, legOf(order, leg), order.mandate, random);
  const question = { lane: { chain, wallet }, side, token, amount, distances };
  return { id: idOf(order), parent, leg, terms: legOf(order, leg), question };
}

/** Returns the block at which both hosts say that a leg's price is reached. */
function* reachedHead(
  chain: Network,
  { id, terms, question }: Look,
  words: PriceWords,
  conditions: Conditions,
): FiringProcedure<Head | undefined> {
  const nowMs = yield* performFiring({ do: "now" });
  const isRouteless = words.every((word) => word !== undefined && word.out === undefined);
  noted(conditions, id, ...(isRouteless ? (["NO_ROUTE"] as const) : []));
  const isReached = isTouched({ chain, leg: terms, ...question }, words, nowMs);
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

type Firing = Touched & { chosen: Chosen };

/** Fires chosen orders, and returns the ids of those that fired. */
function* fireChildren(chosen: readonly Firing[], conditions: Conditions): FiringProcedure<string[]> {
  const fired: string[] = [];
  let left = chosen;
  while (left.length > 0) {
    // Makes another child of a wallet only once the first one is in its lane.
    const wallets = new Set<string>();
    const wave = left.filter(({ order: { mandate } }) => {
      const isFirst = !wallets.has(mandate.wallet);
      wallets.add(mandate.wallet);
      return isFirst;
    });
    const nowMs = yield* performFiring({ do: "now" });
    const children = wave.map(({ order, leg, chosen }) => {
      const { mandate, n } = order;
      // Two runs that fire the same order make the same id, so only one of their writes succeeds.
      const orderId = hashedId(["child", mandate.userID, mandate.orderId, n + 1]);
      return { order, orderId, leg, validUntil: childValidUntil(mandate, nowMs), chosen };
    });
    const made = yield* performFiring({ do: "prepareChildren", children });
    for (const [index, each] of wave.entries()) {
      const { orderId } = children[index] as (typeof children)[number];
      if (yield* fireChild(each, orderId, made[index] ?? { attention: undefined }, conditions))
        fired.push(idOf(each.order));
    }
    left = left.filter((each) => !wave.includes(each));
  }
  return fired;
}

/** Writes a child together with its parent's move. Returns false if it could not be made, or another run was faster. */
function* fireChild(
  { order, leg, head }: Touched,
  orderId: string,
  child: PreparedChild | ChildRefusal,
  conditions: Conditions,
): FiringProcedure<boolean> {
  if ("attention" in child) {
    noted(conditions, idOf(order), ...(child.attention === undefined ? [] : [child.attention]));
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
