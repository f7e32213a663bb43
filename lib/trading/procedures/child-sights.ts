import {
  afterBuy,
  afterFill,
  type BuySight,
  endOfExit,
  sightOfBuy,
} from "../../orders/resting/exits/after-buy.ts";
import {
  type ChildView,
  type ExitView,
  type FiringFamily,
  type FiringProcedure,
  type ParentView,
  performFiring,
} from "../../orders/resting/firing.ts";
import { afterSights, type ChildSight, type OutChild, type RestingOrder } from "../../orders/resting/life.ts";
import { fillIdOf } from "../../orders/resting/slices.ts";

type SightOf = (child: OutChild) => ChildSight;

/** A child, or the buy of an exit, whose swap may be in a block. */
type Asked = {
  order: RestingOrder;
  child: OutChild;
  view: ChildView;
  /** Id of the order that names the marker of the swap on sol. */
  fillId: string;
};

/**
 * Returns what is certain about children and buys of exits, and what both hosts say about those that are worth asking
 * about.
 */
export function* sightsOf(family: FiringFamily, parents: readonly ParentView[]): FiringProcedure<SightOf> {
  const readMs = yield* performFiring({ do: "now" });
  const sights = new Map<string, ChildSight>();
  const asked = new Map<string, Asked>();
  for (const parent of parents) {
    for (const each of swapsOf(parent)) {
      const { orderId } = each.child;
      const known = unsignedSight(each.view);
      if (known !== undefined) sights.set(orderId, known);
      else if (isWorthAsking(each, readMs)) asked.set(orderId, each);
    }
  }
  const questions = [...asked.values()].map(({ order, child, fillId, view: { signed } }) => ({
    wallet: order.mandate.wallet,
    fillId,
    child,
    signed: signed?.swap,
  }));
  const words = questions.length === 0 ? [] : yield* performFiring({ do: "childWords", questions });
  const nowMs = yield* performFiring({ do: "now" });
  for (const [index, { order, child, view }] of [...asked.values()].entries()) {
    const { chain } = order.mandate;
    sights.set(child.orderId, family.sightOf({ chain, child, view, nowMs }, words[index] ?? silence));
  }
  return ({ orderId }) => sights.get(orderId) ?? { is: "unclear" };
}

export const silence = [undefined, undefined] as const;

function swapsOf({ order, children, exit }: ParentView): Asked[] {
  const { orderId } = order.mandate;
  const own = order.out.flatMap((child) => {
    const view = children.get(child.orderId);
    return view ? [{ order, child, view, fillId: fillIdOf({ orderId, slice: child.slice }) }] : [];
  });
  const { child, view, markerId = "" } = exit?.buy ?? {};
  return child && view ? [...own, { order, child, view, fillId: markerId }] : own;
}

/** Sight of an unsigned child that the signer refuses from now on. It needs no host's word. */
function unsignedSight({ signed, yields, isRefused }: ChildView): ChildSight | undefined {
  if (signed !== undefined) return undefined;
  if (yields) return { is: "dead", outcome: "yielded" };
  return isRefused ? { is: "dead", outcome: "unsent" } : undefined;
}

/** Asks hosts only about swaps that have an outcome, whose fill counts already, or that are past their deadline. */
function isWorthAsking({ order, child, view }: Asked, nowMs: number): boolean {
  const { hasEnded, isProvenDead, signed } = view;
  const isCounted =
    order.filled === child.orderId || (order.entry !== undefined && !order.out.includes(child));
  return isCounted || hasEnded || isProvenDead || nowMs > (signed?.deadline ?? child.validUntil) * 1000;
}

/** Returns the certain facts about the buy of an exit. A final buy is not read again. Other orders need none. */
export const buySightOf = ({ order, exit }: ParentView, sightOf: SightOf): BuySight =>
  exit?.buy === undefined ? "filled" : sightOfBuy(exit.buy, sightOf, order.entry);

/**
 * Moves an order by what is certain about its children and, for an exit, about its buy and its position. Undefined if
 * another run has moved it meanwhile.
 */
export function* movedBySights(
  parent: ParentView,
  sightOf: SightOf,
  nowMs: number,
): FiringProcedure<RestingOrder | undefined> {
  const { order, exit, end } = parent;
  const sight = buySightOf(parent, sightOf);
  const ofExit = exit && endOfExit(order, exit, sight);
  const seen = afterSights(order, sightOf, { ...end, ofExit, nowMs });
  // An exit whose child has just died may fire again in this run, so its buy and its position must be right by then.
  const next = exit === undefined ? seen : yield* exitAfter(seen, exit, sight, nowMs);
  return next === order ? order : yield* written(next);
}

/** Lets an exit rest once its buy has filled, and makes it wait again if the buy is taken back. */
function* exitAfter(
  order: RestingOrder,
  exit: ExitView,
  sight: BuySight,
  nowMs: number,
): FiringProcedure<RestingOrder> {
  const { buy } = exit;
  if (order.state !== "pending") return afterBuy(order, exit, sight, nowMs);
  const signed = buy?.view?.signed;
  if (sight !== "filled" || buy === undefined || signed === undefined) return order;
  const birth = yield* performFiring({ do: "birthWords", order, signed: signed.swap });
  return birth === undefined ? order : afterFill(order, buy, birth, nowMs);
}

/** Writes a moved order. Undefined if another run has moved it meanwhile. */
export function* written(order: RestingOrder): FiringProcedure<RestingOrder | undefined> {
  const isWritten = yield* performFiring({ do: "moveParent", order });
  return isWritten ? { ...order, revision: order.revision + 1 } : undefined;
}
