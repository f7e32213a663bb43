import type { Wei } from "../../../core/units.ts";
import type { LaneView, Recipients } from "../../../orders/effects.ts";
import type { LaneState, Move } from "../../../orders/lane-core.ts";
import { isProvenEnd } from "../../../orders/lane-deaths.ts";
import { isSettleable, orderStep, settleStep } from "../../../orders/lane-steps.ts";
import { triggerTimes } from "../../../orders/resting/times.ts";
import type { TradeStep } from "../../../orders/table-step.ts";
import {
  beingCancelled,
  cancelledByUser,
  hasEnded,
  isSameLife,
  type OrderEnd,
  slotsOf,
  type TradeOrder,
  yielded,
} from "../../../orders/trade-order.ts";
import { limitsInLane, objectionOf, rulesAt } from "../../../orders/wallet-policy.ts";
import { bumpedTerms, clearTerms, type FeeTerms } from "./attempt-fees.ts";
import type { Evm } from "./family.ts";
import { bumpDueMs, clearPreset, repriceMs } from "./fee-bumps.ts";
import { agreedNonce, bothAnswered, type EvmSnapshots, isPast } from "./host-snapshot.ts";
import type { EvmCall } from "./intent.ts";
import { evmLifeOf, fillDeadline, swapSlotOf } from "./order-life.ts";
import { planFor, swapDeadline } from "./planning.ts";
import { areFinal } from "./seen-blocks.ts";
import {
  type EvmAttempt,
  type EvmSlot,
  isFinalEvm,
  mostFeeOf,
  newestAttempt,
  observedEvm,
  withEvmSendings,
} from "./slot.ts";

/**
 * Decides only from the current state of the table and the chain, so any later run can continue one that stopped. It
 * first records events on the chain, then ends orders, and then begins new work.
 */
export function nextEvmMove(state: LaneState<Evm>): Move<Evm> {
  const slots = state.view.slots.map((slot) => observedEvm(slot, state.snapshots));
  const front = slots.find(({ state }) => state === "signed");
  return (
    recordMove(state, slots) ??
    (front && sendMove(state, front)) ??
    recordMove(
      state,
      slots.map((slot) => withEvmSendings(slot, state.sendings)),
      true,
    ) ??
    endMove(state) ??
    settleMove(state) ??
    (front && !isBehindGap(front, state.snapshots) ? replaceMove(state, front) : beginMove(state)) ?? {
      kind: "rest",
    }
  );
}

const orderOf = ({ view }: LaneState<Evm>, slot: EvmSlot) =>
  view.orders.find(({ intent }) => intent.orderId === slot.orderId) as TradeOrder<Evm>;

/** Records changes that the hosts report. Changes of orders whose slots stay the same wait until everything is sent. */
function recordMove(state: LaneState<Evm>, slots: readonly EvmSlot[], isSent = false): Move<Evm> | undefined {
  const isNew = (slot: EvmSlot) => !state.view.slots.includes(slot);
  for (const order of state.view.orders) {
    const put = slotsOf(order, slots).filter(isNew);
    const life = evmLifeOf(order, slots, state.snapshots);
    if (put.length > 0 || (isSent && !isSameLife(life, order.life)))
      return { kind: "write", step: orderStep(state, order, { life }, { put }) };
  }
  return undefined;
}

/** True if the order's swap or approval may be sent, or sent again. The day's count already includes what it pays. */
const maySend = (state: LaneState<Evm>, order: TradeOrder<Evm>) =>
  !state.view.isStopped &&
  !state.view.retired.has(order.intent.userID) &&
  !state.view.cancelled.has(order.intent.orderId) &&
  !order.isCancelling &&
  !order.yields &&
  !isPast(fillDeadline(order, state.view.slots), state.snapshots) &&
  !isForbidden(state, order);

/**
 * True if the operators' limit or the user's policy currently forbids the order.
 * @param fee The highest network fee of its next signature. Absent if that transaction is already signed.
 */
function isForbidden(
  { view, nowMs, chainLimits }: LaneState<Evm>,
  { intent }: TradeOrder<Evm>,
  fee?: Wei,
): boolean {
  const { maxOrder, maxNetworkFee } = chainLimits;
  if (intent.side === "buy" && maxOrder !== undefined && intent.amount > maxOrder) return true;
  // The limit may have fallen since the transaction was planned. The signer would refuse it, which raises an alarm.
  if (fee !== undefined && fee > maxNetworkFee) return true;
  const limits = limitsInLane(view.limits, intent);
  if (limits === undefined) return false;
  const adds = fee === undefined ? undefined : intent.amount + fee;
  return (
    objectionOf(rulesAt(limits, nowMs, chainLimits), { ...intent, adds, networkFees: fee }) !== undefined
  );
}

function sendMove(state: LaneState<Evm>, front: EvmSlot): Move<Evm> | undefined {
  const newest = newestAttempt(front) as NonNullable<ReturnType<typeof newestAttempt>>;
  const { purpose, hash, maxFeePerGas, maxPriorityFeePerGas } = newest;
  if (state.sendings.has(hash)) return undefined;
  const order = orderOf(state, front);
  if (purpose !== "clear" && !maySend(state, order)) return undefined;
  const raw = state.view.bytes.get(hash);
  if (raw !== undefined) return { kind: "send", hash, raw, to: recipientsOf(front, purpose) };
  // Signs again if the bytes have expired or were deleted. The signer produces the same bytes.
  return signMove(order, front, purpose, { fees: { maxFeePerGas, maxPriorityFeePerGas } });
}

/**
 * Chooses who receives a transaction. A transaction that frees a nonce reveals nothing, so it goes to all. It needs the
 * public pool to get into a block, because relays treat it as a cancellation of a transaction they hold, and never
 * include it.
 */
const recipientsOf = ({ isPrivate }: EvmSlot, purpose: EvmCall["purpose"]): Recipients =>
  !isPrivate ? "hosts" : purpose === "clear" ? "relay and hosts" : "relay";

/** Ends orders that must not begin. The same step removes a planned slot, so that the slot cannot be signed. */
function endMove(state: LaneState<Evm>): Move<Evm> | undefined {
  const { view } = state;
  for (const order of view.orders) {
    const swap = swapSlotOf(order, view.slots);
    const isSigned = swap !== undefined && swap.state !== "planned";
    const ending = hasEnded(order) || isSigned ? undefined : endingOf(order, state);
    if (ending !== undefined) return endWith(state, order, ending);
    if (isSigned && isToCancel(view, order))
      return { kind: "write", step: orderStep(state, order, beingCancelled(order)) };
    // Removes the planned approval of an ended order.
    const removed = slotsOf(order, view.slots).filter(({ state }) => state === "planned");
    if (hasEnded(order) && removed.length > 0)
      return { kind: "write", step: orderStep(state, order, { swapNonce: undefined }, { removed }) };
  }
  return undefined;
}

/** True if the cancellation is recorded but not yet written to the order. */
const isToCancel = ({ cancelled }: LaneView<Evm>, order: TradeOrder<Evm>) =>
  cancelled.has(order.intent.orderId) && !order.isCancelling && !hasEnded(order);

function endWith(state: LaneState<Evm>, order: TradeOrder<Evm>, ending: OrderEnd): Move<Evm> {
  const removed = slotsOf(order, state.view.slots).filter(({ state }) => state === "planned");
  const ended = { ...order, ending };
  const changes = { ending, life: evmLifeOf(ended, state.view.slots, state.snapshots) };
  return { kind: "write", step: orderStep(state, order, changes, { removed }) };
}

/** Uses the clock while nothing is signed, because ending an order too early is harmless. */
function endingOf(order: TradeOrder<Evm>, state: LaneState<Evm>): OrderEnd | undefined {
  const { intent, life } = order;
  const { view, snapshots, nowMs } = state;
  if (view.cancelled.has(intent.orderId)) return cancelledByUser;
  if (view.retired.has(intent.userID)) return { status: "cancelled", reasonCode: "WALLET_RETIRED" };
  if (order.yields) return yielded;
  if (view.isStopped) return { status: "rejected", reasonCode: "TRADING_DISABLED" };
  const planned = slotsOf(order, view.slots).find((slot) => slot.state === "planned");
  const fee = planned === undefined ? 0n : mostFeeOf({ ...planned, ...planned.fees });
  if (isForbidden(state, order, fee)) return { status: "rejected", reasonCode: "POLICY_LIMIT" };
  if (nowMs < intent.validUntil * 1000 && !isPast(intent.validUntil, snapshots)) return undefined;
  const silence = bothAnswered(snapshots) ? "WALLET_BUSY" : "CHAIN_UNAVAILABLE";
  return { status: "expired", reasonCode: life.reasonCode ?? silence };
}

function settleMove(state: LaneState<Evm>): Move<Evm> | undefined {
  const { view, snapshots } = state;
  for (const order of view.orders) {
    const { ending } = order;
    const isFound = ending?.soldOutAt === undefined || areFinal(ending.soldOutIn ?? [], snapshots);
    if (isFound === undefined || !isSettleable(order, (slot) => isFinalEvm(slot, snapshots), view.slots))
      continue;
    if (!isProvenEnd(view, state.rules, order)) continue;
    if (isFound) return { kind: "write", step: settleStep(state, order, order.life) };
    // The chain has dropped the transaction that emptied the wallet, so the sale does not affect the position.
    const { soldOutAt: _, soldOutIn: __, ...rest } = ending as OrderEnd;
    return { kind: "write", step: orderStep(state, order, { ending: rest }) };
  }
  return undefined;
}

/** True if a gap at a lower nonce, left by another program, blocks the transaction. Higher fees then do not help. */
const isBehindGap = ({ place }: EvmSlot, snapshots: EvmSnapshots) =>
  snapshots.every((each) => each === undefined || each.nonce.latest < place);

/** Replaces the newest attempt by one with higher fees, or by a transaction that clears the nonce. */
function replaceMove(state: LaneState<Evm>, front: EvmSlot): Move<Evm> | undefined {
  const { snapshots, nowMs } = state;
  const newest = newestAttempt(front);
  if (newest === undefined || snapshots.every((snapshot) => snapshot === undefined)) return undefined;
  const order = orderOf(state, front);
  const deadline = fillDeadline(order, [front]);
  // Clears the nonce of a transaction that may no longer be sent, because it would block later orders.
  const isLapsed =
    isPast(deadline, snapshots) ||
    isForbidden(state, order) ||
    order.yields ||
    (order.isCancelling && front.call.purpose === "swap");
  const purpose: EvmCall["purpose"] = isLapsed ? "clear" : newest.purpose;
  const dueMs = replaceDueMs(order, front, newest);
  // Keeps the fees of an attempt that nobody accepted, unless it pays too little. Each run sends such an attempt again.
  const isUnreached = front.isUndelivered && front.refusal !== "underpriced";
  if (purpose === newest.purpose && (nowMs < dueMs || isUnreached)) return undefined;
  // The signer checks the deadline by its own clock, which may be ahead of the blocks' time.
  const isTooLate = hasEnded(order) || nowMs >= deadline * 1000 || !maySend(state, order);
  if (purpose !== "clear" && isTooLate) return undefined;
  const terms =
    purpose === "clear" ? clearTerms(state, order, front) : bumpedTerms(purpose, state, order, front);
  return terms && signMove(order, front, purpose, terms);
}

/** Earliest time at which an attempt may be replaced by one with higher fees. */
function replaceDueMs({ intent }: TradeOrder<Evm>, slot: EvmSlot, newest: EvmAttempt): number {
  if (isTooCheap(slot, newest)) return newest.signedAtMs + repriceMs;
  const preset = newest.purpose === "clear" ? clearPreset : intent.gasPreset;
  return bumpDueMs(preset, newest.sentAtMs ?? newest.signedAtMs);
}

/**
 * True if a run that ends by the given time may need facts about an open order. If its swap is signed, facts are needed
 * only to raise the fees.
 */
export function wantsFacts(order: TradeOrder<Evm>, slots: readonly EvmSlot[], untilMs: number): boolean {
  const swap = swapSlotOf(order, slots);
  const newest = swap && newestAttempt(swap);
  if (swap?.state !== "signed" || newest === undefined) return true;
  return newest.purpose !== "clear" && untilMs >= replaceDueMs(order, swap, newest);
}

/**
 * True if all hosts refuse an attempt because of its fees. If only a relay refuses it, that does not count, because the
 * relay could lie to raise fees.
 */
const isTooCheap = ({ refusal, isPrivate }: EvmSlot, { purpose }: EvmAttempt): boolean =>
  refusal === "underpriced" && (!isPrivate || purpose === "clear");

const signMove = (
  order: TradeOrder<Evm>,
  slot: EvmSlot,
  purpose: EvmCall["purpose"],
  terms: FeeTerms,
): Move<Evm> => {
  const { chain, wallet, place, orderId, userID } = slot;
  return { kind: "sign", order, request: { chain, wallet, place, orderId, userID, purpose, ...terms } };
};

/**
 * Signs a planned transaction, or plans one for the first order that can continue. A wallet has only one pending
 * transaction at a time, apart from transactions that wait behind a gap.
 */
function beginMove(state: LaneState<Evm>): Move<Evm> | undefined {
  const { view, snapshots } = state;
  const planned = view.slots.find(({ state }) => state === "planned");
  if (planned !== undefined) return plannedMove(state, planned);
  const plans = view.orders
    .filter((order) => isUnplanned(order) && !isHeldBack(order, view.orders))
    .map((order) => ({ order, plan: planFor(order, view, snapshots, state) }));
  if (state.isPatient && plans.some(({ plan }) => "wait" in plan && plan.wait === "CHAIN_UNAVAILABLE"))
    return { kind: "ask again" };
  for (const { order, plan } of plans) {
    if ("end" in plan) return endWith(state, order, plan.end);
    if ("slot" in plan) return planMove(state, order, plan.slot, plan.amount);
    const life = { ...order.life, stage: "waiting", reasonCode: plan.wait } as const;
    if (!isSameLife(life, order.life)) return { kind: "write", step: orderStep(state, order, { life }) };
  }
  return undefined;
}

const isUnplanned = (order: TradeOrder<Evm>) => !hasEnded(order) && order.swapNonce === undefined;

/** True if an order has to wait because its exact approval would overwrite the approval of another sale. */
const isHeldBack = ({ intent, approveNonces }: TradeOrder<Evm>, orders: readonly TradeOrder<Evm>[]) =>
  intent.side === "sell" &&
  approveNonces.length === 0 &&
  orders.some(
    (other) => isUnplanned(other) && other.approveNonces.length > 0 && other.intent.token === intent.token,
  );

function planMove(state: LaneState<Evm>, order: TradeOrder<Evm>, slot: EvmSlot, amount: bigint): Move<Evm> {
  const { reasonCode: _, ...progress } = order.life;
  const noted =
    slot.call.purpose === "swap"
      ? { swapNonce: slot.place, amount }
      : { approveNonces: [...order.approveNonces, slot.place] };
  const life = { ...progress, stage: "queued" } as const;
  return { kind: "write", step: orderStep(state, order, { life, ...noted }, { put: [slot] }) };
}

/**
 * Signs a planned slot. Removes it if the next nonce has changed, or a part of a short life has passed. Also removes what
 * the placing has planned if its facts no longer apply, because prices, limits or the wallet's other transactions may
 * have changed.
 */
function plannedMove(state: LaneState<Evm>, slot: EvmSlot): Move<Evm> | undefined {
  const order = orderOf(state, slot);
  // Only a run raises an order's revision when it plans.
  if (order.revision > 1 || state.arePlaced) {
    const nonce = agreedNonce(state.snapshots);
    if (nonce === undefined) return state.isPatient ? { kind: "ask again" } : undefined;
    if (nonce === slot.place && !isStale(slot, order, state.nowMs))
      return signMove(order, slot, slot.call.purpose, { fees: slot.fees });
  }
  const approveNonces = order.approveNonces.filter((each) => each !== slot.place);
  const changes = slot.call.purpose === "swap" ? { swapNonce: undefined } : { approveNonces };
  return { kind: "write", step: orderStep(state, order, changes, { removed: [slot] }) };
}

/** True if a child's swap would have more time if it were planned now. */
const isStale = ({ call }: EvmSlot, order: TradeOrder<Evm>, nowMs: number): boolean =>
  call.purpose === "swap" && call.deadline + triggerTimes.signingSeconds < swapDeadline(order, nowMs);

/** Rejects an order that the signer refuses. */
export const refusedEvmStep = (
  state: LaneState<Evm>,
  order: TradeOrder<Evm>,
  reasonCode: OrderEnd["reasonCode"],
): TradeStep => {
  const move = endWith(state, order, { status: "rejected", reasonCode });
  return move.kind === "write" ? move.step : [];
};
