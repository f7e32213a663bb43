import { DomainError } from "../../../core/domain-error.ts";
import { greatest } from "../../../orders/bigints.ts";
import { coinUnitsFrom } from "../../../orders/decimal-text.ts";
import { shortage } from "../../../orders/needs.ts";
import { marketImpact, priceImpact, referencePart } from "../../../orders/price-impact.ts";
import { identify, tokenNotFound } from "../../../orders/requests.ts";
import { amountOfSale, noRoute, tooLarge, tooSmall } from "../../../orders/sale-amount.ts";
import { isWritable } from "../../../orders/token-identity.ts";
import { bestSafety, flagsOf, type TokenSafety, worseSafety } from "../../../orders/token-safety.ts";
import type { Trade } from "../../../orders/trade.ts";
import { type Ask, askTogether } from "../../hosts/ask-together.ts";
import { feeMarketCalls, feeMarketOf } from "../calls/fee-market.ts";
import { blockCall, coinsCall, hashAgainCall, nonceCall, pendingNonceCall } from "../calls/rpc-call.ts";
import { belongingsCall } from "../calls/token-belongings.ts";
import { tokenClaimsCall } from "../calls/token-claims.ts";
import { availableOf } from "../rules/check-trade.ts";
import { feesFor } from "../rules/fees.ts";
import { checksArrival, isSameRoute, poolsOf, routeOf } from "../rules/intent.ts";
import { deepTimes, ranked } from "../rules/route-choice.ts";
import type { QuotedRoute, QuoteQuestion, TradeFacts } from "../rules/trade-facts.ts";
import type { RoutePools } from "../venues/pool-quotes.ts";
import { areAt, type PoolRoute, type PoolRoutes, poolCalls, poolRoutesOf } from "../venues/pool-routes.ts";
import { newStranger, probeCoins, probeSimulation } from "../venues/probe-simulation.ts";
import type { EvmReader } from "../venues/reader.ts";
import { routeStatesCall } from "../venues/route-states.ts";
import {
  mostSimulated,
  orderFactsOf,
  type RouteAnswers,
  routeCalls,
  routesToTry,
  type SwapRequest,
  transactionsOf,
  type WorkingRoute,
  withEstimates,
  workingRoutes,
} from "./choose-route.ts";

/** A quote without a wallet is made for a stranger. */
type Asked = Omit<QuoteQuestion, "chain" | "wallet"> & {
  wallet?: string | undefined;
  /** True if a transaction of the wallet may be planned from the facts. */
  isForPlanning?: boolean;
};

/**
 * Finds the best route of a trade and its costs, in three requests.
 *
 * @param block The block to read. Fees are always the newest.
 * @throws {DomainError} INVALID_REQUEST, TOKEN_NOT_FOUND, NO_ROUTE, AMOUNT_TOO_SMALL, and INSUFFICIENT_BALANCE for a
 * percentage of nothing
 * @throws {ChainUnavailable}
 */
export async function quoteOnChain(
  ask: Ask,
  reader: Pick<EvmReader, "chain" | "configuration" | "taken">,
  asked: Asked,
  block: number | "latest" = "latest",
): Promise<TradeFacts> {
  const { configuration } = reader;
  const { trade } = asked;
  const { side, token } = trade;
  if (token === configuration.wrapped.token) throw noRoute();
  const wallet = asked.wallet ?? newStranger();
  const coinAmount = side === "buy" ? coinUnitsFrom(reader.chain, trade.amount ?? "", "amount") : undefined;
  const probe = { side: "buy", amountIn: probeCoins } as const;
  // The amount of a sale is known only later. Purchases of two amounts show which pools are worth simulating.
  const trades = [
    probe,
    ...(coinAmount === undefined ? [{ ...probe, amountIn: deepProbeCoins }] : sizesOf(side, coinAmount)),
  ];
  const first = await askTogether(ask, {
    claims: tokenClaimsCall(token, block),
    belongings: belongingsCall(configuration, token, wallet, block),
    wrapped: belongingsCall(configuration, configuration.wrapped.token, wallet, block),
    market: feeMarketCalls(reader.chain),
    forPlanning: asked.isForPlanning ? [{ latest: blockCall(block), pending: pendingNonceCall(wallet) }] : [],
    found: poolCalls(configuration, token, trades, block),
  });
  const identity = identify(reader, token, first.claims);
  const { belongings } = first;
  const found = poolRoutesOf(first.found);
  if (belongings === undefined || !isWritable(belongings.held, identity.decimals))
    throw tokenNotFound(reader.chain);
  // A percentage of an empty balance is refused later, together with all checks of balances.
  if (found.found.length === 0 && trade.percent !== undefined) throw noRoute();
  const { tokens: available } = availableOf({ coins: 0n, tokens: belongings.held }, token, asked.orders);
  const amount = coinAmount ?? amountOfSale(trade, identity, available);
  // A v3 router that lacks coin takes wrapped coin from the wallet if its allowance permits. A malicious token can make
  // it pay out the coin first, unless a bridge is paid before the token's code runs.
  const isHarmless = (route: PoolRoute) =>
    checksArrival(route) ||
    route.bridge !== undefined ||
    identity.isListed ||
    first.wrapped?.allowances.get(route.router) === 0n;
  // Asks for the pools' payments for a sale together with the simulations.
  const tried =
    side === "buy"
      ? routesToTry((found.routes[1] ?? []).filter(isHarmless), found.routes[2])
      : routesOfSale(found).map((route) => ({ ...route, amountOut: amount }));
  const paysForProbe = (found.routes[0] ?? []).length > 0;
  if (tried.length === 0) {
    if (found.isTooSmall[1]) throw tooSmall();
    if ((found.routes[1] ?? []).length > 0) throw mustRevoke(configuration.wrapped.symbol);
    throw side === "buy" && amount > probeCoins && paysForProbe ? tooLarge() : noRoute();
  }
  const market = feeMarketOf(first.market);
  const request: SwapRequest = {
    wallet,
    side,
    token,
    amountIn: amount,
    allowances: belongings.allowances,
    hasTokens: belongings.held >= amount,
    fees: feesFor(reader.chain, asked.gasPreset, market),
    baseFee: market.baseFee,
  };
  const tag = found.block.number;
  const after = { ...found.block, baseFee: market.baseFee };
  const probed = routesToProbe(found.routes[0] ?? []);
  const swapsBy = (routes: readonly PoolRoute[]) => ({
    answers: routeCalls(reader, request, routes, found.block),
    states: routeStatesCall(configuration, token, routes, tag),
    // Nothing may be asked after this.
    again: asked.isForPlanning ? [hashAgainCall(tag)] : [],
  });
  // A pool whose liquidity is far from its price holds coins, too, but pays none.
  const paying = found.found.filter((pool) => found.routes[0]?.some((each) => isSameRoute(each, pool)));
  const second = await askTogether(ask, {
    depths: routeStatesCall(configuration, token, paying, tag),
    safeties: probed.map((route) => probeSimulation(configuration, token, route, after)),
    sale: side === "buy" ? [] : [poolCalls(configuration, token, sizesOf(side, amount), tag)],
    coins: coinsCall(wallet, tag),
    nextNonce: nonceCall(wallet, tag),
    ...swapsBy(tried),
  });
  const sale = second.sale[0] && poolRoutesOf(second.sale[0]);
  const quoted = sale ?? { routes: found.routes.slice(1), isTooSmall: found.isTooSmall.slice(1) };
  const missed = sale ? missedBy(tried, sale.routes) : [];
  const last = missed.length === 0 ? second : await askTogether(ask, swapsBy(missed));
  const swaps = [{ ...second, routes: tried }, ...(last === second ? [] : [{ ...last, routes: missed }])];
  const safetyFor = (route: PoolRoute) => safetyOfKind(route, probed, second.safeties);
  const states = swaps.flatMap((each) => each.states);
  const working = swaps
    .flatMap((each) => {
      const { routes, answers } = withPaid(each.routes, each.answers, sale?.routes[0], (route) => {
        // The wallet's sale could not be simulated, but a stranger's sale could.
        return request.hasTokens || side === "buy" || safetyFor(route).sellable !== false;
      });
      return workingRoutes(reader, request, routes, answers);
    })
    .flatMap((route) => {
      const state = states.find((each) => isSameRoute(each.route, route));
      return state ? [{ ...afterTax(route, request, safetyFor(route)), state }] : [];
    });
  const [best, ...others] = ranked(working, { side, amountIn: amount, isListed: identity.isListed });
  if (best === undefined) {
    if (quoted.isTooSmall[0]) throw tooSmall();
    const [whole = [], , part = []] = quoted.routes;
    const [bought] = found.routes[0] ?? [];
    const sellsLess = async () =>
      side === "sell" && bought !== undefined && takes(ask, reader, token, bought.amountOut, tag);
    const isTooMuch =
      amount >= mostInPool || (whole.length === 0 && (part.length > 0 || (await sellsLess())));
    if (!paysForProbe || !isTooMuch) throw noRoute();
    const isShort = side === "sell" && asked.wallet !== undefined;
    const { symbol, decimals } = identity;
    throw (isShort && shortage([{ token, symbol, decimals, needed: amount, available }])) || tooLarge();
  }
  // A smaller amount shows no more than the probe, and a sale of a few units pays nothing.
  const larger = amount > probeCoins ? best.safety : undefined;
  const safety = larger ? worseSafety(safetyFor(best), larger) : safetyFor(best);
  const [route = best] = await withEstimates(ask, reader, request, [best], tag, true);
  if (route.amountOut === 0n) throw tooSmall();
  if (side === "buy" && !isWritable(route.amountOut, identity.decimals)) throw tokenNotFound(reader.chain);
  const liquidity = greatest(0n, ...[...states, ...second.depths].map(({ coins }) => coins));
  const price = best.state.priceFor(side);
  const bindable = (each: WorkingRoute) => bindableRoute(each, quoted.routes[1]);
  const [planning] = first.forPlanning;
  const isWhole =
    planning !== undefined &&
    areAt(first.found, planning.latest) &&
    belongings.block === planning.latest.number &&
    last.again[0] === planning.latest.hash;
  return {
    block: found.block,
    identity,
    amount,
    amountOut: route.amountOut,
    priceImpact: priceImpact(price, {
      amountIn: amount,
      amountOut: route.quoted,
      fees: poolsOf(route).map(({ feeBps }) => feeBps),
    }),
    ...marketOf(quoted.routes, amount),
    routes: [bindable(route), ...others.map(bindable)],
    transactions: transactionsOf(route),
    fees: request.fees,
    baseFee: market.baseFee,
    safety,
    flags: flagsOf(identity, safety, liquidity),
    ...(asked.wallet !== undefined && {
      held: { coins: second.coins, tokens: belongings.held },
      nextNonce: second.nextNonce,
    }),
    ...(isWhole &&
      planning.pending !== undefined && {
        forPlanning: {
          latest: planning.latest,
          coins: second.coins,
          baseFee: market.baseFee,
          nonce: { latest: second.nextNonce, pending: planning.pending },
          order: orderFactsOf(
            reader,
            request,
            [route, ...others],
            side === "sell" ? belongings.held : undefined,
          ),
        },
      }),
  };
}

/** The trade, the same for {@link deepTimes} times the amount, and for a small part of it. */
const sizesOf = (side: Trade["side"], amountIn: bigint) =>
  [
    { side, amountIn },
    { side, amountIn: deepTimes * amountIn },
    { side, amountIn: amountIn / referencePart },
  ] as const;

/** Compares the best price for the amount with that for a small part, if there is one. */
function marketOf([routes, , ofLess]: PoolRoutes["routes"], amount: bigint): Pick<TradeFacts, "market"> {
  const [best, reference] = [routes?.[0], ofLess?.[0]];
  if (best === undefined || reference === undefined) return {};
  const price = { in: amount / referencePart, out: reference.amountOut };
  const impact = marketImpact({ in: amount, out: best.amountOut }, price);
  return { market: { impact, reference: price } };
}

/** Asks whether any pool buys the token. */
async function takes(
  ask: Ask,
  { configuration }: Pick<EvmReader, "configuration">,
  token: string,
  amountIn: bigint,
  tag: number,
): Promise<boolean> {
  const { sale } = await askTogether(ask, {
    sale: poolCalls(configuration, token, [{ side: "sell", amountIn }], tag),
  });
  return (poolRoutesOf(sale).routes[0] ?? []).length > 0;
}

/** Uniswap v2 stores a pool's reserves in 112 bits. */
const mostInPool = 1n << 112n;

/** The amount of a purchase that shows which pools are deep: 1 coin. */
const deepProbeCoins = 100n * probeCoins;

/** Selects the routes of a sale to simulate before its amount is known, by what purchases would pay. */
function routesOfSale({ found, routes: [small = [], large = []] }: PoolRoutes): RoutePools[] {
  const likely = routesToTry(small, large);
  return likely.length > 0 ? likely : found.slice(0, mostSimulated);
}

/** Lists the best payers of a sale and of a larger one that were not tried. */
function missedBy(tried: readonly RoutePools[], [routes, ofMore]: PoolRoutes["routes"]): PoolRoute[] {
  const best = routes?.[0];
  const deepest = routes?.find((route) => ofMore?.[0] && isSameRoute(route, ofMore[0]));
  return [...new Set([best, deepest])].filter(
    (route): route is PoolRoute => route !== undefined && !tried.some((each) => isSameRoute(each, route)),
  );
}

/** Adds the amount that would arrive for more, after the same tax. */
function bindableRoute(
  { pool, bridgePool, amountOut, quoted, isGuess, provenOut, networkFee, ...route }: WorkingRoute,
  ofMore: readonly PoolRoute[] = [],
): QuotedRoute {
  const paid = ofMore.find((each) => isSameRoute(each, route))?.amountOut ?? 0n;
  return {
    ...routeOf(route),
    pool,
    ...(bridgePool !== undefined && { bridgePool }),
    amountOut,
    quoted,
    isGuess,
    ...(provenOut !== undefined && { provenOut }),
    networkFee,
    deepOut: (paid * amountOut) / quoted,
  };
}

const mustRevoke = (wrapped: string) =>
  new DomainError(
    "NO_ROUTE",
    `Only v3 pools can trade this token, and the wallet lets their router take its ${wrapped}, which a malicious token can abuse. Revoke that approval first`,
  );

/** Selects the best pools of each kind. */
const routesToProbe = (routes: readonly PoolRoute[]): PoolRoute[] =>
  [routes.find(checksArrival), routes.find((route) => !checksArrival(route))].filter(
    (route) => route !== undefined,
  );

/**
 * Combines the findings about a token from pools of one kind. If they show nothing, only negative findings of the other
 * kind count: that one kind can sell the token does not prove that the other can.
 */
function safetyOfKind(
  route: PoolRoute,
  probed: readonly PoolRoute[],
  safeties: readonly TokenSafety[],
): TokenSafety {
  const same = safeties.filter(
    (_, index) => checksArrival(probed[index] as PoolRoute) === checksArrival(route),
  );
  const own = bestSafety(same);
  const any = bestSafety(safeties);
  return own.sellable === null && (same.length === 0 || any.sellable === false) ? any : own;
}

/** Adds the amounts that pools pay to the routes of a sale. Routes of a buy already have them. */
function withPaid(
  tried: readonly PoolRoute[],
  answers: RouteAnswers,
  paid: readonly PoolRoute[] | undefined,
  isPossible: (route: PoolRoute) => boolean,
): { routes: PoolRoute[]; answers: RouteAnswers } {
  const kept = tried.flatMap((route, index) => {
    const payer = paid === undefined ? route : paid.find((each) => isSameRoute(each, route));
    return payer === undefined || !isPossible(route) ? [] : [{ index, route: payer }];
  });
  return {
    routes: kept.map(({ route }) => route),
    answers: {
      outcomes: kept.map(({ index }) => answers.outcomes[index] ?? []),
      l1Fees: answers.l1Fees.map((fees) => kept.flatMap(({ index }) => fees[index] ?? [])),
    },
  };
}

const perPercent = 10_000;

/** Applies the tax that a stranger's sale showed, if the wallet's sale could not be simulated. */
function afterTax(route: WorkingRoute, { side }: SwapRequest, { sellTax }: TokenSafety): WorkingRoute {
  if (!route.isGuess || side === "buy" || sellTax === null) return route;
  const left = BigInt(Math.round((100 - sellTax) * perPercent));
  return { ...route, amountOut: (route.quoted * left) / BigInt(100 * perPercent) };
}
