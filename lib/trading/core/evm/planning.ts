import { greatest, least } from "../bigints.ts";
import type { LaneView } from "../effects.ts";
import type { ReasonCode } from "../execution.ts";
import {
  type ApproveCall,
  allowsRoute,
  type Intent,
  mostNoncesAhead,
  type Route,
  type SwapCall,
  swapBy,
} from "../intent.ts";
import type { OrderEnd, TradeOrder } from "../trade-order.ts";
import type { ChainLimits } from "../trading-chain.ts";
import { type FeeLimits, feesWithin, mostFee } from "./fees.ts";
import {
  agreedNonce,
  bothAnswered,
  type HostSnapshot,
  type HostSnapshots,
  isPast,
  type OrderFacts,
} from "./host-snapshot.ts";
import { jointFees } from "./joint-facts.ts";
import { mostGasOf } from "./signing-rules.ts";
import type { Slot } from "./slot.ts";
import { blocksSeen } from "./sold-out.ts";

/** The next action for an order without a signed swap. */
export type Readiness = { slot: Slot; amount: bigint } | { wait: ReasonCode } | { end: OrderEnd };

const wait = (reason: ReasonCode): Readiness => ({ wait: reason });
const reject = (
  reasonCode: ReasonCode,
  soldOut?: Required<Pick<OrderEnd, "soldOutAt" | "soldOutIn">>,
): Readiness => ({
  end: { status: "rejected", reasonCode, ...soldOut },
});

const mostApprovals = 2;

/**
 * Plans the order's next transaction. Ending the order or spending takes both hosts; a lying host can only make it
 * wait.
 */
export function planFor(
  order: TradeOrder,
  view: LaneView,
  snapshots: HostSnapshots,
  { maxNetworkFee }: Pick<ChainLimits, "maxNetworkFee">,
): Readiness {
  const { intent } = order;
  const nonce = agreedNonce(snapshots);
  if (!bothAnswered(snapshots) || nonce === undefined) return wait("CHAIN_UNAVAILABLE");
  // Another program's transaction may take the nonce, or ours may replace it. The service leaves both alone.
  if (snapshots.some((snapshot) => snapshot.nonce.pending > nonce)) return wait("WALLET_BUSY");
  if (view.slots.some((slot) => slot.nonce === nonce)) return wait("CHAIN_UNAVAILABLE");
  if (!isFree(nonce, view, snapshots)) return wait("WALLET_BUSY");
  if (nonce > intent.nextNonce + mostNoncesAhead) return wait("WALLET_BUSY");
  const facts = agreedFacts(intent, snapshots);
  if (facts === undefined) return wait("CHAIN_UNAVAILABLE");
  const limits = { maxGasPrice: intent.maxGasPrice, maxNetworkFee };
  if (gasFor("swap", intent, facts, limits) === undefined) return wait("GAS_PRICE_TOO_HIGH");
  return planAt(nonce, order, facts, snapshots, limits);
}

type HostFacts = OrderFacts & Pick<HostSnapshot, "baseFee">;
type Facts = readonly [HostFacts, ...HostFacts[]];

/**
 * True if a nonce below existing slots may be used: another program's transaction has disappeared from the chain after
 * ours were signed. If it does not return, nothing else fills the gap. An old block could look the same, so the slots
 * above must be past their deadline.
 */
const isFree = (nonce: number, { slots, orders }: LaneView, snapshots: HostSnapshots): boolean =>
  slots
    .filter((slot) => slot.nonce > nonce)
    .every(({ state, orderId }) => {
      const above = orders.find(({ intent }) => intent.orderId === orderId);
      return state === "signed" && above !== undefined && isPast(above.intent.validUntil, snapshots);
    });

/** Returns the facts of both hosts if they agree on the wallet's balances. */
function agreedFacts({ orderId }: Intent, [a, b]: readonly [HostSnapshot, HostSnapshot]): Facts | undefined {
  const facts = [a.orders.get(orderId), b.orders.get(orderId)] as const;
  const [mine, other] = facts;
  if (mine === undefined || other === undefined || a.coins !== b.coins) return undefined;
  if (mine.held !== other.held || mine.allowance !== other.allowance) return undefined;
  return [
    { ...mine, baseFee: a.baseFee },
    { ...other, baseFee: b.baseFee },
  ];
}

/** Computes gas and fees from these hosts' facts, within the limits. */
function gasFor(purpose: "approve" | "swap", intent: Intent, facts: Facts, limits: FeeLimits) {
  const wanted = greatest(0n, ...facts.map(({ gasLimit }) => gasLimit[purpose]));
  const gasLimit = least(wanted, mostGasOf(purpose, intent));
  const l1Fee = greatest(0n, ...facts.map((each) => each.l1Fee[purpose]));
  const [first, ...others] = facts;
  const fees = feesWithin(
    limits,
    jointFees([first.fees, ...others.map((each) => each.fees)]),
    greatest(0n, ...facts.map(({ baseFee }) => baseFee)),
    { gasLimit, l1Fee },
  );
  return fees && { fees, gasLimit, l1Fee };
}

function planAt(
  nonce: number,
  order: TradeOrder,
  facts: Facts,
  snapshots: readonly [HostSnapshot, HostSnapshot],
  limits: FeeLimits,
): Readiness {
  const { intent } = order;
  const [{ coins }] = snapshots;
  const [first] = facts;
  const isSale = intent.side === "sell";
  const held = first.held ?? 0n;
  const amount = isSale ? least(held, intent.amount) : intent.amount;
  if (amount === 0n) {
    const soldOutIn = blocksSeen(snapshots);
    return soldOutIn
      ? reject("INSUFFICIENT_BALANCE", { soldOutAt: nonce, soldOutIn })
      : wait("CHAIN_UNAVAILABLE");
  }
  const quote = quoteOf(intent, facts);
  if (typeof quote === "string") return reject(quote);
  const approval = isSale ? approvalFor(amount, intent, quote, first) : undefined;
  // Its approvals had no effect, whatever a host reported.
  if (approval !== undefined && order.approveNonces.length >= mostApprovals) return reject("REVERTED");
  const call: SwapCall | ApproveCall = approval ?? swapBy(intent, quote, amount);
  const gas = gasFor(call.purpose, intent, facts, limits);
  if (gas === undefined) return wait("GAS_PRICE_TOO_HIGH");
  const { fees, gasLimit } = gas;
  const value = call.purpose === "swap" ? call.value : 0n;
  if (coins < value + mostFee([gas], fees)) {
    const areShort = facts.every((each) => {
      const own = gasFor(call.purpose, intent, [each], limits);
      return own !== undefined && coins < value + mostFee([own], own.fees);
    });
    return areShort ? reject("INSUFFICIENT_BALANCE") : wait("CHAIN_UNAVAILABLE");
  }
  return {
    amount,
    slot: {
      chain: intent.chain,
      wallet: intent.wallet,
      nonce,
      orderId: intent.orderId,
      userID: intent.userID,
      state: "planned",
      call,
      fees,
      gasLimit,
      isPrivate: intent.isPrivate,
      ...(isSale && { held, allowance: first.allowance ?? 0n }),
      attempts: [],
      revision: 1,
    },
  };
}

/**
 * Returns the lowest quote that reaches the order's minimum, since a higher one may be invented. If there is none,
 * returns the reason.
 */
function quoteOf(intent: Intent, facts: readonly OrderFacts[]) {
  const quotes = facts.flatMap(({ quote }) => (quote && allowsRoute(intent, quote) ? [quote] : []));
  const [lowest] = quotes
    .filter(({ amountOut }) => amountOut >= intent.minAmountOut)
    .toSorted((a, b) => (a.amountOut < b.amountOut ? -1 : 1));
  return lowest ?? (quotes.length > 0 ? "SLIPPAGE_EXCEEDED" : "NO_ROUTE");
}

/** Makes the approval that a sale needs before its swap. It is exact, so that the router can take nothing later. */
function approvalFor(
  amount: bigint,
  { token }: Intent,
  { router }: Route,
  { allowance = 0n, wantsZeroFirst = false }: OrderFacts,
): ApproveCall | undefined {
  if (allowance >= amount) return undefined;
  const isToZero = wantsZeroFirst && allowance > 0n;
  return { purpose: "approve", token, router, amount: isToZero ? 0n : amount };
}
