import type { BlockTag } from "../calls/rpc-call.ts";
import type { EvmRoute } from "../rules/intent.ts";
import { type Contracts, routesOf } from "./configured-routes.ts";
import { type PoolQuotes, type PoolTrade, poolQuotesCall, type RoutePools } from "./pool-quotes.ts";

/** A route, and the amount that it pays before any tax of the token. */
export type PoolRoute = RoutePools & { amountOut: bigint };

/** The amounts that a token's routes pay. */
export type PoolRoutes = Pick<PoolQuotes, "block"> & {
  /** The routes whose pools exist. */
  found: readonly RoutePools[];
  /**
   * Routes that can make each trade, the one that pays most first. Leaves out routes with a pool that would run dry.
   */
  routes: readonly (readonly PoolRoute[])[];
  /** True for each trade if some route would pay nothing because the amount is too small. */
  isTooSmall: readonly boolean[];
};

/**
 * Asks the pools of a token how much they pay for some amounts. {@link poolRoutesOf} reads the answers.
 *
 * @param trades Only buys or only sales.
 */
export function poolCalls(
  contracts: Contracts,
  token: string,
  trades: readonly PoolTrade[],
  tag: BlockTag,
  routes: readonly EvmRoute[] = routesOf(contracts, token),
) {
  const callFor = (some: readonly EvmRoute[]) => poolQuotesCall(contracts, token, trades, some, tag);
  const bridged = routes.filter(({ bridge }) => bridge !== undefined);
  return {
    direct: callFor(routes.filter(({ bridge }) => bridge === undefined)),
    bridged: bridged.length === 0 ? [] : [callFor(bridged)],
  };
}

type PoolAnswers = {
  direct: PoolQuotes;
  /** Empty if there are no routes through quote tokens. */
  bridged: readonly PoolQuotes[];
};

/** True if all pools answered at the given block. */
export const areAt = (answers: PoolAnswers, { number, time }: PoolQuotes["block"]): boolean =>
  [answers.direct, ...answers.bridged].every(({ block }) => block.number === number && block.time === time);

export function poolRoutesOf(answers: PoolAnswers): PoolRoutes {
  const quotes = [answers.direct, ...answers.bridged].flatMap(({ routes }) => routes);
  const trades = quotes[0]?.amountsOut.map((_, trade) =>
    quotes.flatMap(({ route, amountsOut }): PoolRoute[] => {
      const amountOut = amountsOut[trade];
      return amountOut === undefined ? [] : [{ ...route, amountOut }];
    }),
  );
  const all = trades ?? [];
  return {
    block: answers.direct.block,
    found: quotes.map(({ route }) => route),
    routes: all.map((routes) =>
      routes
        .filter(({ amountOut }) => amountOut > 0n)
        .toSorted((a, b) => (a.amountOut > b.amountOut ? -1 : a.amountOut < b.amountOut ? 1 : 0)),
    ),
    isTooSmall: all.map((routes) => routes.some(({ amountOut }) => amountOut === 0n)),
  };
}
