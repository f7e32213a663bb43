import { multicall } from "../../chains/evm/calls/multicall.ts";
import { claimQuestions, claimsOf } from "../../chains/evm/calls/token-claims.ts";
import type { EvmRoute } from "../../chains/evm/rules/intent.ts";
import { priceAt, priceOver } from "../../chains/evm/rules/pool-price.ts";
import { kindOf } from "../../chains/evm/rules/swap-venues.ts";
import { routesOf } from "../../chains/evm/venues/configured-routes.ts";
import { namedPoolsOf, poolQuotesCall, type RoutePools } from "../../chains/evm/venues/pool-quotes.ts";
import { poolCalls, poolRoutesOf } from "../../chains/evm/venues/pool-routes.ts";
import type { EvmReader } from "../../chains/evm/venues/reader.ts";
import { type Ask, askTogether } from "../../chains/hosts/ask-together.ts";
import { fromAnyHost } from "../../chains/hosts/from-any-host.ts";
import { RecentMap } from "../../core/recent-map.ts";
import type { CoinUnits, TokenUnits } from "../../core/units.ts";
import { identityIn } from "../../orders/requests.ts";
import { nativeToken } from "../../orders/trading-chain.ts";
import {
  cheapPools,
  coarseAmounts,
  coinsOfPurchase,
  depthOf,
  depthOfReserves,
  fineAmounts,
  greatestSale,
  isSelling,
  leastDepth,
  nearAmounts,
  type RouteTerms,
  type Sale,
} from "../core/depth.ts";
import {
  type FindPools,
  type MarketToken,
  type PricedPool,
  supplyIn,
  type TokenPools,
} from "../core/market.ts";
import { referenceFirst } from "../core/reference.ts";
import { type PoolState, type PoolStates, poolStatesCall } from "./pool-states.ts";
import { priceOf, type WatchedPool } from "./rules/watched-pool.ts";

/** A pool that can be the reference of its token, with its price. */
export type EvmPool = WatchedPool & PricedPool;

/** Gas limit for a token's answers about itself. */
const claimGas = 200_000n;

/** Time after which a token's own data and the list of its pools are read again. */
const memoryMs = 10 * 60_000;

/** Maximum number of tokens to remember. */
const mostTokens = 1000;

const coinDecimals = 18;

/** Notes about a token: the routes that sell it, and the last depth of each route's own pool. */
type Memory = {
  token: MarketToken;
  routes: readonly RoutePools[];
  depths: readonly CoinUnits[];
  untilMs: number;
};

/** Finds the pools of a chain's tokens. Remembers them for a while and then measures only their depths. */
export class EvmPoolFinder {
  readonly #reader: EvmReader;
  readonly #memory = new RecentMap<string, Memory>(mostTokens);

  constructor(reader: EvmReader) {
    this.#reader = reader;
  }

  /**
   * Reads a token, its pools and their depths from the first host that answers. Undefined if the address is not a
   * token.
   *
   * @throws {ChainUnavailable} if no host answers.
   */
  async find(token: string, nowMs = Date.now()): Promise<TokenPools<EvmPool> | undefined> {
    const known = this.#memory.get(token);
    const remembered = known !== undefined && nowMs < known.untilMs ? known : undefined;
    const found = await fromAnyHost(this.#reader, 0, (ask) => poolsBy(ask, this.#reader, token, remembered));
    if (found === undefined) return undefined;
    const { measured, ...pools } = found;
    const isWhole = measured.length === remembered?.routes.length;
    this.#memory.set(token, {
      token: pools.token,
      routes: measured.map(({ route }) => route),
      depths: measured.map(({ depth }) => depth),
      // Searches again for a token's pools if one of them has lost its depth.
      untilMs: remembered === undefined ? nowMs + memoryMs : isWhole ? remembered.untilMs : 0,
    });
    return pools;
  }
}

/** Makes a function that finds a token with its pools. */
export function openEvmFinder(reader: EvmReader): FindPools {
  const finder = new EvmPoolFinder(reader);
  return async (token, nowMs, last) => {
    const found = await finder.find(token, nowMs);
    return found && { ...found, pools: referenceFirst(found.pools, last, nowMs) };
  };
}

type Measured = { route: RoutePools; pool: Omit<EvmPool, "depth">; depth: CoinUnits };

async function poolsBy(
  ask: Ask,
  reader: EvmReader,
  address: string,
  remembered: Memory | undefined,
): Promise<(TokenPools<EvmPool> & { measured: readonly Measured[] }) | undefined> {
  const { configuration } = reader;
  const known = remembered ?? (await discover(ask, reader, address));
  if (known === undefined) return undefined;
  const { token, routes } = known;
  const quotes = [...new Set(routes.flatMap(({ bridge }) => bridge?.token ?? []))];
  const tag = "block" in known ? known.block : "latest";
  const [states] = await ask([poolStatesCall(routes.flatMap(namedPoolsOf), quotes, tag)]);
  const terms = { token: address, decimals: token.decimals, coin: configuration.wrapped.token };
  const priced = routes.flatMap((route, index) => {
    const state = pricedRoute(terms, route, states);
    return state === undefined ? [] : [{ ...state, before: known.depths[index] }];
  });
  const depths = await depthsBy(ask, configuration, states.block.number, priced);
  const found = priced.map((each, index) => ({ ...each, depth: depths[index] ?? 0n }));
  const measured = deepest(await withoutBidders(ask, configuration, states.block.number, found));
  const pools = measured.map(({ pool, depth }) => ({ ...pool, depth: depthOf(depth, coinDecimals) }));
  return { token, pools, block: states.block, measured };
}

/** Asks a token about itself, and the factories for its pools. */
async function discover(ask: Ask, reader: EvmReader, address: string) {
  const { chain, configuration } = reader;
  const [decimalsOf, balanceOf, supplyOf, ...texts] = claimQuestions(address);
  const { numbers, names, answers } = await askTogether(ask, {
    numbers: multicall([decimalsOf, balanceOf, supplyOf], "latest", claimGas),
    // Asks for texts in separate calls, because a text that is too long must not make the numbers fail.
    names: multicall(texts, "latest", claimGas),
    answers: poolCalls(configuration, address, [], "latest", pricedRoutesOf(configuration, address)),
  });
  const claims = claimsOf([...numbers, ...names]);
  const identity = identityIn(reader, address, claims);
  if (identity === undefined) return undefined;
  const { symbol, name, decimals } = identity;
  const { block, found } = poolRoutesOf(answers);
  const token: MarketToken = { chain, token: address, symbol, name, decimals, ...supplyIn(claims, decimals) };
  return { token, routes: found, depths: [] as CoinUnits[], block: block.number };
}

/** Lists the routes through pools that have a price: pools with the coin or a stable token, except pools with bins. */
const pricedRoutesOf = (configuration: EvmReader["configuration"], token: string): EvmRoute[] =>
  routesOf(
    { ...configuration, quoteTokens: configuration.quoteTokens.filter(({ isStable }) => isStable) },
    token,
  ).filter((route) => kindOf(route) !== "bins");

/** A route of a sale with the token's own pool, and the depth of that pool if its state shows it. */
type PricedRoute = {
  route: RoutePools;
  pool: Omit<EvmPool, "depth">;
  terms: RouteTerms;
  depth?: CoinUnits;
};

type Known = { token: string; decimals: number; coin: string };

/** Returns the route with its price. Undefined if one of its pools is empty or has no known price. */
function pricedRoute(
  { token, decimals, coin }: Known,
  route: RoutePools,
  { states, decimals: decimalsOf }: PoolStates,
): PricedRoute | undefined {
  const { bridge, bridgePool, venue } = route;
  const state = states.get(route.pool);
  const other = bridge?.token ?? coin;
  const quoteDecimals = bridge ? decimalsOf.get(bridge.token) : coinDecimals;
  if (state === undefined || quoteDecimals === undefined) return undefined;
  const isTokenFirst = BigInt(token) < BigInt(other);
  const quote = bridge?.token ?? nativeToken;
  const watched = { pool: route.pool, quote, venue, token, decimals, quoteDecimals, isTokenFirst };
  const price = priceOf(watched, state.word);
  if (price === undefined) return undefined;
  const pool = { ...watched, price, feeBps: state.feeBps };
  const own = priceAt(route, state.word, isTokenFirst);
  if (bridge === undefined) {
    const terms = { price: own, fees: [wholeFee(state)] };
    const depth = kindOf(route) === "v2" && depthOfReserves({ tokens: own.in, coins: own.out });
    return { route, pool, terms, ...(depth !== false && { depth }) };
  }
  const bridgeState = bridgePool === undefined ? undefined : states.get(bridgePool);
  if (bridgeState === undefined) return undefined;
  const over = priceAt(bridge, bridgeState.word, BigInt(bridge.token) < BigInt(coin));
  const terms = {
    price: priceOver(own, over),
    fees: [wholeFee(state), wholeFee(bridgeState)],
  };
  return { route, pool, terms };
}

/** Rounds a fee down to whole basis points. The remainder counts as impact. */
const wholeFee = ({ feeBps }: PoolState): number => Math.floor(feeBps);

type Ladder = { kind: "near" | "coarse" | "fine"; amounts: readonly TokenUnits[] };

/** A search for the depth of a route: the next ladder, and the depth found so far. */
type Search = { route: PricedRoute; next?: Ladder; depth: CoinUnits };

function searchOf(route: PricedRoute & { before: CoinUnits | undefined }): Search {
  const { depth, before, terms } = route;
  if (depth !== undefined) return { route, depth };
  const next: Ladder = before
    ? { kind: "near", amounts: nearAmounts(terms.price, before) }
    : { kind: "coarse", amounts: coarseAmounts(terms.price) };
  return { route, next, depth: 0n };
}

/** Continues a search with the results of a ladder. */
function afterLadder({ route, depth }: Search, { kind, amounts }: Ladder, sale: Sale | undefined): Search {
  const isBeyond = sale === undefined || sale.index === amounts.length - 1;
  if (kind === "near" && isBeyond)
    return { route, depth, next: { kind: "coarse", amounts: coarseAmounts(route.terms.price) } };
  if (sale === undefined) return { route, depth };
  if (kind !== "coarse") return { route, depth: sale.amountOut };
  const amount = amounts[sale.index] ?? 0n;
  return { route, depth: sale.amountOut, next: { kind: "fine", amounts: fineAmounts(amount) } };
}

/** Asks the quoters for each route's output for a ladder of amounts. Returns the depth of each route. */
async function depthsBy(
  ask: Ask,
  configuration: EvmReader["configuration"],
  block: number,
  routes: readonly (PricedRoute & { before: CoinUnits | undefined })[],
): Promise<CoinUnits[]> {
  let searches = routes.map(searchOf);
  while (searches.some(({ next }) => next !== undefined)) {
    const quoted = await askTogether(
      ask,
      searches.map(({ route: { route, pool }, next }) => {
        const trades = next?.amounts.map((amountIn) => ({ side: "sell", amountIn }) as const) ?? [];
        return trades.length === 0 ? [] : [poolQuotesCall(configuration, pool.token, trades, [route], block)];
      }),
    );
    searches = searches.map((search, index) => {
      const { route, next } = search;
      if (next === undefined) return search;
      const [quotes] = quoted[index] ?? [];
      const paid = quotes?.routes[0]?.amountsOut;
      return afterLadder(search, next, paid && greatestSale(route.terms, next.amounts, paid));
    });
  }
  return searches.map(({ depth }) => depth);
}

/**
 * Leaves out cheap pools that do not sell at their price. Does not ask about pools whose liquidity reaches all prices.
 */
async function withoutBidders<Each extends Measured & { terms: RouteTerms }>(
  ask: Ask,
  configuration: EvmReader["configuration"],
  block: number,
  routes: readonly Each[],
): Promise<readonly Each[]> {
  const doubtful = cheapPools(routes, coinDecimals).filter(({ route }) => kindOf(route) !== "v2");
  if (doubtful.length === 0) return routes;
  const quoted = await ask(
    doubtful.map((each) => {
      const trade = { side: "buy", amountIn: coinsOfPurchase(each) } as const;
      return poolQuotesCall(configuration, each.pool.token, [trade], [each.route], block);
    }),
  );
  const bidders = doubtful.filter((each, index) => !isSelling(each, quoted[index]?.routes[0]?.amountsOut[0]));
  return routes.filter((each) => !bidders.includes(each));
}

/** Sorts pools by the depth of their best route. Leaves out pools that are not deep enough. */
function deepest<Each extends Measured>(routes: readonly Each[]): Each[] {
  const sorted = routes
    .filter(({ depth }) => depth >= leastDepth(coinDecimals))
    .toSorted((a, b) => (a.depth < b.depth ? 1 : a.depth > b.depth ? -1 : 0));
  return sorted.filter(
    ({ pool }, index) => sorted.findIndex((each) => each.pool.pool === pool.pool) === index,
  );
}
