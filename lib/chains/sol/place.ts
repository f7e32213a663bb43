import type { PlacingFamily } from "../../orders/placing-family.ts";
import { usualSeconds } from "./rules/attempts.ts";
import { checkSolTrade, solSettingsForTrade } from "./rules/check-trade.ts";
import type { Sol } from "./rules/family.ts";
import { stayingRentLamports } from "./rules/fees.ts";
import { isSameSolRoute, plainSolRoute, type SolRoute } from "./rules/intent.ts";
import { jointSolQuote } from "./rules/joint-facts.ts";
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

/** Places orders on Solana. */
export const solPlacing: PlacingFamily<Sol> = {
  questionAbout({ wallet }, trade, trader) {
    const { slippage } = solSettingsForTrade(trade, trader);
    return { chain: "sol", wallet, trade, slippage, orders: trader.orders };
  },
  jointAnswer: ([a, b], { slippage }) => jointSolQuote(a, b, slippage),
  check: checkSolTrade,
  secondsFor: () => usualSeconds,
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
  /** Passes no facts to the first run, because the blockhash must be requested after everything else. */
  factsForRun: () => undefined,
};
