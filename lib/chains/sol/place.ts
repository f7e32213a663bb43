import { DomainError } from "../../core/domain-error.ts";
import { planningFactsIn } from "../../orders/placed-facts.ts";
import type { PlacingFamily } from "../../orders/placing-family.ts";
import { usualSeconds } from "./rules/attempts.ts";
import { checkSolTrade, solSettingsForTrade } from "./rules/check-trade.ts";
import type { Sol } from "./rules/family.ts";
import { stayingRentLamports } from "./rules/fees.ts";
import { isSameSolRoute, plainSolRoute, type SolRoute } from "./rules/intent.ts";
import { jointSolQuote } from "./rules/joint-facts.ts";
import { areForOrder, solFactsText } from "./rules/placed-facts.ts";
import { mostSolRoutes, type SolQuotedRoute } from "./rules/trade-facts.ts";

/**
 * Chooses the routes that an order may use: the best one, and the next best ones that reach the minimum. A token may
 * move to another pool before the order's message is made.
 */
const routesToBind = ([best, ...others]: readonly SolQuotedRoute[], minAmountOut: bigint): SolRoute[] =>
  [...(best ? [best] : []), ...others.filter(({ amountOut }) => amountOut >= minAmountOut)]
    .slice(0, mostSolRoutes)
    .flatMap((route) => [route, ...(route.next ? [route.next] : [])])
    .map(plainSolRoute);

const needsJupiter = new DomainError(
  "NO_ROUTE",
  "No pool that this service reads trades the token, so no order of it can rest",
  { reason: "ROUTE_NEEDS_JUPITER" },
);

/** Places orders on Solana. */
export const solPlacing: PlacingFamily<Sol> = {
  questionAbout({ wallet }, trade, trader) {
    const { slippage } = solSettingsForTrade(trade, trader);
    return { chain: "sol", wallet, trade, slippage, orders: trader.orders };
  },
  jointAnswer: ([a, b], { slippage }) => jointSolQuote(a, b, slippage),
  byOwnPools(answer) {
    if (answer === undefined || answer instanceof DomainError || answer.byPools === undefined) return answer;
    const { byPools } = answer;
    return byPools instanceof DomainError && byPools.code === "NO_ROUTE" ? needsJupiter : byPools;
  },
  check: checkSolTrade,
  gasPriceIn: () => undefined,
  feesBps: ({ routes: [best] }) => [best.feeBps ?? 0],
  feeOfSale: ({ check }) => check.networkFee.max,
  markerRent: ({ costs }) => costs.rents.marker,
  secondsFor: () => usualSeconds,
  childFees: () => ({}),
  intentOf: (terms, { facts, check }) => ({
    ...terms,
    chain: "sol",
    tokenProgram: facts.mint.program,
    routes: routesToBind(facts.routes, terms.minAmountOut),
    budgetLamports: check.budget,
    attempts: check.attempts,
  }),
  orderPart: {},
  quotedPart: ({ side, routes }, { facts, check }) => ({
    rents: check.mostRents,
    stayingRents: stayingRentLamports(side, routes),
    feesBps: routes.map((route) => facts.routes.find((each) => isSameSolRoute(each, route))?.feeBps ?? 0),
  }),
  /** Undefined if the hosts do not agree on a blockhash, or if a host's answers are not about the order's best route. */
  factsForRun({ setup, quotes = [undefined, undefined] }, { intent }, jobs) {
    const [one, other] = planningFactsIn(quotes);
    if (one === undefined || one.blockhash.hash !== other?.blockhash.hash) return undefined;
    const hosts = [one, other] as const;
    if (!hosts.every((facts) => areForOrder(facts, intent))) return undefined;
    return solFactsText({ setup: setup.name, jobs, hosts });
  },
};
