import type { Wei } from "../../../core/units.ts";
import { greatest, least } from "../../../orders/bigints.ts";
import type { LaneState } from "../../../orders/lane-core.ts";
import { slotsOf, type TradeOrder } from "../../../orders/trade-order.ts";
import {
  limitsInLane,
  limitsOfClears,
  noStoredLimits,
  restOfDay,
  restOfFees,
} from "../../../orders/wallet-policy.ts";
import type { Evm } from "./family.ts";
import { bumped } from "./fee-bumps.ts";
import { clearGas, clearGasFor, feeCap, type HostFees } from "./fees.ts";
import type { EvmCall, EvmFees } from "./intent.ts";
import { jointFees } from "./joint-facts.ts";
import { clearCap, feeLimit } from "./signing-rules.ts";
import { type EvmSlot, feesSigned, newestAttempt } from "./slot.ts";

type Order = TradeOrder<Evm>;

/** Fees of an attempt, and the gas limit of a clear unless it is the usual one. */
export type FeeTerms = Pick<Evm["asked"], "fees" | "clearGas">;

/**
 * Chooses the terms of a clear: the gas that hosts estimate or, if that would cost more than the order may pay, the
 * usual amount, so that no host's estimate leaves the wallet stuck.
 */
export function clearTerms(state: LaneState<Evm>, order: Order, slot: EvmSlot): FeeTerms | undefined {
  const estimated = clearGasFor(state.snapshots.flatMap((snapshot) => snapshot?.clearGas ?? []));
  const feesWith = (gasLimit: bigint) => clearFees(state, order, slot, gasLimit);
  const dear = estimated === clearGas ? undefined : feesWith(estimated);
  if (dear !== undefined) return { fees: dear, clearGas: estimated };
  const fees = feesWith(clearGas);
  return fees && { fees };
}

/** Computes the fees of a clear, within the order's limits and the operators'. */
function clearFees(
  state: LaneState<Evm>,
  order: Order,
  slot: EvmSlot,
  gasLimit: bigint,
): EvmFees | undefined {
  const { view, snapshots } = state;
  const { intent } = order;
  const newest = newestAttempt(slot);
  if (newest === undefined) return undefined;
  const seen = snapshots.filter((snapshot) => snapshot !== undefined);
  const l1Fee = greatest(0n, ...seen.map(({ clearL1Fee }) => clearL1Fee));
  const signed = feesSigned(slotsOf(order, view.slots));
  const most = feeLimit(intent, signed, slot.place, roomForFees(state, order, slot, "clear"));
  const maxGasPrice = view.maxGasPrices.get(intent.userID) ?? 0n;
  const cap = clearCap(intent, maxGasPrice, slot, most, { gasLimit, l1Fee });
  return bumped(newest, wantedFees(seen.map((each) => each.clearFees)) ?? newest, cap);
}

/** Chooses the terms of the next attempt at a swap or approval, within the order's limits and the operators'. */
export function bumpedTerms(
  purpose: "swap" | "approve",
  state: LaneState<Evm>,
  order: Order,
  slot: EvmSlot,
): FeeTerms | undefined {
  const { snapshots } = state;
  const { intent } = order;
  const { maxGasPrice } = intent;
  const newest = newestAttempt(slot);
  if (newest === undefined) return undefined;
  const seen = snapshots.filter((snapshot) => snapshot !== undefined);
  const facts = seen.flatMap((snapshot) => snapshot.orders.get(intent.orderId) ?? []);
  if (facts.length === 0) return undefined;
  // Includes the L1 fee of the smallest transaction, which even a host without a route knows.
  const l1Fee = greatest(
    ...([0n, ...seen.map(({ clearL1Fee }) => clearL1Fee)] as const),
    ...facts.flatMap(({ routes }) => routes.map((each) => each.l1Fee[purpose])),
  );
  const maxNetworkFee = least(roomForFees(state, order, slot, purpose), roomOfDay(state, order, slot));
  const cap = feeCap({ maxGasPrice, maxNetworkFee }, { gasLimit: slot.gasLimit, l1Fee });
  const fees = bumped(newest, wantedFees(facts.map((each) => each.fees)) ?? newest, cap);
  return fees && { fees };
}

/**
 * Computes the most that the next attempt at a nonce may pay the network, within the limits of a transaction and
 * of a day.
 */
function roomForFees(
  { view, nowMs, chainLimits }: LaneState<Evm>,
  { intent }: Order,
  slot: EvmSlot,
  purpose: EvmCall["purpose"],
): Wei {
  const limits = limitsInLane(view.limits, intent) ?? noStoredLimits;
  const own = purpose === "clear" ? limitsOfClears(limits, chainLimits) : limits;
  const most = feesSigned([slot])[slot.place]?.most ?? 0n;
  return least(chainLimits.maxNetworkFee, most + restOfFees(own, nowMs, chainLimits));
}

/** Computes the most that the next attempt of a signed buy may pay the network within the day's spending limit. */
function roomOfDay({ view, nowMs, chainLimits }: LaneState<Evm>, { intent }: Order, slot: EvmSlot): Wei {
  const limits = limitsInLane(view.limits, intent);
  const rest = limits && restOfDay(limits, nowMs);
  if (intent.side === "sell" || rest === undefined) return chainLimits.maxNetworkFee;
  return (feesSigned([slot])[slot.place]?.most ?? 0n) + rest;
}

/**
 * Combines the fees of two hosts. If only one host answers, it could name any tip, so the next attempt then pays just
 * enough to replace the last one.
 */
const wantedFees = ([a, b]: readonly HostFees[]): EvmFees | undefined => a && b && jointFees([a, b]);
