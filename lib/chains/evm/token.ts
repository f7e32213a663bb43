import { coinText } from "../../orders/decimal-text.ts";
import { identify } from "../../orders/requests.ts";
import type { InspectedToken } from "../../orders/token-family.ts";
import type { TokenIdentity } from "../../orders/token-identity.ts";
import { bestSafety, flagsOf } from "../../orders/token-safety.ts";
import { askTogether } from "../hosts/ask-together.ts";
import { feeMarketCalls, feeMarketOf } from "./calls/fee-market.ts";
import { tokenClaimsCall } from "./calls/token-claims.ts";
import { routesToTry } from "./quotes/choose-route.ts";
import { weiOfCoin } from "./rules/fees.ts";
import { isSameEvmRoute } from "./rules/intent.ts";
import type { SwapVenue } from "./rules/swap-venues.ts";
import { knownRoutesOf, routesOf } from "./venues/configured-routes.ts";
import { poolCalls, poolRoutesOf } from "./venues/pool-routes.ts";
import { probeCoins, probeSimulation } from "./venues/probe-simulation.ts";
import type { EvmReader } from "./venues/reader.ts";
import { routeStatesCall } from "./venues/route-states.ts";

const mostPools = 10;

/** Asks a token to describe itself. */
export async function identifyEvmToken(reader: EvmReader, token: string): Promise<TokenIdentity> {
  const [claims] = await reader.client.read([tokenClaimsCall(token, "latest")]);
  return identify(reader, token, claims);
}

/** Describes a token, its fullest pools, and simulated trades in the pools that orders would use. */
export async function inspectEvmToken(
  reader: EvmReader,
  address: string,
  now: Date,
): Promise<InspectedToken<SwapVenue>> {
  const { client, configuration } = reader;
  const { claims, answers, market } = await askTogether(client.read, {
    market: feeMarketCalls(reader.chain),
    claims: tokenClaimsCall(address, "latest"),
    answers: poolCalls(
      configuration,
      address,
      [{ side: "buy", amountIn: probeCoins }],
      "latest",
      knownRoutesOf(configuration, address),
    ),
  });
  const identity = identify(reader, address, claims);
  const { block, found, routes } = poolRoutesOf(answers);
  const tradable = routesOf(configuration, address);
  const tried = routesToTry(
    (routes[0] ?? []).filter((route) => tradable.some((each) => isSameEvmRoute(each, route))),
  );
  const after = { ...block, baseFee: feeMarketOf(market).baseFee };
  const { states, safeties } = await askTogether(client.read, {
    states: routeStatesCall(configuration, address, found, block.number),
    safeties: tried.map((route) => probeSimulation(configuration, address, route, after)),
  });
  const fullest = states
    // A pool with a quote token may have several bridges.
    .filter(({ route }, index) => states.findIndex((each) => each.route.pool === route.pool) === index)
    .toSorted((a, b) => (a.coins > b.coins ? -1 : a.coins < b.coins ? 1 : 0))
    .slice(0, mostPools);
  const paying = fullest.find(({ route }) => routes[0]?.some((each) => each.pool === route.pool));
  const safety = bestSafety(safeties);
  const { isListed, symbol, name, decimals } = identity;
  const isWrapped = address === configuration.wrapped.token;
  const { sellable, buyTax, sellTax } = safety;
  return {
    chain: reader.chain,
    token: address,
    symbol,
    name,
    decimals,
    ...(isWrapped && { wrapped: true as const }),
    listed: isListed,
    sellable,
    buyTax,
    sellTax,
    // Raises no flags for the wrapped coin, because it does not need pools.
    flags: isWrapped ? [] : flagsOf(identity, safety, { liquidity: paying?.coins ?? 0n, coin: weiOfCoin }),
    pools: fullest.map(({ route: { venue, pool, feeBps, bridge }, coins }) => ({
      venue,
      pool,
      feeBps,
      ...(bridge && { quoteToken: bridge.token }),
      liquidity: coinText(reader.chain, coins),
    })),
    block: block.number,
    asOf: now.toISOString(),
  };
}
