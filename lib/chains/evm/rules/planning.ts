import type { TokenUnits, Wei } from "../../../core/units.ts";
import { greatest, least } from "../../../orders/bigints.ts";
import type { LaneView } from "../../../orders/effects.ts";
import type { ReasonCode } from "../../../orders/execution.ts";
import { lifeSeconds } from "../../../orders/resting/times.ts";
import type { OrderEnd, TradeOrder } from "../../../orders/trade-order.ts";
import type { ChainLimits } from "../../../orders/trading-chain.ts";
import { limitsInLane, noStoredLimits, restOfDay, restOfFees } from "../../../orders/wallet-policy.ts";
import type { Evm } from "./family.ts";
import { clearGas, type FeeLimits, feesWithin, type HostFees, type L1Fee, mostFee } from "./fees.ts";
import {
  agreedNonce,
  bothAnswered,
  type EvmOrderFacts,
  type EvmRouteFacts,
  type EvmSnapshot,
  type EvmSnapshots,
  isPast,
} from "./host-snapshot.ts";
import {
  type ApproveCall,
  allowsRoute,
  type EvmIntent,
  isSameEvmRoute,
  mostApprovals,
  mostNoncesAhead,
  type SwapCall,
  swapBy,
} from "./intent.ts";
import { jointFees, jointRoute } from "./joint-facts.ts";
import { bestRoute } from "./route-choice.ts";
import { blocksSeen } from "./seen-blocks.ts";
import { mostGasOf } from "./signing-rules.ts";
import type { EvmSlot } from "./slot.ts";
import { checksArrival } from "./swap-venues.ts";

/** The next action for an order whose swap is not signed. */
export type EvmReadiness = { slot: EvmSlot; amount: bigint } | { wait: ReasonCode } | { end: OrderEnd };

const wait = (reason: ReasonCode): EvmReadiness => ({ wait: reason });
const reject = (
  reasonCode: ReasonCode,
  soldOut?: Required<Pick<OrderEnd, "soldOutAt" | "soldOutIn">>,
): EvmReadiness => ({
  end: { status: "rejected", reasonCode, ...soldOut },
});

/**
 * Plans the order's next transaction. Ending the order or spending money takes the agreement of both hosts. A lying
 * host can make the order wait, or choose another of its routes, but that route still reaches the minimum according to
 * the other host.
 */
export function planFor(
  order: TradeOrder<Evm>,
  view: LaneView<Evm>,
  snapshots: EvmSnapshots,
  { nowMs, chainLimits }: { nowMs: number; chainLimits: ChainLimits<Wei> },
): EvmReadiness {
  const { intent } = order;
  const nonce = agreedNonce(snapshots);
  if (!bothAnswered(snapshots) || nonce === undefined) return wait("CHAIN_UNAVAILABLE");
  // Waits, because another program's transaction may take the nonce, or the planned transaction may replace it.
  if (snapshots.some((snapshot) => snapshot.nonce.pending > nonce)) return wait("WALLET_BUSY");
  if (view.slots.some((slot) => slot.place === nonce)) return wait("CHAIN_UNAVAILABLE");
  if (!isFree(nonce, view, snapshots)) return wait("WALLET_BUSY");
  if (nonce > intent.nextNonce + mostNoncesAhead) return wait("WALLET_BUSY");
  const facts = agreedFacts(intent, snapshots);
  if (facts === undefined) return wait("CHAIN_UNAVAILABLE");
  const { maxNetworkFee } = chainLimits;
  const limits = { maxGasPrice: intent.maxGasPrice, maxNetworkFee };
  if (feesBy(facts, limits, { gasLimit: clearGas, l1Fee: 0n }) === undefined)
    return wait("GAS_PRICE_TOO_HIGH");
  return planAt({ nonce, order, facts, view, snapshots, limits, chainLimits, nowMs });
}

/** Returns the deadline of a swap that is planned now, in seconds. That of a child starts when it is signed. */
export function swapDeadline(
  { intent: { chain, validUntil, parent }, mandate }: Pick<TradeOrder<Evm>, "intent" | "mandate">,
  nowMs: number,
): number {
  const leg = parent && mandate?.legs[parent.leg];
  if (leg === undefined) return validUntil;
  return Math.min(validUntil, Math.floor(nowMs / 1000) + lifeSeconds(chain, leg));
}

type HostFacts = EvmOrderFacts & Pick<EvmSnapshot, "baseFee"> & { held: TokenUnits };

/**
 * True if a nonce below existing slots may be used: another program's transaction has disappeared from the chain after
 * ours were signed, and unless it returns, nothing else fills the gap. An old block could look the same, so the
 * deadlines of the slots above must have passed.
 */
const isFree = (nonce: number, { slots, orders }: LaneView<Evm>, snapshots: EvmSnapshots): boolean =>
  slots
    .filter((slot) => slot.place > nonce)
    .every(({ state, orderId }) => {
      const above = orders.find(({ intent }) => intent.orderId === orderId);
      return state === "signed" && above !== undefined && isPast(above.intent.validUntil, snapshots);
    });

/**
 * The balance of a token that bears interest grows by less than this fraction in 200 seconds, even at 1,000 % a year.
 * Given as a divisor.
 */
const mostGrowth = 10_000n;

/** True if interest can explain the difference between two amounts. */
function isClose(a: bigint, b: bigint): boolean {
  const smaller = least(a, b);
  return (greatest(a, b) - smaller) * mostGrowth <= smaller;
}

/**
 * Returns the tokens that the wallet holds according to both hosts. If the hosts are at different blocks, a balance may
 * have grown a little in between, so the smaller one counts. A lying host can thus hide one part in 10,000 but add
 * nothing.
 */
function agreedHeld(
  hosts: readonly [Pick<EvmSnapshot, "latest">, Pick<EvmSnapshot, "latest">],
  a: TokenUnits,
  b: TokenUnits,
): TokenUnits | undefined {
  const [{ latest }, other] = hosts;
  const mayDiffer = latest.hash !== other.latest.hash;
  return a === b || (mayDiffer && isClose(a, b)) ? least(a, b) : undefined;
}

/** Returns the facts of both hosts if they agree on the wallet's balances. */
function agreedFacts(
  { orderId }: EvmIntent,
  hosts: readonly [EvmSnapshot, EvmSnapshot],
): readonly [HostFacts, HostFacts] | undefined {
  const [a, b] = hosts;
  const facts = [a.orders.get(orderId), b.orders.get(orderId)] as const;
  const [mine, other] = facts;
  if (mine === undefined || other === undefined || a.coins !== b.coins) return undefined;
  const held = agreedHeld(hosts, mine.held ?? 0n, other.held ?? 0n);
  if (held === undefined) return undefined;
  return [
    { ...mine, held, baseFee: a.baseFee },
    { ...other, held, baseFee: b.baseFee },
  ];
}

/** Computes a transaction's fees from these hosts' facts, within the limits. */
function feesBy(facts: readonly HostFacts[], limits: FeeLimits, gas: { gasLimit: bigint; l1Fee: L1Fee }) {
  const wanted = jointFees(facts.map(({ fees }) => fees) as [HostFees, ...HostFees[]]);
  return feesWithin(limits, wanted, greatest(0n, ...facts.map(({ baseFee }) => baseFee)), gas);
}

/** Computes the gas and fees of a route's transaction. */
function gasFor(
  purpose: "approve" | "swap",
  intent: EvmIntent,
  facts: readonly HostFacts[],
  route: Pick<EvmRouteFacts, "gasLimit" | "l1Fee">,
  limits: FeeLimits,
) {
  const gasLimit = least(route.gasLimit[purpose], mostGasOf(purpose, intent));
  const l1Fee = route.l1Fee[purpose];
  const fees = feesBy(facts, limits, { gasLimit, l1Fee });
  return fees && { fees, gasLimit, l1Fee };
}

type Planning = {
  nonce: number;
  order: TradeOrder<Evm>;
  facts: readonly [HostFacts, HostFacts];
  view: LaneView<Evm>;
  snapshots: readonly [EvmSnapshot, EvmSnapshot];
  limits: FeeLimits;
  chainLimits: ChainLimits<Wei>;
  nowMs: number;
};

/** Plans the transaction at a nonce. Both hosts have agreed on the nonce and on the wallet's balances. */
function planAt({
  nonce,
  order,
  facts,
  view,
  snapshots,
  limits,
  chainLimits,
  nowMs,
}: Planning): EvmReadiness {
  const { intent } = order;
  const [{ coins }] = snapshots;
  const [{ held }] = facts;
  const isSale = intent.side === "sell";
  const wanted = isSale ? least(held, intent.amount) : intent.amount;
  if (wanted === 0n) {
    const soldOutIn = blocksSeen(snapshots);
    return soldOutIn
      ? reject("INSUFFICIENT_BALANCE", { soldOutAt: nonce, soldOutIn })
      : wait("CHAIN_UNAVAILABLE");
  }
  const route = routeFor(order, wanted, facts, view);
  if (route === undefined) return wait("CHAIN_UNAVAILABLE");
  if (typeof route === "string") return reject(route);
  if (gasFor("swap", intent, facts, route, limits) === undefined) return wait("GAS_PRICE_TOO_HIGH");
  const own = facts.map(({ routes }) => routes.find((each) => isSameEvmRoute(each, route)) as EvmRouteFacts);
  if (own.some(({ allowance }) => allowance !== route.allowance)) return wait("CHAIN_UNAVAILABLE");
  // Sells at most the approved amount, because the balance may have grown since the approval, or a host may have hidden
  // part of it before.
  const isApproved = order.approveNonces.length > 0 && isClose(wanted, route.allowance);
  const amount = isApproved ? least(wanted, route.allowance) : wanted;
  const approval = isSale ? approvalFor(amount, intent, route) : undefined;
  // Ends the order, because its approvals had no effect, even if one host reported an effect.
  if (approval !== undefined && order.approveNonces.length >= mostApprovals) return reject("REVERTED");
  const call: SwapCall | ApproveCall = approval ?? swapBy(intent, route, amount, swapDeadline(order, nowMs));
  const gas = gasFor(call.purpose, intent, facts, route, limits);
  if (gas === undefined) return wait("GAS_PRICE_TOO_HIGH");
  const { gasLimit } = gas;
  const value = call.purpose === "swap" ? call.value : 0n;
  const policy = limitsInLane(view.limits, intent);
  const rest = isSale ? undefined : policy && restOfDay(policy, nowMs);
  const maxNetworkFee = least(
    limits.maxNetworkFee,
    restOfFees(policy ?? noStoredLimits, nowMs, chainLimits),
    ...(rest === undefined ? [] : [rest - value]),
  );
  const fees = feesBy(facts, { ...limits, maxNetworkFee }, gas);
  // Waits instead of ending the order, because a single host could report any base fee.
  if (fees === undefined) return wait("POLICY_LIMIT");
  if (coins < value + mostFee([gas], fees)) {
    const areShort = facts.every((each, index) => {
      const needed = gasFor(call.purpose, intent, [each], own[index] as EvmRouteFacts, limits);
      return needed !== undefined && coins < value + mostFee([needed], needed.fees);
    });
    return areShort ? reject("INSUFFICIENT_BALANCE") : wait("CHAIN_UNAVAILABLE");
  }
  return {
    amount,
    slot: {
      chain: intent.chain,
      wallet: intent.wallet,
      place: nonce,
      orderId: intent.orderId,
      userID: intent.userID,
      state: "planned",
      call,
      fees,
      gasLimit,
      isPrivate: intent.isPrivate,
      ...(isSale && { held, allowance: route.allowance }),
      attempts: [],
      revision: 1,
    },
  };
}

type Unroutable = "NO_ROUTE" | "SLIPPAGE_EXCEEDED";

/**
 * Chooses the route of an order's next transaction. Undefined if the hosts disagree. An order has few approvals, so
 * once one router is approved, another router is used only if both hosts say that no route through the first one
 * reaches the minimum.
 */
function routeFor(
  order: TradeOrder<Evm>,
  amount: bigint,
  facts: readonly [HostFacts, HostFacts],
  view: LaneView<Evm>,
): EvmRouteFacts | Unroutable | undefined {
  const choice = (isWanted: (route: EvmRouteFacts) => boolean) =>
    choiceOf(order.intent, amount, facts, isWanted);
  const router = approvedRouter(order, view);
  const kept = router === undefined ? undefined : choice((route) => route.router === router);
  if (router !== undefined && typeof kept !== "string") return kept;
  const hasApprovals = order.approveNonces.length < mostApprovals;
  return choice((route) => hasApprovals || route.router === router || route.allowance >= amount);
}

/** Returns the router that an order approved last. */
function approvedRouter({ intent }: TradeOrder<Evm>, { slots }: LaneView<Evm>): string | undefined {
  const calls = slots.filter(({ orderId }) => orderId === intent.orderId).map(({ call }) => call);
  return calls.findLast(({ purpose }) => purpose === "approve")?.router;
}

/** Returns the best route that reaches the order's minimum, or the reason why none does. */
function bestFor(
  { side, minAmountOut }: EvmIntent,
  amountIn: bigint,
  routes: readonly EvmRouteFacts[],
  isListed: boolean,
): EvmRouteFacts | Unroutable {
  const reaches = ({ amountOut }: EvmRouteFacts) => amountOut >= minAmountOut;
  // v3 does not check what arrives. For a buy of an unlisted token, v3 must therefore pay more than v2, even if v2 pays
  // less than the minimum.
  const able = side === "buy" && !isListed ? routes : routes.filter(reaches);
  const best = bestRoute(able, { side, amountIn, isListed });
  if (best !== undefined && reaches(best)) return best;
  return routes.length === 0 ? "NO_ROUTE" : "SLIPPAGE_EXCEEDED";
}

/**
 * Chooses among the routes that both hosts quote, using the lower output of each. Without such a route, returns
 * the reason if both hosts give one, or undefined if only one host does.
 */
function choiceOf(
  intent: EvmIntent,
  amountIn: bigint,
  facts: readonly [HostFacts, HostFacts],
  isWanted: (route: EvmRouteFacts) => boolean,
): EvmRouteFacts | Unroutable | undefined {
  const isListed = facts.every((each) => each.isListed);
  const bestOf = (routes: readonly EvmRouteFacts[]) => bestFor(intent, amountIn, routes, isListed);
  const prefersChecked = (routes: readonly EvmRouteFacts[]) => {
    const preferred = bestRoute(routes, { side: intent.side, amountIn, isListed });
    return preferred !== undefined && checksArrival(preferred);
  };
  const [mine, others] = facts.map(({ routes }) =>
    routes.filter((route) => allowsRoute(intent, route) && isWanted(route)),
  ) as [EvmRouteFacts[], EvmRouteFacts[]];
  const common = mine.flatMap((route) => {
    const same = others.find((other) => isSameEvmRoute(other, route));
    return same === undefined ? [] : [jointRoute(route, same)];
  });
  // Prevents one host from hiding v2, or quoting it low, to make a buy use v3, which does not check what arrives.
  const isOnChecked = intent.side === "buy" && !isListed && [mine, others].some(prefersChecked);
  const best = bestOf(isOnChecked ? common.filter(checksArrival) : common);
  if (typeof best !== "string") return best;
  const reasons = [bestOf(mine), bestOf(others)];
  if (reasons.some((reason) => typeof reason !== "string")) return undefined;
  return reasons.includes("SLIPPAGE_EXCEEDED") ? "SLIPPAGE_EXCEEDED" : "NO_ROUTE";
}

/**
 * Makes the approval that a sale needs before its swap. It covers exactly the sold amount, so that the router can take
 * nothing later.
 */
function approvalFor(
  amount: TokenUnits,
  { token }: EvmIntent,
  { router, allowance, wantsZeroFirst }: EvmRouteFacts,
): ApproveCall | undefined {
  if (allowance >= amount) return undefined;
  const isToZero = wantsZeroFirst && allowance > 0n;
  return { purpose: "approve", token, router, amount: isToZero ? 0n : amount };
}
