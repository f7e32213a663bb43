import { DomainError } from "../../../core/domain-error.ts";
import { greatest, least } from "../../../orders/bigints.ts";
import type { Order } from "../../../orders/execution.ts";
import { highestTax } from "../../../orders/token-safety.ts";
import type { HostFees, PlannedGas } from "./fees.ts";
import type { EvmRouteFacts } from "./host-snapshot.ts";
import { type EvmFees, isSameEvmRoute } from "./intent.ts";
import { ranked } from "./route-choice.ts";
import { checksArrival } from "./swap-venues.ts";
import type { EvmHostQuote, EvmQuotedRoute, EvmTradeFacts } from "./trade-facts.ts";

/**
 * Combines the fees of two hosts. The tip is paid in full, so the lower one counts, but it is at least the higher of
 * the minimum tips. For the base fee the higher limit counts, because a transaction pays only what the block demands. A
 * lying host can delay the transaction or raise its tip to a few times the chain's lowest tip, which costs little.
 */
export function jointFees([first, ...others]: readonly [HostFees, ...HostFees[]]): EvmFees {
  const tipOf = (fees: EvmFees) => fees.maxPriorityFeePerGas;
  const floorOf = ({ floor = 0n }: HostFees) => floor;
  const partForBase = (fees: EvmFees) => fees.maxFeePerGas - fees.maxPriorityFeePerGas;
  const lowerTip = least(tipOf(first), ...others.map(tipOf));
  const maxPriorityFeePerGas = greatest(lowerTip, floorOf(first), ...others.map(floorOf));
  const forBase = greatest(partForBase(first), ...others.map(partForBase));
  return { maxFeePerGas: forBase + maxPriorityFeePerGas, maxPriorityFeePerGas };
}

/** Takes the higher of two hosts' gas limits, because the transaction might fail with the lower one. */
const jointGas = (a: PlannedGas, b: PlannedGas): PlannedGas => ({
  estimate: greatest(a.estimate, b.estimate),
  gasLimit: greatest(a.gasLimit, b.gasLimit),
  l1Fee: greatest(a.l1Fee, b.l1Fee),
});

/**
 * Combines two hosts' facts about a route: the lower output, because a higher one may be invented, and the higher
 * costs.
 */
export const jointRoute = (a: EvmRouteFacts, b: EvmRouteFacts): EvmRouteFacts => ({
  ...a,
  amountOut: least(a.amountOut, b.amountOut),
  networkFee: greatest(a.networkFee, b.networkFee),
  gasLimit: greater(a.gasLimit, b.gasLimit),
  l1Fee: greater(a.l1Fee, b.l1Fee),
  wantsZeroFirst: a.wantsZeroFirst || b.wantsZeroFirst,
});

type ByPurpose = EvmRouteFacts["gasLimit"];

const greater = (a: ByPurpose, b: ByPurpose): ByPurpose => ({
  approve: greatest(a.approve, b.approve),
  swap: greatest(a.swap, b.swap),
});

const simulates = ({ routes }: EvmTradeFacts) => routes.some(({ isGuess }) => !isGuess);

/** Maximum percentage by which the best pool may pay less than a pool that only one host could simulate. */
const mostMissed = 3;

/**
 * Returns the quote on which two hosts agree for a trade: its block, its amount, and what the best pool pays. A single
 * host could invent a minimum far below the market, or hide a route.
 *
 * If one host cannot simulate, the other host's simulation can refuse a route. It can also lower what arrives, by at
 * most the tax of a safe token, but not below an amount that the first host has proved to arrive. It can raise nothing,
 * so buys of unlisted tokens use a v3 pool only if both hosts have simulated it. Undefined if the hosts disagree.
 */
export function jointEvmQuote(a: EvmHostQuote, b: EvmHostQuote, side: Order["side"]): EvmHostQuote {
  if (a === undefined || b === undefined) return undefined;
  if (!(a instanceof DomainError) && !(b instanceof DomainError)) return jointFacts(a, b, side);
  if (a instanceof DomainError && b instanceof DomainError) return a.code === b.code ? a : undefined;
  const [facts, refusal] = a instanceof DomainError ? [b as EvmTradeFacts, a] : [a, b as DomainError];
  const isUnproven = facts.routes.every((route) => needsProof(route, facts, side));
  return refusal.code === "NO_ROUTE" && isUnproven ? unproven() : undefined;
}

function jointFacts(a: EvmTradeFacts, b: EvmTradeFacts, side: Order["side"]): EvmHostQuote {
  if (!isSameTrade(a, b)) return undefined;
  const { isListed } = a.identity;
  const [able, plain] = simulates(a) ? [a, b] : [b, a];
  const isMixed = !simulates(plain) && simulates(able);
  const shared = jointRoutes(a, b, isMixed && !isListed ? highestTax : 0);
  const sorted = ranked(shared, { side, amountIn: a.amount, isListed });
  const isSameBest = isSameEvmRoute(a.routes[0], b.routes[0]);
  // If both hosts can simulate, detects a route that one of them hides or invents.
  const wanted = isSameBest ? a.routes[0] : isMixed ? sorted[0] : undefined;
  const best = wanted && shared.find((route) => isSameEvmRoute(route, wanted));
  const namers = [able, plain].filter(({ routes }) => best && isSameEvmRoute(routes[0], best));
  const missed = namers[0] === able ? plain.routes[0] : able.routes[0];
  if (!isSameBest && isMixed && !shared.some((route) => isSameEvmRoute(route, missed))) {
    const isUnproven = needsProof(missed, able, side);
    const isShown = missed.provenOut !== undefined && (best?.amountOut ?? 0n) < missed.provenOut;
    if (isListed || isShown || !(isUnproven || missed.isGuess)) return undefined;
    const isFar = !best || isBelow(best.amountOut, missed.quoted, isUnproven ? mostMissed : highestTax);
    if (isFar) return isUnproven ? unproven() : undefined;
  }
  const [namer] = namers;
  if (!best || namer === undefined) return undefined;
  return {
    ...namer,
    safety: able.safety,
    flags: able.flags,
    amountOut: best.amountOut,
    routes: [best, ...sorted.filter((route) => route !== best)],
    fees: jointFees([a.fees, b.fees]),
    baseFee: greatest(a.baseFee, b.baseFee),
    transactions: jointTransactions(namers.map(({ transactions }) => transactions)),
  };
}

/** True if only simulations by both hosts can prove that a swap on this route delivers. */
const needsProof = (route: EvmQuotedRoute, { identity }: EvmTradeFacts, side: Order["side"]): boolean =>
  side === "buy" && !identity.isListed && !checksArrival(route) && !route.isGuess;

const isSameTrade = (a: EvmTradeFacts, b: EvmTradeFacts): boolean =>
  a.block.number === b.block.number &&
  a.block.time === b.block.time &&
  a.amount === b.amount &&
  a.nextNonce === b.nextNonce &&
  a.identity.decimals === b.identity.decimals;

const isBelow = (amount: bigint, other: bigint, percent: number): boolean =>
  amount * 100n < other * BigInt(100 - percent);

const unproven = () =>
  new DomainError("NO_ROUTE", "The best pool of this token needs simulations by two hosts of the chain");

/**
 * Keeps the routes whose pools pay the same according to both hosts, because a single host could invent a route.
 *
 * @param mostTax In percent. Limits how far one host's simulation may lower the amount that arrives if the other host
 * could not simulate.
 */
function jointRoutes(a: EvmTradeFacts, b: EvmTradeFacts, mostTax: number): EvmQuotedRoute[] {
  return a.routes.flatMap((route) => {
    const same = b.routes.find((each) => isSameEvmRoute(each, route) && each.quoted === route.quoted);
    if (same === undefined) return [];
    const amountOut = least(route.amountOut, same.amountOut);
    const isAgreed = route.amountOut === same.amountOut;
    const isLone = route.isGuess !== same.isGuess;
    const [{ provenOut = 0n }, surer] = route.isGuess ? [route, same] : [same, route];
    const isPossible = amountOut >= provenOut && !isBelow(amountOut, route.quoted, mostTax);
    if (!isAgreed && !(isLone && isPossible)) return [];
    const networkFee = greatest(route.networkFee, same.networkFee);
    const deepOut = least(route.deepOut, same.deepOut);
    return [{ ...surer, amountOut, networkFee, deepOut }];
  });
}

/** Combines two hosts' lists of transactions. Both lists end with the swap. */
function jointTransactions(lists: readonly EvmTradeFacts["transactions"][]): EvmTradeFacts["transactions"] {
  const [longer = [], shorter = []] = lists.toSorted((x, y) => y.length - x.length);
  return longer.map((gas, index) => {
    const other = shorter[index - longer.length + shorter.length];
    return other === undefined ? gas : jointGas(gas, other);
  });
}
