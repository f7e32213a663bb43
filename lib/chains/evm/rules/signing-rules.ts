import type { Wei, WeiPerGas } from "../../../core/units.ts";
import { greatest, least } from "../../../orders/bigints.ts";
import type { Forbidden, Objection, SigningView } from "../../../orders/effects.ts";
import type { LaneKey } from "../../../orders/intent.ts";
import { objectionOfProgram } from "../../../orders/program-signing.ts";
import {
  type ChildTransaction,
  limitsGivenBack,
  objectionOfParent,
  takenOff,
} from "../../../orders/resting/child-signing.ts";
import { later, objectionToState, refused } from "../../../orders/signing-state.ts";
import type { Ledger } from "../../../orders/table-step.ts";
import {
  feesOfDay,
  limitsOfClears,
  objectionOf,
  objectionToFees,
  rulesAt,
} from "../../../orders/wallet-policy.ts";
import type { Evm } from "./family.ts";
import { replaces, replacing } from "./fee-bumps.ts";
import { clearGas, feeCap, type L1Fee, mostClearGas } from "./fees.ts";
import {
  type ApproveCall,
  allowsRoute,
  type EvmCall,
  type EvmFees,
  type EvmIntent,
  isSameCall,
  mostApprovals,
  mostEvmRoutes,
  mostNoncesAhead,
  type SwapCall,
  swapBy,
  type UnsignedEvmTransaction,
} from "./intent.ts";
import { type EvmSlot, mostFeeOf, type SignedFee } from "./slot.ts";

/** Maximum gas of a transaction. */
export const mostGas = 1_500_000n;

/**
 * Computes the maximum gas of an order's transaction. A swap may need more gas than when the order was placed, because
 * pools change; an approval does not.
 */
export function mostGasOf(purpose: EvmCall["purpose"], { gasLimit, approvalGas }: EvmIntent): bigint {
  if (purpose === "clear") return mostClearGas;
  return least(purpose === "swap" ? 2n * gasLimit : approvalGas, mostGas);
}

/**
 * Computes the most that an order may pay the network for all its transactions: twice its gas at its highest gas price.
 * Its gas is that of the swap and, for a sale, of one approval.
 */
export const feeBudget = ({ gasLimit, approvalGas, maxGasPrice }: EvmIntent): Wei =>
  2n * (gasLimit + approvalGas) * maxGasPrice;

/**
 * Computes the most that an order's next transaction at a nonce may pay the network. Only one transaction of a nonce is
 * ever mined, so the next one may always pay as much as an earlier one. That is enough for a clear to replace any
 * transaction that does more, so no wallet gets stuck.
 *
 * @param signed What was signed for the order at each nonce.
 * @param maxNetworkFee The operators' limit.
 */
export function feeLimit(
  intent: EvmIntent,
  signed: Readonly<Record<number, SignedFee>>,
  nonce: number,
  maxNetworkFee: Wei,
): Wei {
  const fees = Object.entries(signed);
  const others = fees.reduce((sum, [name, { most }]) => (name === String(nonce) ? sum : sum + most), 0n);
  return greatest(signed[nonce]?.most ?? 0n, least(feeBudget(intent) - others, maxNetworkFee));
}

/**
 * Computes the maximum price of a unit of gas for clearing an order's nonce. It is high enough to replace anything
 * signed for the order, so no wallet gets stuck. Users who raise their limit may pay more, within the order's budget.
 *
 * @param most The most that the clear may pay, by {@link feeLimit}.
 * @param gas The clear's gas limit, and the L1 fee for its data. The signer does not know that fee.
 */
export function clearCap(
  intent: EvmIntent,
  maxGasPriceNow: WeiPerGas,
  { attempts }: Pick<EvmSlot, "attempts">,
  most: Wei,
  { gasLimit, l1Fee = 0n }: { gasLimit: bigint; l1Fee?: L1Fee },
): WeiPerGas {
  const own = attempts.filter(({ purpose }) => purpose !== "clear");
  return least(
    greatest(
      feeCap(
        { maxGasPrice: greatest(intent.maxGasPrice, maxGasPriceNow), maxNetworkFee: most },
        { gasLimit, l1Fee },
      ),
      ...own.map((attempt) => replacing(attempt).maxFeePerGas),
    ),
    most / gasLimit,
  );
}

/** True if a call is an order's swap, and no swap has been signed for the order before. */
export const isFirstSwap = (call: EvmCall, ledger: Ledger<Evm> | undefined): call is SwapCall =>
  call.purpose === "swap" && ledger?.swap === undefined;

/**
 * Computes what a signature adds to the day's count. The first signature of a buy's swap adds its amount. Each
 * signature adds the amount by which it raises the highest network fee of its nonce. The signer does not know the fee
 * for layer 1.
 */
export function addedToDay(
  transaction: UnsignedEvmTransaction,
  { side }: EvmIntent,
  ledger: Ledger<Evm> | undefined,
): Wei {
  const { call } = transaction;
  return (side === "buy" && isFirstSwap(call, ledger) ? call.amountIn : 0n) + feeRise(transaction, ledger);
}

/**
 * Computes by how much a signature raises the highest network fee of a nonce. Only one of a nonce's
 * transactions is ever mined.
 */
export const feeRise = (transaction: UnsignedEvmTransaction, ledger: Ledger<Evm> | undefined): Wei =>
  greatest(mostFeeOf(transaction) - (ledger?.fees[transaction.nonce]?.most ?? 0n), 0n);

/**
 * Returns the reason not to sign a transaction. An order's swap gets only one nonce and one calldata, so it fills at
 * most once, whatever happens to runs, nodes and clocks.
 *
 * @param isGenuine True if the MAC over the intent is valid.
 */
export function objectionToTransaction(
  transaction: UnsignedEvmTransaction,
  view: SigningView<Evm>,
  isGenuine: boolean,
  nowMs: number,
): Objection | Forbidden | undefined {
  const { order, slot, ledger } = view;
  const { call, nonce } = transaction;
  if (order === undefined || slot === undefined) return later("the slot is gone");
  // Relies on the ledger alone to prove that a nonce belongs to the order. Wallets can then be freed even if the table
  // or the MAC key is lost.
  const cleared = call.purpose === "clear" && isOf(ledger, transaction) ? ledger?.fees[nonce] : undefined;
  if (!isGenuine && cleared === undefined) return refused("the intent was not made by placeOrder");
  if (!hasFewRoutes(order.intent)) return refused("the intent has no routes, or too many");
  if (slot.state !== "planned" && slot.state !== "signed") return later("the nonce is used");
  const last = ledger?.fees[nonce];
  if (last !== undefined && !isSameFees(transaction, last) && !replaces(transaction, last))
    return later("the fees are too low to replace the last attempt");
  if (transaction.maxPriorityFeePerGas > transaction.maxFeePerGas)
    return refused("the tip is above the whole fee");
  const most = isGenuine
    ? feeLimit(order.intent, ledger?.fees ?? {}, nonce, view.chainLimits.maxNetworkFee)
    : (cleared?.most ?? 0n);
  if (transaction.gasLimit > mostGasOf(call.purpose, order.intent))
    return refused("the gas limit is too high");
  // No block includes a transaction with less, but it would raise the fees that the next one at its nonce must pay.
  if (transaction.gasLimit < clearGas) return refused("the gas limit is too low");
  if (mostFeeOf(transaction) > most)
    return refused("the fee is above the limit of a transaction, or the rest of the order's budget");
  if (call.purpose === "clear") {
    if (cleared === undefined) return refused("nothing was signed at this nonce");
    // Checks the limit again, because the user may have lowered it since the clear was planned.
    return transaction.maxFeePerGas > clearCap(order.intent, view.maxGasPrice, slot, most, transaction)
      ? later("the fee is above the user's current highest gas price")
      : objectionToDayOfClear(transaction, view, nowMs);
  }
  if (transaction.maxFeePerGas > order.intent.maxGasPrice)
    return refused("the fee is above the highest gas price");
  if (nonce > order.intent.nextNonce + mostNoncesAhead)
    return refused("the nonce is too far above the wallet's next one");
  return (
    objectionToState(view, nowMs) ??
    (call.purpose === "swap" ? objectionToSwap(call, nonce, view) : objectionToApproval(call, nonce, view)) ??
    objectionOfParent(view, childTransaction(transaction, view, isGenuine), nowMs) ??
    objectionOfPolicy(transaction, view, nowMs)
  );
}

/** Returns the facts about a transaction that the rule about children needs. */
export function childTransaction(
  transaction: UnsignedEvmTransaction,
  { ledger }: Pick<SigningView<Evm>, "ledger">,
  isChildGenuine: boolean,
): ChildTransaction {
  const { call } = transaction;
  const adds = feeRise(transaction, ledger);
  const known = Object.values(ledger?.fees ?? {});
  const swap = ledger?.swap;
  return {
    isChildGenuine,
    purpose: call.purpose,
    isFirstSwap: isFirstSwap(call, ledger),
    ...(call.purpose === "swap" && { deadline: call.deadline }),
    first: swap && { signedAtMs: ledger?.swapSignedAtMs ?? 0, deadline: swap.call.deadline },
    spends: call.purpose === "swap" ? call.amountIn : 0n,
    fees: { most: known.reduce((sum, { most }) => sum + most, adds), adds },
    feesOfDay: adds,
  };
}

export const isSameFees = (a: EvmFees, b: EvmFees): boolean =>
  a.maxFeePerGas === b.maxFeePerGas && a.maxPriorityFeePerGas === b.maxPriorityFeePerGas;

const isOf = (ledger: Ledger<Evm> | undefined, { chain, wallet }: LaneKey) =>
  ledger?.chain === chain && ledger.wallet === wallet;

const hasFewRoutes = ({ routes }: EvmIntent) => routes.length > 0 && routes.length <= mostEvmRoutes;

function objectionToSwap(
  call: SwapCall,
  nonce: number,
  { order, ledger }: SigningView<Evm>,
): Objection | undefined {
  const intent = order?.intent as EvmIntent;
  if (!allowsRoute(intent, call)) return refused("the route is not allowed");
  if (call.amountIn <= 0n || call.amountIn > intent.amount) return refused("the amount is above the order's");
  // All other parts of the call follow from the intent: recipient, value, minimum, deadline and refund. The rule about
  // children checks their deadline.
  const deadline = intent.parent === undefined ? intent.validUntil : call.deadline;
  if (!isSameCall(call, swapBy(intent, call, call.amountIn, deadline)))
    return refused("the call is not the order's");
  if (ledger?.approveNonces.includes(nonce)) return refused("the nonce is an approval's");
  if (ledger?.swap !== undefined && (ledger.swap.nonce !== nonce || !isSameCall(ledger.swap.call, call)))
    return refused("the order's swap was signed with another nonce or another call");
  return undefined;
}

/** Accepts a clear that pays no more than its nonce could already pay, because it adds nothing to the day's count. */
function objectionToDayOfClear(
  transaction: UnsignedEvmTransaction,
  { ledger, limits, chainLimits }: SigningView<Evm>,
  nowMs: number,
): Objection | undefined {
  const fees = feesOfDay(limitsOfClears(limits, chainLimits), nowMs, chainLimits);
  const objection = objectionToFees(fees, feeRise(transaction, ledger));
  return objection && later(`the limit forbids it: ${objection.rule}`);
}

/** Refuses only for now, because the policy and the operators may allow the same transaction later. */
function objectionOfPolicy(
  transaction: UnsignedEvmTransaction,
  view: SigningView<Evm>,
  nowMs: number,
): Objection | Forbidden | undefined {
  const { order, ledger, parent, limits, chainLimits } = view;
  const intent = order?.intent as EvmIntent;
  const { call } = transaction;
  const { maxOrder } = chainLimits;
  const amount = call.purpose === "swap" ? call.amountIn : 0n;
  if (intent.side === "buy" && maxOrder !== undefined && amount > maxOrder)
    return later("the amount is above the operators' limit");
  const adds = addedToDay(transaction, intent, ledger);
  // Accepts a transaction that adds nothing, even if sales have already pushed the count above the limit.
  const networkFees = feeRise(transaction, ledger);
  const checked = { ...intent, amount, networkFees, ...(adds > 0n && { adds }) };
  const own = call.purpose === "swap" ? limitsGivenBack(limits, parent, nowMs) : limits;
  const objection = objectionOf(rulesAt(own, nowMs, chainLimits), checked);
  if (objection !== undefined) return later(`the policy forbids it: ${objection.rule}`);
  return objectionOfProgram(view, { amount, adds: adds - takenOff(limits, own) }, nowMs);
}

function objectionToApproval(
  call: ApproveCall,
  nonce: number,
  view: SigningView<Evm>,
): Objection | undefined {
  const intent = view.order?.intent as EvmIntent;
  const nonces = view.ledger?.approveNonces ?? [];
  const isRouter = intent.routes.some(({ router }) => router === call.router);
  if (intent.side !== "sell" || call.token !== intent.token || !isRouter)
    return refused("the approval is not the order's");
  if (call.amount < 0n || call.amount > intent.amount) return refused("the amount is above the order's");
  if (view.ledger?.swap?.nonce === nonce) return refused("the nonce is the swap's");
  if (!nonces.includes(nonce) && nonces.length >= mostApprovals)
    return refused("the order has its approvals");
  return undefined;
}
