import { DomainError } from "../../core/domain-error.ts";
import { type Ask, askTogether } from "../chains/ask-together.ts";
import { feeMarketCalls, feeMarketOf } from "../chains/evm/fee-market.ts";
import { areAt, type PoolRoute, poolCalls, poolRoutesOf, poolStatesCall } from "../chains/evm/pool-routes.ts";
import { newStranger, probeCoins, probeSimulation } from "../chains/evm/probe-simulation.ts";
import { blockCall, coinsCall, hashAgainCall, nonceCall, pendingNonceCall } from "../chains/evm/rpc-call.ts";
import { belongingsCall } from "../chains/evm/token-belongings.ts";
import { tokenClaimsCall } from "../chains/evm/token-claims.ts";
import type { ChainReader } from "../chains/open-chains.ts";
import { identify, tokenNotFound } from "../chains/requests.ts";
import { greatest } from "../core/bigints.ts";
import { availableOf } from "../core/check-trade.ts";
import { coinDecimals, unitsFrom } from "../core/decimal-text.ts";
import { feesFor } from "../core/evm/fees.ts";
import { type PoolPrice, priceImpact } from "../core/evm/pool-price.ts";
import { deepTimes, ranked } from "../core/evm/route-choice.ts";
import { isV2Venue } from "../core/intent.ts";
import { shortage } from "../core/order-checks.ts";
import { isWritable, type TokenIdentity } from "../core/token-identity.ts";
import { bestSafety, flagsOf, type TokenSafety, worseSafety } from "../core/token-safety.ts";
import type { QuotedRoute, QuoteQuestion, Trade, TradeFacts } from "../core/trade-facts.ts";
import {
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
  reader: Pick<ChainReader, "chain" | "configuration">,
  asked: Asked,
  block: number | "latest" = "latest",
): Promise<TradeFacts> {
  const { configuration } = reader;
  const { trade } = asked;
  const { side, token } = trade;
  if (token === configuration.wrapped.token) throw noRoute();
  const wallet = asked.wallet ?? newStranger();
  const coinAmount = side === "buy" ? unitsFrom(trade.amount ?? "", coinDecimals, "amount") : undefined;
  const probe = { side: "buy", amountIn: probeCoins } as const;
  const trades = coinAmount === undefined ? [probe] : [probe, ...bothSizes(side, coinAmount)];
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
  if (found.pools.length === 0 && trade.percent !== undefined) throw noRoute();
  const { tokens: available } = availableOf({ coins: 0n, tokens: belongings.held }, token, asked.orders);
  const amount = coinAmount ?? tokenAmount(trade, identity, available);
  // A v3 router that lacks coin takes wrapped coin from the wallet if its allowance permits. A malicious token can make
  // it pay out the coin first.
  const isHarmless = (route: PoolRoute) =>
    isV2Venue(route) || identity.isListed || first.wrapped?.allowances.get(route.router) === 0n;
  // Asks for the pools' payments for a sale together with the simulations: the amount is known only now.
  const tried =
    side === "buy"
      ? routesToTry((found.routes[1] ?? []).filter(isHarmless), found.routes[2])
      : found.pools.map((pool) => ({ ...pool, amountOut: amount }));
  if (tried.length === 0) {
    if (found.isTooSmall[1]) throw tooSmall();
    throw (found.routes[1] ?? []).length > 0 ? mustRevoke(configuration.wrapped.symbol) : noRoute();
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
  const second = await askTogether(ask, {
    answers: routeCalls(reader, request, tried, found.block),
    states: poolStatesCall(configuration, token, found.pools, tag),
    safeties: probed.map((route) => probeSimulation(configuration, token, route, after)),
    sale: side === "buy" ? [] : [poolCalls(configuration, token, bothSizes(side, amount), tag)],
    coins: coinsCall(wallet, tag),
    nextNonce: nonceCall(wallet, tag),
    again: asked.isForPlanning ? [hashAgainCall(tag)] : [],
  });
  const safetyFor = (route: PoolRoute) => safetyOfKind(route, probed, second.safeties);
  const sale = second.sale[0] && poolRoutesOf(second.sale[0]);
  const { routes, answers } = withPaid(tried, second.answers, sale?.routes[0], (route) => {
    // The wallet's sale could not be simulated, but a stranger's sale could.
    return request.hasTokens || side === "buy" || safetyFor(route).sellable !== false;
  });
  const working = workingRoutes(reader, request, routes, answers)
    .filter(({ pool }) => second.states.has(pool))
    .map((each) => afterTax(each, request, safetyFor(each)));
  const [best, ...others] = ranked(working, { side, amountIn: amount, isListed: identity.isListed });
  const quoted = sale ?? { routes: found.routes.slice(1), isTooSmall: found.isTooSmall.slice(1) };
  if (best === undefined) throw quoted.isTooSmall[0] ? tooSmall() : noRoute();
  // A smaller amount shows no more than the probe, and a sale of a few units pays nothing.
  const larger = amount > probeCoins ? best.safety : undefined;
  const safety = larger ? worseSafety(safetyFor(best), larger) : safetyFor(best);
  const [route = best] = await withEstimates(ask, reader, request, [best], tag, true);
  if (route.amountOut === 0n) throw tooSmall();
  if (side === "buy" && !isWritable(route.amountOut, identity.decimals)) throw tokenNotFound(reader.chain);
  const liquidity = greatest(0n, ...[...second.states.values()].map(({ coins }) => coins));
  const price = second.states.get(route.pool)?.priceFor(side) as PoolPrice;
  const bindable = (each: WorkingRoute) => bindableRoute(each, quoted.routes[1]);
  const [planning] = first.forPlanning;
  const isWhole =
    planning !== undefined &&
    areAt(first.found, planning.latest) &&
    belongings.block === planning.latest.number &&
    second.again[0] === planning.latest.hash;
  return {
    block: found.block,
    identity,
    amount,
    amountOut: route.amountOut,
    priceImpact: priceImpact(price, { ...route, amountOut: route.quoted, amountIn: amount }),
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

/** The trade, and the same for {@link deepTimes} times the amount. */
const bothSizes = (side: Trade["side"], amountIn: bigint) =>
  [
    { side, amountIn },
    { side, amountIn: deepTimes * amountIn },
  ] as const;

/** Adds the amount that would arrive for more, after the same tax. */
function bindableRoute(
  { venue, feeBps, router, pool, amountOut, quoted, isGuess, provenOut, networkFee }: WorkingRoute,
  ofMore: readonly PoolRoute[] = [],
): QuotedRoute {
  const paid = ofMore.find((each) => each.pool === pool)?.amountOut ?? 0n;
  return {
    venue,
    feeBps,
    router,
    pool,
    amountOut,
    quoted,
    isGuess,
    ...(provenOut !== undefined && { provenOut }),
    networkFee,
    deepOut: (paid * amountOut) / quoted,
  };
}

const noRoute = () => new DomainError("NO_ROUTE", "No pool can trade this token for the chain's coin");

const mustRevoke = (wrapped: string) =>
  new DomainError(
    "NO_ROUTE",
    `Only v3 pools can trade this token, and the wallet lets their router take its ${wrapped}, which a malicious token can abuse. Revoke that approval first`,
  );

const tooSmall = () =>
  new DomainError("AMOUNT_TOO_SMALL", "The amount is too small: you would receive nothing");

const perPercent = 10_000;

/** Computes the tokens of a sale. */
function tokenAmount(
  { amount, percent }: Trade,
  { token, symbol, decimals }: TokenIdentity,
  available: bigint,
): bigint {
  if (percent === undefined) return unitsFrom(amount ?? "", decimals, "amount");
  const share = (available * BigInt(Math.round(percent * perPercent))) / BigInt(100 * perPercent);
  if (available === 0n) throw shortage([{ token, symbol, decimals, needed: 1n, available }]) ?? tooSmall();
  if (share === 0n) throw tooSmall();
  return share;
}

/** Selects the best pools of each kind. */
const routesToProbe = (routes: readonly PoolRoute[]): PoolRoute[] =>
  [routes.find(isV2Venue), routes.find((route) => !isV2Venue(route))].filter((route) => route !== undefined);

/**
 * Combines the findings about a token from pools of one kind. If they show nothing, only negative findings of the other
 * kind count: that one kind can sell the token does not prove that the other can.
 */
function safetyOfKind(
  route: PoolRoute,
  probed: readonly PoolRoute[],
  safeties: readonly TokenSafety[],
): TokenSafety {
  const same = safeties.filter((_, index) => isV2Venue(probed[index] as PoolRoute) === isV2Venue(route));
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
    const payer = paid === undefined ? route : paid.find(({ pool }) => pool === route.pool);
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

/** Applies the tax that a stranger's sale showed, if the wallet's sale could not be simulated. */
function afterTax(route: WorkingRoute, { side }: SwapRequest, { sellTax }: TokenSafety): WorkingRoute {
  if (!route.isGuess || side === "buy" || sellTax === null) return route;
  const left = BigInt(Math.round((100 - sellTax) * perPercent));
  return { ...route, amountOut: (route.quoted * left) / BigInt(100 * perPercent) };
}
