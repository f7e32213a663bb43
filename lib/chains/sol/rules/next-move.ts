import type { Recipients } from "../../../orders/effects.ts";
import type { LaneState, Move } from "../../../orders/lane-core.ts";
import { isSettleable, orderStep, settleStep } from "../../../orders/lane-steps.ts";
import type { TradeStep } from "../../../orders/table-step.ts";
import {
  beingCancelled,
  cancelledByUser,
  hasEnded,
  hasSignedSwap,
  isSameLife,
  lifeAfter,
  type OrderEnd,
  type TradeOrder,
} from "../../../orders/trade-order.ts";
import { limitsInLane, objectionOf, rulesAt } from "../../../orders/wallet-policy.ts";
import { attemptsOf, bumpAfterMs, mostClears, succeedAfterMs } from "./attempts.ts";
import type { Sol } from "./family.ts";
import { bothConfirm, bothSeen } from "./host-snapshot.ts";
import type { SolMessage } from "./message.ts";
import { isDecided, isTooLate, slotOfOrder, solLifeOf } from "./order-life.ts";
import { planClear, planSwap } from "./planning.ts";
import { lastSigningMs, siblingSlotsOf, siblingsOf } from "./siblings.ts";
import {
  countOf,
  isFinalSol,
  isMarked,
  isOutdated,
  mayLand,
  observedSol,
  type SolAttempt,
  type SolSlot,
  successOf,
  withSolSendings,
} from "./slot.ts";

type State = LaneState<Sol>;
type SolOrder = TradeOrder<Sol>;
type SolMove = Move<Sol>;

/** True if it is time to sign a message that can fill the order. */
export function wantsSwap(order: SolOrder, slot: SolSlot | undefined, nowMs: number): boolean {
  if (slot === undefined) return true;
  if (order.intent.parent !== undefined && isTooLate(order, nowMs, slot)) return false;
  return slot.state === "lapsed" || (slot.state === "signed" && nowMs >= nextAttemptMs(order, slot));
}

/**
 * Computes when a pending message is followed by the next one: soon, if the attempts that are left then suffice until
 * the order's deadline, but before the message is too old for any block.
 */
function nextAttemptMs(order: SolOrder, slot: SolSlot): number {
  const left = attemptsOf(order.intent) - countOf(slot, "swap");
  if (left <= 0) return Number.POSITIVE_INFINITY;
  const { signedAtMs, sentAtMs = signedAtMs } = slot.attempts.at(-1) as SolAttempt;
  const sufficeFromMs = lastSigningMs(order, slot) - left * succeedAfterMs;
  return Math.min(signedAtMs + succeedAfterMs, Math.max(sentAtMs + bumpAfterMs, sufficeFromMs));
}

/** True if a cancelled order needs a clear, because its messages may still fill it. */
export const wantsClear = ({ life, isCancelling }: SolOrder, slot: SolSlot | undefined): slot is SolSlot =>
  life.status === "open" && isCancelling && slot?.state === "signed" && countOf(slot, "clear") < mostClears;

/**
 * Decides only from the current state of the table and the chain, so any later run can continue one that stopped. It
 * first records events on the chain, then ends orders, and then begins new work.
 */
export function nextSolMove(state: State): SolMove {
  const slots = state.view.slots.map((slot) => observedSol(slot, state.snapshots, besideSlot(state, slot)));
  const sent = slots.map((slot) => withSolSendings(slot, state.sendings));
  return (
    recordMove(state, slots) ??
    sendMove(state, slots) ??
    recordMove(state, sent, true) ??
    endMove(state) ??
    settleMove(state) ??
    clearMove(state) ??
    beginMove(state) ?? { kind: "rest" }
  );
}

/** Lists the other slots whose messages make the same marker as a slot's. */
function besideSlot({ view: { orders, slots } }: State, { orderId }: SolSlot): SolSlot[] {
  const order = orders.find(({ intent }) => intent.orderId === orderId);
  return order === undefined ? [] : siblingSlotsOf(order, orders, slots);
}

/** Records changes that the hosts report. Changes of orders whose slots stay the same wait until everything is sent. */
function recordMove(state: State, slots: readonly SolSlot[], isSent = false): SolMove | undefined {
  for (const order of state.view.orders) {
    const slot = slotOfOrder(order, slots);
    const put = slot === undefined || state.view.slots.includes(slot) ? [] : [slot];
    const life = solLifeOf(order, slots, state);
    if (put.length > 0 || (isSent && !isSameLife(life, order.life)))
      return { kind: "write", step: orderStep(state, order, { life }, { put }) };
  }
  return undefined;
}

/**
 * True if the operators' limit or the user's policy currently forbids the order.
 * @param adds What the order adds to the day's count, without fees. Absent if the count already includes it.
 */
function isForbidden({ view, nowMs, chainLimits }: State, { intent }: SolOrder, adds?: bigint): boolean {
  const { maxOrder } = chainLimits;
  if (intent.side === "buy" && maxOrder !== undefined && intent.amount > maxOrder) return true;
  const limits = limitsInLane(view.limits, intent);
  if (limits === undefined) return false;
  return objectionOf(rulesAt(limits, nowMs, chainLimits), { ...intent, adds }) !== undefined;
}

/** True if messages that can fill the order may be sent or signed. */
const mayFill = (state: State, order: SolOrder): boolean =>
  !state.view.isStopped &&
  !state.view.retired.has(order.intent.userID) &&
  !state.view.cancelled.has(order.intent.orderId) &&
  !order.isCancelling &&
  !isForbidden(state, order);

/** Sends the newest message of each order once per run, until it is too old for any block. */
function sendMove(state: State, slots: readonly SolSlot[]): SolMove | undefined {
  for (const slot of slots) {
    const newest = slot.attempts.at(-1);
    const raw = newest && state.view.bytes.get(newest.hash);
    if (newest === undefined || raw === undefined || state.sendings.has(newest.hash)) continue;
    if (slot.state !== "signed" || isOutdated(newest, state.snapshots)) continue;
    const order = state.view.orders.find(({ intent }) => intent.orderId === slot.orderId);
    if (order === undefined || (newest.purpose === "swap" && !mayFill(state, order))) continue;
    return { kind: "send", hash: newest.hash, raw, to: recipientsOf(slot, newest) };
  }
  return undefined;
}

/** Chooses who receives a message. A message that makes only the marker reveals nothing, so it goes to all. */
const recipientsOf = ({ isPrivate }: SolSlot, { purpose }: SolAttempt): Recipients =>
  !isPrivate ? "hosts" : purpose === "clear" ? "relay and hosts" : "relay";

/** Ends orders that must not begin. The signer signs nothing for an order that has changed in the meantime. */
function endMove(state: State): SolMove | undefined {
  const { view } = state;
  for (const order of view.orders.filter((each) => !hasEnded(each))) {
    const isSigned = hasSignedSwap(order, view.slots);
    const ending = isSigned ? undefined : endingOf(order, state);
    if (ending !== undefined) return endWith(state, order, ending);
    if (isSigned && view.cancelled.has(order.intent.orderId) && !order.isCancelling)
      return { kind: "write", step: orderStep(state, order, beingCancelled(order)) };
  }
  return undefined;
}

/**
 * Ends an order without messages. Fails if the signer has recorded a message since the table was read, because a run
 * that no longer holds the lane may have called the signer.
 */
function endWith(state: State, order: SolOrder, ending: OrderEnd): SolMove {
  const life = lifeAfter(order.life, ending);
  const { orderId } = order.intent;
  const isUnsigned = { kind: "check", of: "ledger", item: { orderId }, when: "absent" } as const;
  return { kind: "write", step: [...orderStep(state, order, { ending, life }), isUnsigned] };
}

/** Uses the clock while nothing is signed, because ending an order too early is harmless. */
function endingOf(order: SolOrder, state: State): OrderEnd | undefined {
  const { intent, life } = order;
  const { view, snapshots, nowMs } = state;
  if (view.cancelled.has(intent.orderId)) return cancelledByUser;
  if (view.retired.has(intent.userID)) return { status: "cancelled", reasonCode: "WALLET_RETIRED" };
  // A sibling has filled, so no message of this child can.
  if (bothConfirm(snapshots, ({ markers }) => markers.get(intent.orderId) === true))
    return { status: "expired", reasonCode: "REPLACED" };
  if (view.isStopped) return { status: "rejected", reasonCode: "TRADING_DISABLED" };
  if (isForbidden(state, order, intent.amount)) return { status: "rejected", reasonCode: "POLICY_LIMIT" };
  if (nowMs < intent.validUntil * 1000) return undefined;
  const silence = bothSeen(snapshots) ? "NOT_INCLUDED" : "CHAIN_UNAVAILABLE";
  return { status: "expired", reasonCode: life.reasonCode ?? silence };
}

function settleMove(state: State): SolMove | undefined {
  const { view, snapshots } = state;
  for (const order of view.orders) {
    const { ending } = order;
    const slot = slotOfOrder(order, view.slots);
    // Settles last, because its receipt is what proves that its siblings cannot fill.
    const isProof = slot !== undefined && successOf(slot) !== undefined;
    if (isProof && siblingsOf(order, view.orders).length > 0) continue;
    const isFound =
      ending?.soldOutIn === undefined ||
      ending.soldOutIn.every(({ number }) => bothConfirm(snapshots, ({ height }) => height.slot >= number));
    if (
      isFound &&
      isSettleable<Sol>(order, (each) => isFinalSol(each, snapshots, besideSlot(state, each)), view.slots)
    )
      return { kind: "write", step: settleStep(state, order, order.life) };
  }
  return undefined;
}

/** Signs a clear for orders that are cancelled or forbidden, so that none of their other messages has an effect. */
function clearMove(state: State): SolMove | undefined {
  const { view, snapshots, chainLimits } = state;
  for (const order of view.orders) {
    const slot = slotOfOrder(order, view.slots);
    if (!wantsClear(order, slot) || isMarked(slot, snapshots)) continue;
    const message = planClear(order, { snapshots, limits: chainLimits });
    if (message !== undefined) return signMove(state, order, slot, message);
    if (state.isPatient) return { kind: "ask again" };
  }
  return undefined;
}

/** Signs an order's first message, or a replacement for a message that is in no block. */
function beginMove(state: State): SolMove | undefined {
  const { view, nowMs, chainLimits: limits } = state;
  const plans = view.orders
    .filter((order) => mayBegin(state, order))
    .map((order) => {
      const slot = slotOfOrder(order, view.slots);
      return {
        order,
        slot,
        plan: planSwap(order, slot, { view, snapshots: state.snapshots, nowMs, limits }),
      };
    });
  if (state.isPatient && plans.some(({ plan }) => "wait" in plan && plan.wait === "CHAIN_UNAVAILABLE"))
    return { kind: "ask again" };
  for (const { order, slot, plan } of plans) {
    if ("message" in plan && slot?.attempts.some((attempt) => isSameMessage(attempt, plan.message))) continue;
    if ("message" in plan)
      return plan.amount === order.amount
        ? signMove(state, order, slot, plan.message)
        : { kind: "write", step: orderStep(state, order, { amount: plan.amount }) };
    // Keeps the order, because an earlier message may still fill it.
    if (slot !== undefined) continue;
    if ("end" in plan) return endWith(state, order, plan.end);
    const life = { ...order.life, stage: "waiting", reasonCode: plan.wait } as const;
    if (!isSameLife(life, order.life)) return { kind: "write", step: orderStep(state, order, { life }) };
  }
  return undefined;
}

/**
 * True if signing would produce the same bytes again, because there is no new block and the budget allows no higher
 * fee.
 */
const isSameMessage = (attempt: SolAttempt, message: SolMessage): boolean =>
  attempt.purpose === message.purpose &&
  attempt.lastValidBlockHeight === message.lastValidBlockHeight &&
  attempt.microLamportsPerUnit === message.microLamportsPerUnit;

function mayBegin(state: State, order: SolOrder): boolean {
  const { view, snapshots, nowMs } = state;
  const slot = slotOfOrder(order, view.slots);
  if (hasEnded(order) || !mayFill(state, order) || isTooLate(order, nowMs, slot)) return false;
  if (slot === undefined) return !isMarked(order.intent, snapshots) && !isHeldBack(order, state);
  // The message was not due yet when the hosts were asked.
  if (snapshots.every((snapshot) => !snapshot?.orders.has(order.intent.orderId))) return false;
  if (isDecided(slot, snapshots) || !wantsSwap(order, slot, nowMs)) return false;
  return countOf(slot, "swap") < attemptsOf(order.intent) && !isHeldBack(order, state);
}

/**
 * Lets only one order of a token have pending messages, so that the fills are ordered by their slots. If hosts no
 * longer know the outcome of an order, it blocks others only while its messages are valid. Two legs of a resting order
 * do not wait for each other, because only one of them fills.
 */
const isHeldBack = ({ intent }: SolOrder, { view, snapshots }: State): boolean =>
  view.orders.some((other) => {
    if (other.intent.orderId === intent.orderId || other.intent.token !== intent.token) return false;
    const { parent } = other.intent;
    if (parent && parent.orderId === intent.parent?.orderId && parent.leg !== intent.parent.leg) return false;
    const slot = slotOfOrder(other, view.slots);
    return slot !== undefined && mayLand(slot, snapshots);
  });

function signMove({ view }: State, order: SolOrder, slot: SolSlot | undefined, message: SolMessage): SolMove {
  const { chain, wallet, orderId, userID } = order.intent;
  const place = slot?.place ?? 1 + Math.max(0, ...view.slots.map((each) => each.place));
  const attempt = 1 + (slot?.attempts.length ?? 0);
  const { purpose } = message;
  return {
    kind: "sign",
    order,
    request: { chain, wallet, orderId, userID, place, attempt, purpose, message },
  };
}

/** Rejects an order that the signer refuses. */
export const refusedSolStep = (
  state: State,
  order: SolOrder,
  reasonCode: OrderEnd["reasonCode"],
): TradeStep => {
  const move = endWith(state, order, { status: "rejected", reasonCode });
  return move.kind === "write" ? move.step : [];
};
