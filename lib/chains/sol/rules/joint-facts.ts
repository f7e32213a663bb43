import { isDeepStrictEqual } from "node:util";
import { DomainError } from "../../../core/domain-error.ts";
import { greatest } from "../../../orders/bigints.ts";
import { millionthsOf } from "../../../orders/percent.ts";
import { areSlotsNear } from "./host-snapshot.ts";
import { isSameSolRoute } from "./intent.ts";
import type { SolHostQuote, SolQuotedRoute, SolTradeFacts } from "./trade-facts.ts";
import { jointCosts } from "./trade-fees.ts";

/** Divisor of the slippage: two hosts' outputs may differ by this part of it. */
const partsOfSlippage = 4n;
const whole = 1_000_000n;

/**
 * Returns the quote on which two hosts agree for a trade. Hosts cannot read past slots, so their quotes may be from
 * different slots. The slots must be close together, the mint and the balances must be the same, and the outputs may
 * differ by at most a quarter of the slippage. Undefined if the hosts disagree. If they disagree only on Jupiter, they
 * may still agree on the pools.
 *
 * The higher output counts, and the minimum follows from it: a lying host can make an order fail, but can never make it
 * sell cheaply. Costs are the higher ones.
 *
 * @param slippage In percent.
 */
export function jointSolQuote(a: SolHostQuote, b: SolHostQuote, slippage: number): SolHostQuote {
  if (a === undefined || b === undefined) return undefined;
  if (a instanceof DomainError) {
    if (b instanceof DomainError) return a.code === b.code ? a : undefined;
    return jointSolQuote(b, a, slippage);
  }
  return (b instanceof DomainError ? undefined : jointFacts(a, b, slippage)) ?? jointByPools(a, b, slippage);
}

/**
 * Omits Jupiter if only one host confirms that it pays, because a host may be unable to simulate it, or may lie about
 * it.
 */
function jointByPools(a: SolTradeFacts, b: SolTradeFacts | DomainError, slippage: number): SolHostQuote {
  const [mine, other] = [a, b].map((each) => ("byPools" in each && each.byPools) || each);
  return mine === a && other === b ? undefined : jointSolQuote(mine, other, slippage);
}

function jointFacts(a: SolTradeFacts, b: SolTradeFacts, slippage: number): SolHostQuote {
  const isNear = (one: bigint, other: bigint) => isWithin(one, other, slippage);
  if (!isSameTrade(a, b) || !isNear(a.amountOut, b.amountOut)) return undefined;
  const shared = a.routes.flatMap((route): SolQuotedRoute[] => {
    const same = b.routes.find((each) => isSameSolRoute(each, route));
    const isShared =
      same !== undefined && same.feeBps === route.feeBps && isNear(same.amountOut, route.amountOut);
    return isShared ? [{ ...route, amountOut: greatest(same.amountOut, route.amountOut) }] : [];
  });
  const [best, ...others] = shared.toSorted((x, y) => (x.amountOut < y.amountOut ? 1 : -1));
  const amountOut = greatest(a.amountOut, b.amountOut);
  // A host could report a good pool that the other host does not know, together with one that pays less.
  if (best === undefined || !isNear(best.amountOut, amountOut)) return undefined;
  const { byPools: _, forPlanning: __, ...namer } = a.amountOut === amountOut ? a : b;
  return {
    ...namer,
    amountOut,
    routes: [best, ...others],
    costs: jointCosts(a.costs, b.costs),
    ...findingsOf(a, b),
  };
}

/** Returns the worse of the hosts' findings about the token. If a host cannot simulate, it has no findings. */
function findingsOf(a: SolTradeFacts, b: SolTradeFacts): Pick<SolTradeFacts, "safety" | "flags"> {
  const rankOf = ({ safety: { sellable } }: SolTradeFacts) => (sellable === null ? 2 : sellable ? 1 : 0);
  const { safety, flags } = rankOf(b) < rankOf(a) ? b : a;
  return { safety, flags };
}

const isSameTrade = (a: SolTradeFacts, b: SolTradeFacts): boolean =>
  areSlotsNear(a.slot, b.slot) &&
  a.amount === b.amount &&
  isDeepStrictEqual(a.mint, b.mint) &&
  isDeepStrictEqual(a.held, b.held);

/** True if the lower amount is at most a quarter of the slippage below the higher one. */
function isWithin(a: bigint, b: bigint, slippage: number): boolean {
  const higher = greatest(a, b);
  const distance = a > b ? a - b : b - a;
  return distance * partsOfSlippage * whole <= higher * millionthsOf(slippage);
}
