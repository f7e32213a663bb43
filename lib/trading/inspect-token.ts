import type { InspectedToken } from "../api/token-schema.ts";
import type { Network } from "../core/network.ts";
import { askTogether } from "./chains/ask-together.ts";
import { feeMarketCalls, feeMarketOf } from "./chains/evm/fee-market.ts";
import { poolCalls, poolRoutesOf, poolStatesCall } from "./chains/evm/pool-routes.ts";
import { probeCoins, probeSimulation } from "./chains/evm/probe-simulation.ts";
import { tokenClaimsCall } from "./chains/evm/token-claims.ts";
import { type Chains, chainFor, identify } from "./chains/requests.ts";
import { readAddress } from "./core/address.ts";
import { coinDecimals, formatAmount } from "./core/decimal-text.ts";
import { bestSafety, flagsOf } from "./core/token-safety.ts";
import { routesToTry } from "./quotes/choose-route.ts";

const mostPools = 10;

/**
 * Describes a token and the results of a simulated buy and sale of 0.01 coins.
 *
 * @throws {DomainError} UNSUPPORTED_CHAIN, INVALID_REQUEST, TOKEN_NOT_FOUND
 * @throws {ChainUnavailable}
 */
export async function inspectToken(
  chains: Chains,
  { chain, token, now }: { chain: Network; token: string; now: Date },
): Promise<{ token: InspectedToken }> {
  const reader = chainFor(chains, chain);
  const { client, configuration } = reader;
  const address = readAddress(token, "token");
  const { claims, answers, market } = await askTogether(client.read, {
    market: feeMarketCalls(reader.chain),
    claims: tokenClaimsCall(address, "latest"),
    answers: poolCalls(configuration, address, [{ side: "buy", amountIn: probeCoins }], "latest"),
  });
  const identity = identify(reader, address, claims);
  const { block, pools, routes } = poolRoutesOf(answers);
  const tried = routesToTry(routes[0] ?? []);
  const after = { ...block, baseFee: feeMarketOf(market).baseFee };
  const { states, safeties } = await askTogether(client.read, {
    states: poolStatesCall(configuration, address, pools, block.number),
    safeties: tried.map((route) => probeSimulation(configuration, address, route, after)),
  });
  const deepest = pools
    .flatMap((pool) => {
      const coins = states.get(pool.pool)?.coins;
      return coins === undefined ? [] : [{ ...pool, coins }];
    })
    .toSorted((a, b) => (a.coins > b.coins ? -1 : a.coins < b.coins ? 1 : 0))
    .slice(0, mostPools);
  const safety = bestSafety(safeties);
  const { isListed, symbol, name, decimals } = identity;
  const isWrapped = address === configuration.wrapped.token;
  const { sellable, buyTax, sellTax } = safety;
  return {
    token: {
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
      // The wrapped coin has no pools, and needs none.
      flags: isWrapped ? [] : flagsOf(identity, safety, deepest[0]?.coins ?? 0n),
      pools: deepest.map(({ venue, pool, feeBps, coins }) => ({
        venue,
        pool,
        feeBps,
        liquidity: formatAmount(coins, coinDecimals),
      })),
      block: block.number,
      asOf: now.toISOString(),
    },
  };
}
