import { DomainError } from "../../../core/domain-error.ts";
import { greatest } from "../../../orders/bigints.ts";
import { coinUnitsFrom } from "../../../orders/decimal-text.ts";
import { shortage } from "../../../orders/needs.ts";
import { marketImpact, priceImpact, referencePart } from "../../../orders/price-impact.ts";
import { identify, tokenNotFound } from "../../../orders/requests.ts";
import { amountOfSale, noRoute, tooLarge, tooSmall } from "../../../orders/sale-amount.ts";
import { isWritable } from "../../../orders/token-identity.ts";
import { flagsOf, worseSafety } from "../../../orders/token-safety.ts";
import type { Trade } from "../../../orders/trade.ts";
import { availableOf } from "../../../orders/trade-check.ts";
import { type Ask, askTogether } from "../../hosts/ask-together.ts";
import { feeMarketCalls, feeMarketOf } from "../calls/fee-market.ts";
import { blockCall, coinsCall, hashAgainCall, nonceCall, pendingNonceCall } from "../calls/rpc-call.ts";
import { belongingsCall } from "../calls/token-belongings.ts";
import { tokenClaimsCall } from "../calls/token-claims.ts";
import { feesFor, weiOfCoin } from "../rules/fees.ts";
import { isSameEvmRoute, poolsOf } from "../rules/intent.ts";
import { deepTimes, ranked } from "../rules/route-choice.ts";
import { checksArrival } from "../rules/swap-venues.ts";
import type { EvmQuoteQuestion, EvmTradeFacts } from "../rules/trade-facts.ts";
import type { RoutePools } from "../venues/pool-quotes.ts";
import { areAt, type PoolRoute, type PoolRoutes, poolCalls, poolRoutesOf } from "../venues/pool-routes.ts";
import { newStranger, probeCoins, probeSimulation } from "../venues/probe-simulation.ts";
import type { EvmReader } from "../venues/reader.ts";
import { routeStatesCall } from "../venues/route-states.ts";
import {
  afterTax,
  bindableRoute,
  isListed,
  mostSimulated,
  orderFactsOf,
  routeCalls,
  routesToProbe,
  routesToTry,
  type SwapRequest,
  safetyOfKind,
  transactionsOf,
  type WorkingRoute,
  withEstimates,
  withPaid,
  workingRoutes,
} from "./choose-route.ts";
import type { EarlyCalls, Purchase } from "./remembered-routes.ts";

/** A question about a quote. If it names no wallet, the quote is made for a stranger. */
type Asked = Omit<EvmQuoteQuestion, "chain" | "wallet"> & {
  wallet?: string | undefined;
  /** True if a transaction of the wallet may be planned from the facts. */
  isForPlanning?: boolean;
  /** The first request, if it has been made already. */
  look?: Promise<EvmLook> | undefined;
  /**
   * Makes calls of the second request early, about the routes that the host named last. Used only for purchases, and
   * only if a transaction may be planned from their facts.
   */
  early?: ((purchase: Purchase) => EarlyCalls) | undefined;
};

type Reader = Pick<EvmReader, "chain" | "configuration" | "taken">;

/**
 * Finds the best route of a trade and its costs, in two requests: the first one reads what the pools pay, and the second
 * one simulates swaps on the best routes. If these routes were known before, one request does both. A sale whose
 * best routes differ from those of a purchase takes one more.
 *
 * @param block The block to read. Fees are always the newest.
 * @throws {DomainError} INVALID_REQUEST, TOKEN_NOT_FOUND, NO_ROUTE, AMOUNT_TOO_SMALL, and INSUFFICIENT_BALANCE for a
 * percentage of nothing
 * @throws {ChainUnavailable}
 */
export async function quoteOnEvm(
  ask: Ask,
  reader: Reader,
  asked: Asked,
  block: number | "latest" = "latest",
): Promise<EvmTradeFacts> {
  if (asked.trade.token === reader.configuration.wrapped.token) throw noRoute();
  const found = await discover(ask, reader, asked, block);
  const tried = await simulate(ask, reader, found, selectRoutes(reader, found));
  const { side, amountIn } = found.request;
  const [best, ...others] = ranked(tried.working, { side, amountIn, isListed: found.identity.isListed });
  if (best === undefined) throw await refusalOf(ask, reader, found, tried);
  const [route = best] = await withEstimates(
    ask,
    reader,
    found.request,
    [best],
    found.pools.block.number,
    true,
  );
  return assess(reader, found, tried, [{ ...best, ...route }, ...others]);
}

/** Answers to the first request of a quote. */
export type EvmLook = Awaited<ReturnType<typeof lookForEvmQuote>>;

/** Reads the token, the wallet's balances, the fees and the pools, in the first request of a quote. */
export async function lookForEvmQuote(
  ask: Ask,
  reader: Reader,
  asked: Pick<Asked, "trade" | "isForPlanning" | "wallet" | "early">,
  block: number | "latest" = "latest",
) {
  const { chain, configuration } = reader;
  const { trade, isForPlanning, wallet = newStranger() } = asked;
  const { side, token } = trade;
  const coinAmount = side === "buy" ? coinUnitsFrom(chain, trade.amount ?? "", "amount") : undefined;
  const probe = { side: "buy", amountIn: probeCoins } as const;
  // The amount of a sale is known only later. Until then, purchases of two amounts show which pools are worth
  // simulating.
  const trades = [
    probe,
    ...(coinAmount === undefined ? [{ ...probe, amountIn: deepProbeCoins }] : sizesOf(side, coinAmount)),
  ];
  const canBeEarly = coinAmount !== undefined && isForPlanning && block === "latest";
  const early = canBeEarly ? asked.early?.({ wallet, token, amountIn: coinAmount }) : undefined;
  const answers = await askTogether(ask, {
    claims: tokenClaimsCall(token, block),
    belongings: belongingsCall(configuration, token, wallet, block),
    // Matters only for tokens that are not listed.
    wrapped: isListed(reader, token)
      ? []
      : [belongingsCall(configuration, configuration.wrapped.token, wallet, block)],
    market: feeMarketCalls(chain),
    forPlanning: isForPlanning ? [{ latest: blockCall(block), pending: pendingNonceCall(wallet) }] : [],
    found: poolCalls(configuration, token, trades, block),
    // Must come last, because its last call must be the last one of the request.
    early: early?.calls(reader) ?? [],
  });
  return { wallet, coinAmount, answers, early };
}

/** Computes the amount of the trade and its fees from the first request. */
async function discover(ask: Ask, reader: Reader, asked: Asked, block: number | "latest") {
  const { chain } = reader;
  const { trade, look = lookForEvmQuote(ask, reader, asked, block) } = asked;
  const { side, token } = trade;
  const { wallet, coinAmount, answers, early } = await look;
  const identity = identify(reader, token, answers.claims);
  const { belongings } = answers;
  const [{ latest: head } = {}] = answers.forPlanning;
  // Leaves out the block if a new one arrived while the host made these calls.
  const latest = head && areAt(answers.found, head) && belongings?.block === head.number ? head : undefined;
  const pools = poolRoutesOf(answers.found);
  if (belongings === undefined || !isWritable(belongings.held, identity.decimals)) throw tokenNotFound(chain);
  // Checks for pools first. A percentage of an empty balance is refused afterwards.
  if (pools.found.length === 0 && trade.percent !== undefined) throw noRoute();
  const { tokens: available } = availableOf({ coins: 0n, tokens: belongings.held }, token, asked.orders);
  const amountIn = coinAmount ?? amountOfSale(trade, identity, available);
  const market = feeMarketOf(answers.market);
  const request: SwapRequest = {
    wallet,
    side,
    token,
    amountIn,
    allowances: belongings.allowances,
    hasTokens: belongings.held >= amountIn,
    fees: feesFor(chain, asked.gasPreset, market),
    baseFee: market.baseFee,
  };
  return { asked, identity, pools, belongings, available, request, answers, latest, early };
}

type Found = Awaited<ReturnType<typeof discover>>;

/** Selects the routes to simulate. For a sale, they are chosen before it is known what the pools would pay. */
function selectRoutes({ configuration }: Reader, { identity, pools, request, answers }: Found): PoolRoute[] {
  const { side, amountIn } = request;
  // If a v3 router holds too little coin, it takes wrapped coin from the wallet's allowance. A malicious token can
  // exploit that, unless a bridge is paid before the token's code runs.
  const isHarmless = (route: PoolRoute) =>
    checksArrival(route) ||
    route.bridge !== undefined ||
    identity.isListed ||
    answers.wrapped[0]?.allowances.get(route.router) === 0n;
  const [ofProbe = [], whole = [], ofMore] = pools.routes;
  const selected =
    side === "buy"
      ? routesToTry(whole.filter(isHarmless), ofMore)
      : routesOfSale(pools).map((route) => ({ ...route, amountOut: amountIn }));
  if (selected.length > 0) return selected;
  if (pools.isTooSmall[1]) throw tooSmall();
  if (whole.length > 0) throw mustRevoke(configuration.wrapped.symbol);
  throw side === "buy" && amountIn > probeCoins && ofProbe.length > 0 ? tooLarge() : noRoute();
}

/** Simulates swaps on the selected routes, and on any other routes that turn out to pay more for a sale. */
async function simulate(ask: Ask, reader: Reader, found: Found, selected: readonly PoolRoute[]) {
  const { configuration } = reader;
  const { asked, pools, request } = found;
  const { wallet, side, token, amountIn, hasTokens, baseFee } = request;
  const { block } = pools;
  const tag = block.number;
  const [ofProbe = []] = pools.routes;
  const probed = routesToProbe(ofProbe);
  const swapsBy = (routes: readonly PoolRoute[], others: readonly PoolRoute[] = []) => ({
    answers: routeCalls(reader, request, routes, block),
    states: routeStatesCall(configuration, token, [...routes, ...others], tag),
    // Must be the last call of the request.
    again: asked.isForPlanning ? [hashAgainCall(tag)] : [],
  });
  // Skips pools that hold coins but pay nothing, because their liquidity is far from the current price.
  const paying = ofProbe.filter((route) => !selected.some((each) => isSameEvmRoute(each, route)));
  const needed = { tried: selected, probed, others: paying };
  const first =
    found.early?.answersIn(found.answers.early, needed, found.latest) ??
    (await askTogether(ask, {
      safeties: probed.map((route) => probeSimulation(configuration, token, route, { ...block, baseFee })),
      sale: side === "buy" ? [] : [poolCalls(configuration, token, sizesOf(side, amountIn), tag)],
      coins: asked.wallet === undefined ? [] : [coinsCall(wallet, tag)],
      nextNonce: asked.isForPlanning ? [nonceCall(wallet, tag)] : [],
      ...swapsBy(selected, paying),
    }));
  found.early?.remember(needed, request, block, first);
  const sale = first.sale[0] && poolRoutesOf(first.sale[0]);
  const missed = sale ? missedBy(selected, sale.routes) : [];
  const last = missed.length === 0 ? first : await askTogether(ask, swapsBy(missed));
  const swaps = [{ ...first, routes: selected }, ...(last === first ? [] : [{ ...last, routes: missed }])];
  const safetyFor = (route: PoolRoute) => safetyOfKind(route, probed, first.safeties);
  const states = swaps.flatMap((each) => each.states);
  // If the wallet's own sale could not be simulated, rejects a route on which a stranger's sale failed.
  const isPossible = (route: PoolRoute) => hasTokens || side === "buy" || safetyFor(route).sellable !== false;
  const working = swaps
    .map((each) => withPaid(each.routes, each.answers, sale?.routes[0], isPossible))
    .flatMap(({ routes, answers }) => workingRoutes(reader, request, routes, answers))
    .flatMap((route) => {
      const state = states.find((each) => isSameEvmRoute(each.route, route));
      return state ? [{ ...afterTax(route, request, safetyFor(route)), state }] : [];
    });
  return {
    working,
    /** The pools' payments for the amount, for a larger amount and for a small part of it. */
    quoted: sale ?? { routes: pools.routes.slice(1), isTooSmall: pools.isTooSmall.slice(1) },
    liquidity: greatest(0n, ...states.map(({ coins }) => coins)),
    safetyFor,
    coins: first.coins[0],
    nextNonce: first.nextNonce[0],
    again: last.again,
  };
}

type Tried = Awaited<ReturnType<typeof simulate>>;

/** Returns the error that explains why no route works. */
async function refusalOf(
  ask: Ask,
  reader: Reader,
  { asked, identity, pools, available, request }: Found,
  { quoted }: Tried,
): Promise<DomainError> {
  if (quoted.isTooSmall[0]) return tooSmall();
  const { side, token, amountIn } = request;
  const [whole = [], , part = []] = quoted.routes;
  const [bought] = pools.routes[0] ?? [];
  if (bought === undefined) return noRoute();
  const sellsLess = () => takes(ask, reader, token, bought.amountOut, pools.block.number);
  const isTooMuch =
    amountIn >= mostInPool ||
    (whole.length === 0 && (part.length > 0 || (side === "sell" && (await sellsLess()))));
  if (!isTooMuch) return noRoute();
  const isShort = side === "sell" && asked.wallet !== undefined;
  const { symbol, decimals } = identity;
  return (isShort && shortage([{ token, symbol, decimals, needed: amountIn, available }])) || tooLarge();
}

/** Summarises the trade on its best route. */
function assess(
  reader: Reader,
  found: Found,
  tried: Tried,
  routes: readonly [Working, ...Working[]],
): EvmTradeFacts {
  const { identity, pools, belongings, request } = found;
  const { side, amountIn, fees, baseFee } = request;
  const [route, ...others] = routes;
  // Ignores the findings from amounts below the probe's, because they show no more than the probe does, and a sale of a
  // few units pays nothing.
  const larger = amountIn > probeCoins ? route.safety : undefined;
  const safety = larger ? worseSafety(tried.safetyFor(route), larger) : tried.safetyFor(route);
  if (route.amountOut === 0n) throw tooSmall();
  if (side === "buy" && !isWritable(route.amountOut, identity.decimals)) throw tokenNotFound(reader.chain);
  const bindable = (each: WorkingRoute) => bindableRoute(each, tried.quoted.routes[1]);
  const forPlanning = planningOf(reader, found, tried, routes);
  return {
    block: pools.block,
    identity,
    amount: amountIn,
    amountOut: route.amountOut,
    priceImpact: priceImpact(route.state.prices[side], {
      amountIn,
      amountOut: route.quoted,
      fees: poolsOf(route).map(({ feeBps }) => feeBps),
    }),
    ...marketOf(tried.quoted.routes, amountIn),
    routes: [bindable(route), ...others.map(bindable)],
    transactions: transactionsOf(route),
    fees,
    baseFee,
    safety,
    flags: flagsOf(identity, safety, { liquidity: tried.liquidity, coin: weiOfCoin }),
    liquidity: tried.liquidity,
    ...(tried.coins !== undefined && { held: { coins: tried.coins, tokens: belongings.held } }),
    ...(tried.nextNonce !== undefined && { nextNonce: tried.nextNonce }),
    ...(forPlanning && { forPlanning }),
  };
}

type Working = Tried["working"][number];

/** Collects the facts for planning. Undefined if they were not requested, or if a new block arrived in the meantime. */
function planningOf(
  reader: Reader,
  { belongings, request, answers, latest }: Found,
  { coins, nextNonce, again }: Tried,
  routes: readonly Working[],
): EvmTradeFacts["forPlanning"] {
  const [{ pending } = {}] = answers.forPlanning;
  if (latest === undefined || again[0] !== latest.hash) return undefined;
  if (pending === undefined || coins === undefined || nextNonce === undefined) return undefined;
  const held = request.side === "sell" ? belongings.held : undefined;
  return {
    latest,
    coins,
    baseFee: request.baseFee,
    nonce: { latest: nextNonce, pending },
    order: orderFactsOf(reader, request, routes, held),
  };
}

/**
 * The trade itself, then the same trade with {@link deepTimes} times the amount, and with a small part of the amount.
 */
const sizesOf = (side: Trade["side"], amountIn: bigint) =>
  [
    { side, amountIn },
    { side, amountIn: deepTimes * amountIn },
    { side, amountIn: amountIn / referencePart },
  ] as const;

/** Compares the best price for the amount with the best price for a small part of it, if a pool trades that part. */
function marketOf([routes, , ofLess]: PoolRoutes["routes"], amount: bigint): Pick<EvmTradeFacts, "market"> {
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

/** The amount of the purchase that shows which pools are deep: 1 coin. */
const deepProbeCoins = 100n * probeCoins;

/**
 * Selects the routes of a sale to simulate while the sale's amount is still unknown: those that would pay most for
 * purchases.
 */
function routesOfSale({ found, routes: [small = [], large = []] }: PoolRoutes): RoutePools[] {
  const likely = routesToTry(small, large);
  return likely.length > 0 ? likely : found.slice(0, mostSimulated);
}

/**
 * Lists the route that pays most for a sale and the one that pays most for a larger sale, except routes already tried.
 */
function missedBy(tried: readonly RoutePools[], [routes, ofMore]: PoolRoutes["routes"]): PoolRoute[] {
  const best = routes?.[0];
  const deepest = routes?.find((route) => ofMore?.[0] && isSameEvmRoute(route, ofMore[0]));
  return [...new Set([best, deepest])].filter(
    (route): route is PoolRoute => route !== undefined && !tried.some((each) => isSameEvmRoute(each, route)),
  );
}

const mustRevoke = (wrapped: string) =>
  new DomainError(
    "NO_ROUTE",
    `Only v3 pools can trade this token, and the wallet lets their router take its ${wrapped}, which a malicious token can abuse. Revoke that approval first`,
  );
