import { isDeepStrictEqual } from "node:util";
import type { Network } from "../../core/network.ts";
import { type AttentionCode, orderSides } from "../../orders/execution.ts";
import { attentionAfter } from "../../orders/resting/attention.ts";
import { isPausing, type LegState } from "../../orders/resting/backoff.ts";
import { amountOf } from "../../orders/resting/exits/entry.ts";
import {
  type ChildRefusal,
  type FiringFamily,
  type FiringProcedure,
  type LegQuestion,
  type ParentView,
  type PreparedChild,
  performFiring,
} from "../../orders/resting/firing.ts";
import { afterFiring, childValidUntil, mayFire, type RestingOrder } from "../../orders/resting/life.ts";
import { childIdOf, classOf, isStop } from "../../orders/resting/mandate.ts";
import { type Chosen, type Selection, selecting } from "../../orders/resting/selection.ts";
import { feesLeft, hasFiredOften } from "../../orders/resting/tally.ts";
import {
  isOldHead,
  isSeenEnough,
  isTouched,
  lookBack,
  needsReadings,
  type PriceWords,
  samplesIn,
  seenAfter,
} from "../../orders/resting/touch.ts";
import { markAfter, pricedLeg } from "../../orders/resting/trailing.ts";
import { buySightOf, movedBySights, sightsOf, silence, written } from "./child-sights.ts";

/** Resting orders of one token whose prices may have come, or whose children are out. */
export type FiringRequest = {
  chain: Network;
  orderIds: readonly string[];
  /** Random numbers for {@link lookBack}, the same for all orders, so that one question serves many. */
  dice: readonly number[];
};

/** A parent with the leg whose price both hosts say is reached. */
type Touched = { parent: ParentView; order: RestingOrder; leg: number; head: Head };

/** The block at which both hosts said so, or the older of both. */
type Head = { number: number; hash: string; time: number };

/** A question about the price of an order's leg. */
type Look = { parent: ParentView; leg: number; question: LegQuestion };

/** Conditions found in this run, by the order's id. An order whose price nobody asked for has no entry. */
type Conditions = Map<string, Set<AttentionCode>>;

/**
 * Moves resting orders by what is certain about their children, and fires those whose prices are reached. Relies only
 * on what two hosts say, because each request is a hint. Returns the ids of the orders that it fired, and of those that
 * wait for others that came first.
 */
export function* firing(
  family: FiringFamily,
  request: FiringRequest,
): FiringProcedure<{ fired: readonly string[]; waiting: readonly string[] }> {
  const { chain, orderIds } = request;
  const { parents, out } = yield* performFiring({ do: "readParents", chain, orderIds });
  const conditions: Conditions = new Map();
  const orders = new Map<string, RestingOrder>();
  const looks: Look[] = [];
  const sightOf = yield* sightsOf(family, parents);
  const nowMs = yield* performFiring({ do: "now" });
  for (const parent of parents) {
    const order = yield* movedBySights(parent, sightOf, nowMs);
    // Another run has moved the order meanwhile.
    if (order === undefined) continue;
    orders.set(idOf(order), order);
    // An exit's prices hold while both hosts show its buy. Its amount must be read after they have first shown it.
    if (parent.order.state === "pending" || buySightOf(parent, sightOf) !== "filled") continue;
    // The stop of a pair comes last in the mandate, and first here.
    for (const leg of [...order.mandate.legs.keys()].toReversed())
      if (isWorthPricing(family, parent, order, leg, nowMs, conditions))
        looks.push(lookAt(request, parent, order, leg));
  }
  const waiting: string[] = [];
  const touched = yield* touchedOf(family, looks, orders, conditions, waiting);
  const fired: string[] = [];
  for (const side of orderSides) {
    const crossed = touched.filter(({ order }) => order.mandate.side === side);
    const { chosen, beyond, waiting: others } = yield* chooseOf(family, crossed, out[side]);
    waiting.push(...others.map(({ orderId }) => orderId));
    for (const { orderId } of beyond) noted(conditions, orderId, "PRICE_BEYOND_WORST");
    fired.push(...(yield* fireChildren(crossed, chosen, conditions)));
  }
  yield* attend(
    [...orders.values()].filter((order) => !fired.includes(idOf(order))),
    conditions,
  );
  return { fired, waiting };
}

const idOf = ({ mandate }: RestingOrder): string => mandate.orderId;

function noted(conditions: Conditions, orderId: string, ...codes: AttentionCode[]): void {
  conditions.set(orderId, new Set([...(conditions.get(orderId) ?? []), ...codes]));
}

/** True if a leg could fire, or if it is a stop behind a limit's child that can make way. */
function isWorthPricing(
  { isOneOut }: FiringFamily,
  { busy, amount: most, tally, ended, exit }: ParentView,
  order: RestingOrder,
  leg: number,
  nowMs: number,
  conditions: Conditions,
): boolean {
  // Tokens that the wallet holds after its position was closed are from elsewhere, even if a reorganisation may open the
  // position again.
  const amount = exit === undefined || exit.openPositionId === order.entry?.positionId ? most : 0n;
  const legClass = classOf(pricedLeg(order, leg));
  const isBehind = order.state === "firing" && legClass === "stop" && canYield(busy);
  const mayGo =
    mayFire(order, leg, nowMs, isOneOut) || (isBehind && mayFire({ ...order, out: [] }, leg, nowMs, true));
  if (!mayGo) return false;
  const isBroke = feesLeft(order.mandate, tally, ended, legClass) <= 0n;
  if (isBroke) noted(conditions, idOf(order), "FEE_BUDGET_SPENT");
  if (amount <= 0n) noted(conditions, idOf(order), "INSUFFICIENT_BALANCE");
  return (
    !isBroke &&
    amount > 0n &&
    !isPausing(order.legs[leg] as LegState, nowMs) &&
    !hasFiredOften(order.mandate, tally, legClass, nowMs)
  );
}

const canYield = (busy: ParentView["busy"]): boolean => busy?.kind === "limit" && !busy.yields;

function lookAt({ chain, dice }: FiringRequest, parent: ParentView, order: RestingOrder, leg: number): Look {
  const { side, token, legs } = order.mandate;
  // The price of a part is better. A mark that rose by it would fire the whole at once.
  const amount = legs[leg]?.kind === "trailing" ? amountOf(order) : parent.amount;
  const distances = lookBack(chain, pricedLeg(order, leg), order.mandate, dice);
  const question = { side, token, amount, distances };
  return { parent, leg, question };
}

/**
 * Finds the orders to fire: both hosts say that a leg's price is reached, and the wallet's lane is free. Keeps readings
 * of legs that need several, and forgets orders that another run has moved meanwhile.
 */
function* touchedOf(
  family: FiringFamily,
  looks: readonly Look[],
  orders: Map<string, RestingOrder>,
  conditions: Conditions,
  waiting: string[],
): FiringProcedure<Touched[]> {
  const askedMs = yield* performFiring({ do: "now" });
  const questions = looks.map(({ question }) => question);
  const words = questions.length === 0 ? [] : yield* performFiring({ do: "priceWords", questions });
  const answeredMs = yield* performFiring({ do: "now" });
  const touched = new Map<string, Touched | undefined>();
  for (const [index, look] of looks.entries()) {
    const { parent, leg } = look;
    const id = idOf(parent.order);
    const known = orders.get(id);
    if (known === undefined || touched.has(id)) continue;
    const heard = { words: words[index] ?? silence, askedMs, answeredMs };
    const head = reachedHead(known, look, heard, conditions);
    const order = yield* withReading(known, look, head !== undefined, heard);
    if (order === undefined) orders.delete(id);
    else orders.set(id, order);
    if (order === undefined || head === undefined || !hasEnoughReadings(order, leg)) continue;
    const isFree = yield* hasFreeLane(family, parent, order, leg, answeredMs);
    touched.set(id, isFree ? { parent, order, leg, head } : undefined);
    // A child is over within a minute. A market order may keep the lane for longer.
    if (!isFree && parent.busy !== undefined && parent.busy.kind !== "market") waiting.push(id);
  }
  return [...touched.values()].filter((each) => each !== undefined);
}

/** The answers about a look, and when they were asked for. */
type Heard = { words: PriceWords; askedMs: number; answeredMs: number };

/** Returns the block at which both hosts say that a leg's price is reached. */
function reachedHead(
  order: RestingOrder,
  { leg, question }: Look,
  { words, answeredMs }: Heard,
  conditions: Conditions,
): Head | undefined {
  const isRouteless = words.every((word) => word !== undefined && word.out === undefined);
  noted(conditions, idOf(order), ...(isRouteless ? (["NO_ROUTE"] as const) : []));
  const { chain } = order.mandate;
  const isReached = isTouched({ chain, leg: pricedLeg(order, leg), ...question }, words, answeredMs);
  // On sol, the heads of both hosts differ. Nothing fires once the older one is too old.
  const [head] = words.flatMap((word) => word?.head ?? []).toSorted((a, b) => a.time - b.time);
  return isReached ? head : undefined;
}

const hasEnoughReadings = (order: RestingOrder, leg: number): boolean =>
  !needsReadings(order.mandate.chain, order.mandate) ||
  isSeenEnough(order.seen, leg, classOf(pricedLeg(order, leg)));

/** Notes a reading of a leg that needs several, and a rise of the price that a trailing leg follows. */
function* withReading(
  order: RestingOrder,
  { leg, question: { amount, distances } }: Look,
  isReached: boolean,
  { words, ...times }: Heard,
): FiringProcedure<RestingOrder | undefined> {
  const { mandate, seen, mark, rise } = order;
  const { chain } = mandate;
  const samples = samplesIn({ chain, distances }, words, times.answeredMs);
  const next = {
    seen: needsReadings(chain, mandate) ? seenAfter(seen, leg, isReached, times) : seen,
    ...markAfter(order, leg, samples && { amount, samples, ...times }),
  };
  return isDeepStrictEqual(next, { seen, mark, rise }) ? order : yield* written({ ...order, ...next });
}

/** True if the wallet's lane is free for the child. A due stop makes a limit's child make way, whatever its token. */
function* hasFreeLane(
  { isOneOut }: FiringFamily,
  { busy }: ParentView,
  order: RestingOrder,
  leg: number,
  nowMs: number,
): FiringProcedure<boolean> {
  const { chain, wallet } = order.mandate;
  if (isStop(pricedLeg(order, leg)) && busy !== undefined && canYield(busy))
    yield* performFiring({ do: "yieldToStop", lane: { chain, wallet }, orderId: busy.orderId });
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
  const { side, token } = first.order.mandate;
  const isPublic = touched.some(({ parent }) => parent.isPublic);
  const crowd = { side, out, block: first.head.hash, isOneOfWallet: isOneOut, isPublic };
  const selection = selecting(
    crowd,
    touched.map(({ parent, order, leg }) => ({
      orderId: idOf(order),
      userID: order.mandate.userID,
      wallet: order.mandate.wallet,
      leg: pricedLeg(order, leg),
      amount: parent.amount,
      slippagePpm: parent.slippagePpm[leg] as bigint,
    })),
  );
  let next = selection.next();
  while (!next.done)
    next = selection.next(yield* performFiring({ do: "quoteSums", side, token, sums: next.value }));
  return next.value;
}

/** Fires chosen orders, and returns the ids of those that fired. */
function* fireChildren(
  crossed: readonly Touched[],
  chosen: readonly Chosen[],
  conditions: Conditions,
): FiringProcedure<string[]> {
  const fired: string[] = [];
  const touched = new Map(crossed.map((each) => [idOf(each.order), each]));
  for (let left = chosen; left.length > 0; ) {
    // Makes another child of a wallet only once the first one is in its lane.
    const wallets = left.map((each) => each.crossed.wallet);
    const isFirst = (_: Chosen, index: number) => wallets.indexOf(wallets[index] as string) === index;
    const wave = left.filter(isFirst);
    left = left.filter((each) => !wave.includes(each));
    const nowMs = yield* performFiring({ do: "now" });
    const children = wave.map((each) => {
      const { order, leg } = touched.get(each.crossed.orderId) as Touched;
      const orderId = childIdOf(order.mandate, order.n + 1);
      return { order, orderId, leg, validUntil: childValidUntil(order, nowMs), chosen: each };
    });
    const made = yield* performFiring({ do: "prepareChildren", children });
    for (const [index, { order, orderId }] of children.entries()) {
      const child = made[index] ?? { attention: undefined };
      if (yield* fireChild(touched.get(idOf(order)) as Touched, orderId, child, conditions))
        fired.push(idOf(order));
    }
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
  return yield* performFiring({ do: "fire", order: next, orderId, child });
}

/** Notes what keeps orders from firing. Orders whose prices were not asked for keep what was noted before. */
function* attend(orders: readonly RestingOrder[], conditions: Conditions): FiringProcedure<void> {
  const nowMs = yield* performFiring({ do: "now" });
  for (const order of orders) {
    const codes = conditions.get(idOf(order));
    if (codes === undefined || order.state === "done") continue;
    const attention = attentionAfter(order.attention, codes, nowMs);
    if (!isDeepStrictEqual(attention, order.attention)) yield* written({ ...order, attention });
  }
}
