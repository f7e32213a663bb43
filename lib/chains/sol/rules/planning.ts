import { isDeepStrictEqual } from "node:util";
import { solBlockhashBlocks } from "../../../core/network-facts.ts";
import type { Lamports } from "../../../core/units.ts";
import { greatest, greatestEach, least } from "../../../orders/bigints.ts";
import type { LaneView } from "../../../orders/effects.ts";
import type { ReasonCode } from "../../../orders/execution.ts";
import type { OrderEnd, TradeOrder } from "../../../orders/trade-order.ts";
import { limitsInLane, noStoredLimits, restOfDay, restOfFees } from "../../../orders/wallet-policy.ts";
import { attemptsOf } from "./attempts.ts";
import type { Sol } from "./family.ts";
import {
  countedWithFirst,
  feesOfShare,
  isRent,
  isUnitLimit,
  mostFeeLamports,
  mostMarketRent,
  shareOf,
  shareOfClear,
  tipAccountFor,
} from "./fees.ts";
import {
  areSlotsNear,
  bothSeen,
  type SolOrderFacts,
  type SolPayingRoute,
  type SolSnapshot,
  type SolSnapshots,
} from "./host-snapshot.ts";
import { isSameSolRoute, signaturesFor } from "./intent.ts";
import type { SolLimits } from "./limits.ts";
import type { SolMessage } from "./message.ts";
import type { MessageRoute } from "./message-route.ts";
import { countOf, isOutdated, mayLand, type SolSlot } from "./slot.ts";

/** The next action for an order without a pending message. */
export type SolReadiness = { message: SolMessage; amount: bigint } | { wait: ReasonCode } | { end: OrderEnd };

type SolOrder = TradeOrder<Sol>;
type Both = readonly [SolSnapshot, SolSnapshot];

const wait = (reason: ReasonCode): SolReadiness => ({ wait: reason });
const reject = (
  reasonCode: ReasonCode,
  soldOut?: Required<Pick<OrderEnd, "soldOutAt" | "soldOutIn">>,
): SolReadiness => ({ end: { status: "rejected", reasonCode, ...soldOut } });

/** Compute units, with a margin, of a transaction that makes only the marker. */
const clearUnits = 2000;

/**
 * Plans the next message that can fill an order. Ending the order or spending money takes the agreement of both hosts.
 * A lying host can make the order wait, or choose another of its routes, but that route still reaches the minimum
 * according to the other host.
 *
 * @param slot The order's earlier messages.
 */
export function planSwap(
  order: SolOrder,
  slot: SolSlot | undefined,
  { view, snapshots, nowMs, limits }: PlanningState,
): SolReadiness {
  const { intent } = order;
  if (!bothSeen(snapshots) || areApart(snapshots)) return wait("CHAIN_UNAVAILABLE");
  const facts = agreedFacts(intent.orderId, snapshots);
  const blockhash = agreedBlockhash(snapshots);
  if (facts === undefined || blockhash === undefined) return wait("CHAIN_UNAVAILABLE");
  const isSale = intent.side === "sell";
  const [{ held = 0n }] = facts;
  const amountIn = isSale ? least(held, intent.amount) : intent.amount;
  if (amountIn === 0n) return soldOut(snapshots);
  const route = routeFor(order, facts);
  if (route === undefined) return wait("CHAIN_UNAVAILABLE");
  if (typeof route === "string") return reject(route);
  const costs = greaterCosts(facts);
  const { rents, computeUnitLimit } = costs;
  // Waits, because one host could have invented the reason, and the signer's refusal would be final.
  if (!isRent("marker", rents.marker) || !isRent("wsol", rents.wsol) || !isUnitLimit(computeUnitLimit))
    return wait("CHAIN_UNAVAILABLE");
  if (costs.baseFeeLamports > limits.baseFeeLamports) return wait("CHAIN_UNAVAILABLE");
  const [{ coins }] = snapshots;
  const free = coins - (isSale ? 0n : amountIn);
  const spendable = free - keptFor(costs, route) - underWay(view, order, { snapshots, limits, rents });
  const wanted = shareOf(intent.budgetLamports, attemptsOf(intent), slot ? countOf(slot, "swap") : 0);
  // If the wallet of a sale cannot pay the whole fee, lowers the fee.
  const needed = isSale ? 0n : wanted;
  if (facts.every((each) => free - keptFor(each, route) < needed)) return reject("INSUFFICIENT_BALANCE");
  // Waits, because pending messages may take nothing after all, and one host may report too high a rent.
  if (spendable < needed || facts.some(({ lacksCoins }) => lacksCoins)) return wait("INSUFFICIENT_BALANCE");
  const share = least(wanted, spendable);
  const relay = intent.isPrivate ? limits.relay : undefined;
  const { microLamportsPerUnit, tipLamports } = feesOfShare(share, computeUnitLimit, relay?.leastTipLamports);
  const signatures = signaturesFor(route.route);
  const fees = { signatures, computeUnitLimit, microLamportsPerUnit, tipLamports };
  const most = mostFeeLamports(fees, limits.baseFeeLamports);
  if (most > limits.maxNetworkFee) return wait("POLICY_LIMIT");
  const policy = limitsInLane(view.limits, intent);
  const rest = isSale ? undefined : policy && restOfDay(policy, nowMs);
  const adds = slot === undefined ? amountIn + most : most;
  if (rest !== undefined && rest < adds) return wait("POLICY_LIMIT");
  const addsFees = most + (slot === undefined ? countedWithFirst(intent, limits.baseFeeLamports) : 0n);
  if (restOfFees(policy ?? noStoredLimits, nowMs, limits) < addsFees) return wait("POLICY_LIMIT");
  const account = relay && tipAccountFor(intent.orderId, relay.tipAccounts);
  return {
    amount: amountIn,
    message: {
      purpose: "swap",
      signatures,
      computeUnitLimit,
      microLamportsPerUnit,
      ...(account !== undefined && tipLamports > 0n && { tip: { account, lamports: tipLamports } }),
      blockhash: blockhash.hash,
      lastValidBlockHeight: blockhash.lastValidBlockHeight,
      markerRentLamports: rents.marker,
      amountIn,
      ...withRent(route, rents.wsol),
    },
  };
}

export type PlanningState = {
  view: LaneView<Sol>;
  snapshots: SolSnapshots;
  nowMs: number;
  limits: SolLimits;
};

/** Plans the message that prevents an order's other messages from having an effect. Undefined if the hosts disagree. */
export function planClear(
  { intent }: SolOrder,
  { snapshots, limits }: Pick<PlanningState, "snapshots" | "limits">,
): SolMessage | undefined {
  if (!bothSeen(snapshots) || areApart(snapshots)) return undefined;
  const blockhash = agreedBlockhash(snapshots);
  if (blockhash === undefined) return undefined;
  const [{ rentLamports: a }, { rentLamports: b }] = snapshots;
  const markerRentLamports = greatest(a.marker, b.marker);
  if (!isRent("marker", markerRentLamports)) return undefined;
  const share = least(shareOfClear(intent.budgetLamports), limits.maxNetworkFee - limits.baseFeeLamports);
  const { microLamportsPerUnit } = feesOfShare(share, clearUnits);
  return {
    purpose: "clear",
    signatures: 1,
    computeUnitLimit: clearUnits,
    microLamportsPerUnit,
    blockhash: blockhash.hash,
    lastValidBlockHeight: blockhash.lastValidBlockHeight,
    markerRentLamports,
  };
}

const areApart = ([a, b]: Both): boolean => !areSlotsNear(a.height.slot, b.height.slot);

/** Returns the facts of both hosts if they agree on the wallet's balances. */
function agreedFacts(orderId: string, [a, b]: Both): readonly [SolOrderFacts, SolOrderFacts] | undefined {
  const [mine, other] = [a.orders.get(orderId), b.orders.get(orderId)];
  const isSame = mine !== undefined && other !== undefined && a.coins === b.coins && mine.held === other.held;
  return isSame ? [mine, other] : undefined;
}

/**
 * Returns a blockhash that both hosts know, with the later of the two last block heights that the hosts report for it.
 * Honest hosts differ by less than a blockhash's lifetime. Without this limit, a lying host could delay the end of an
 * order forever.
 */
function agreedBlockhash([{ blockhash: a }, { blockhash: b }]: Both) {
  if (a === undefined || a.hash !== b?.hash) return undefined;
  if (Math.abs(a.lastValidBlockHeight - b.lastValidBlockHeight) > solBlockhashBlocks) return undefined;
  const lastValidBlockHeight = Math.max(a.lastValidBlockHeight, b.lastValidBlockHeight);
  return { hash: a.hash, lastValidBlockHeight };
}

type Costs = Pick<SolOrderFacts, "rents" | "baseFeeLamports" | "computeUnitLimit">;

/** Returns the greater of the message costs that the hosts report. */
const greaterCosts = ([a, b]: readonly [SolOrderFacts, SolOrderFacts]): Costs => ({
  rents: greatestEach(a.rents, b.rents),
  baseFeeLamports: greatest(a.baseFeeLamports, b.baseFeeLamports),
  computeUnitLimit: Math.max(a.computeUnitLimit, b.computeUnitLimit),
});

/**
 * Computes the coin that must remain in addition to an order's amount and its priority fee: even a sale has to open
 * accounts first.
 */
const keptFor = ({ rents, baseFeeLamports }: Costs, { route }: MessageRoute): Lamports =>
  rents.marker +
  rents.token +
  // A route on another exchange opens none of the accounts of a market on Pump.
  least(rents.market, mostMarketRent([route])) +
  greatest(rents.wsol, rents.marker) +
  BigInt(signaturesFor(route)) * baseFeeLamports;

/**
 * Computes the coin that signed messages may still take from the wallet. The earlier messages of the order itself count
 * only with their fees.
 */
const underWay = (
  { slots, orders }: LaneView<Sol>,
  own: SolOrder,
  { snapshots, limits, rents }: Pick<PlanningState, "snapshots" | "limits"> & Pick<Costs, "rents">,
): Lamports =>
  slots
    .filter((slot) => slot.state !== "mined" && mayLand(slot, snapshots))
    .reduce((total, { orderId, attempts }) => {
      const fees = attempts
        .filter((attempt) => !isOutdated(attempt, snapshots))
        .reduce((all, each) => all + mostFeeLamports(each, limits.baseFeeLamports), 0n);
      if (orderId === own.intent.orderId) return total + fees;
      const order = orders.find(({ intent }) => intent.orderId === orderId);
      const spent = order?.intent.side === "buy" ? order.amount : 0n;
      const ofMarket = order ? mostMarketRent(order.intent.routes) : 0n;
      return total + fees + spent + rents.marker + 2n * rents.wsol + ofMarket;
    }, 0n);

function soldOut([a, b]: Both): SolReadiness {
  const seen = [a, b].map(({ height: { slot } }) => ({ number: slot, hash: String(slot) }));
  return reject("INSUFFICIENT_BALANCE", {
    soldOutAt: Math.max(a.height.slot, b.height.slot),
    soldOutIn: seen,
  });
}

/**
 * Chooses among the routes that both hosts quote, using the lower output of each. Without such a route, returns
 * the reason if both hosts give one. Undefined if only one host gives a reason, or if Jupiter may have a route.
 */
function routeFor(
  { intent }: SolOrder,
  facts: readonly [SolOrderFacts, SolOrderFacts],
): MessageRoute | "NO_ROUTE" | "SLIPPAGE_EXCEEDED" | undefined {
  const [mine, others] = [allowed(intent, facts[0]), allowed(intent, facts[1])];
  const common = mine.flatMap((route) => {
    const same = others.find((other) => isSameSolRoute(other, route) && isSameState(other, route));
    return same === undefined ? [] : [{ route, amountOut: least(route.amountOut, same.amountOut) }];
  });
  const [best] = common.toSorted((a, b) => (a.amountOut < b.amountOut ? 1 : -1));
  const pays = (amountOut: bigint) => amountOut >= intent.minAmountOut;
  if (best !== undefined && pays(best.amountOut)) return chosen(best.route);
  if (facts.some(({ lacksBuild }) => lacksBuild)) return undefined;
  const reasons = [mine, others].map((routes) => {
    if (routes.length === 0) return "NO_ROUTE";
    return routes.some(({ amountOut }) => pays(amountOut)) ? undefined : "SLIPPAGE_EXCEEDED";
  });
  if (reasons.includes(undefined)) return undefined;
  return reasons.includes("SLIPPAGE_EXCEEDED") ? "SLIPPAGE_EXCEEDED" : "NO_ROUTE";
}

/** Adds the rent of the account of wrapped coins. A trade on a curve needs no such account. */
const withRent = (route: MessageRoute, wsolRentLamports: Lamports) =>
  "curve" in route ? route : { ...route, wsolRentLamports };

/** True if both hosts would make the same message of a route. */
const isSameState = (a: SolPayingRoute, b: SolPayingRoute): boolean =>
  isDeepStrictEqual(stateOf(a), stateOf(b));

const stateOf = (route: SolPayingRoute) =>
  "build" in route
    ? route.build.helper
    : "curve" in route
      ? route.curve
      : "pumpPool" in route
        ? route.pumpPool
        : undefined;

function chosen(paying: SolPayingRoute): MessageRoute {
  switch (paying.venue) {
    case "jupiter-metis":
      return { route: { venue: paying.venue }, build: paying.build };
    case "raydium-cpmm":
      return { route: { venue: paying.venue, pool: paying.pool, config: paying.config } };
    case "pump":
      return { route: { venue: paying.venue, pool: paying.pool }, curve: paying.curve };
    case "pumpswap":
      return { route: { venue: paying.venue, pool: paying.pool }, pumpPool: paying.pumpPool };
  }
}

const allowed = ({ routes }: SolOrder["intent"], facts: SolOrderFacts): SolOrderFacts["routes"] =>
  facts.routes.filter((route) => routes.some((each) => isSameSolRoute(each, route)));
