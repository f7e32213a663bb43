import type { Order } from "../domain/execution.ts";
import type { Route } from "../domain/trading/intent.ts";
import { type PoolPrice, v2Price, v3Price } from "../domain/trading/pool-price.ts";
import { isV2Venue } from "../domain/trading/route-choice.ts";
import type { ChainConfiguration } from "./chain-configuration.ts";
import {
  amountOutOf,
  balanceOf,
  blockNumberOf,
  blockTimeOf,
  poolQuestion,
  reservesOf,
  routesOf,
  sqrtPriceOf,
} from "./contract-questions.ts";
import { multicall } from "./multicall.ts";
import type { BlockTag, RpcCall } from "./rpc-call.ts";

type Contracts = Pick<ChainConfiguration, "venues" | "wrapped">;

export type PoolTrade = { side: Order["side"]; amountIn: bigint };

/** A pool, and what it pays for an amount before any tax of the token. */
export type PoolRoute = Route & { pool: string; amountOut: bigint };

export type PoolRoutes = {
  /** The block that the answers are of. The time is in seconds. */
  block: { number: number; time: number };
  pools: readonly (Route & { pool: string })[];
  /** For each trade the pools that can make it, the one that pays most first. */
  routes: readonly (readonly PoolRoute[])[];
};

/** The quotes of v3 run the token's own code, which may burn what it gets. */
const quotesGas = 20_000_000n;

/** Asks every pool of a token what it pays for some amounts. Pools that would run dry pay for none. */
export function poolRoutesCall(
  contracts: Contracts,
  token: string,
  trades: readonly PoolTrade[],
  tag: BlockTag,
): RpcCall<PoolRoutes> {
  const routes = routesOf(contracts);
  const amounts = trades.flatMap((trade) =>
    routes.map((route) => amountOutOf(contracts, { ...trade, token }, route)),
  );
  const { method, params, read } = multicall(
    [
      blockNumberOf(),
      blockTimeOf(),
      ...routes.map((route) => poolQuestion(contracts, token, route)),
      ...amounts,
    ] as const,
    tag,
    quotesGas,
  );
  return {
    method,
    params,
    read(result) {
      const [number, time, ...answers] = read(result);
      if (number === undefined || time === undefined) throw new Error("The block is unknown");
      const pools = answers.slice(0, routes.length) as (string | undefined)[];
      const paid = answers.slice(routes.length) as ({ amountOut: bigint; isDry: boolean } | undefined)[];
      return {
        block: { number: Number(number), time: Number(time) },
        pools: routes.flatMap((route, index) => withPool(route, pools[index])),
        routes: trades.map((_, trade) =>
          routes
            .flatMap((route, index) => {
              const answer = paid[trade * routes.length + index];
              if (answer === undefined || answer.isDry || answer.amountOut === 0n) return [];
              return withPool(route, pools[index]).map((found) => ({
                ...found,
                amountOut: answer.amountOut,
              }));
            })
            .toSorted((a, b) => (a.amountOut > b.amountOut ? -1 : a.amountOut < b.amountOut ? 1 : 0)),
        ),
      };
    },
  };
}

const withPool = (route: Route, pool: string | undefined) => (pool === undefined ? [] : [{ ...route, pool }]);

/** A pool's price, as units of tokens and coins that are worth the same, and the coins that it has. */
export type PoolState = { priceFor: (side: Order["side"]) => PoolPrice; coins: bigint };

/** The states of pools. Undefined for a pool that does not answer. */
export function poolStatesCall(
  { wrapped }: Contracts,
  token: string,
  pools: readonly (Route & { pool: string })[],
  tag: BlockTag,
): RpcCall<(PoolState | undefined)[]> {
  const isWrappedFirst = BigInt(wrapped.token) < BigInt(token);
  const { method, params, read } = multicall(
    pools.flatMap((route) => [
      isV2Venue(route) ? reservesOf(route.pool) : sqrtPriceOf(route.pool),
      balanceOf(wrapped.token, route.pool),
    ]),
    tag,
  );
  return {
    method,
    params,
    read(result) {
      const answers = read(result);
      return pools.map((_, index) => {
        const [answer, coins] = [answers[index * 2], answers[index * 2 + 1] as bigint | undefined];
        if (Array.isArray(answer)) {
          const [first, second] = answer;
          const reserves = isWrappedFirst
            ? { coins: first, tokens: second }
            : { coins: second, tokens: first };
          return { coins: reserves.coins, priceFor: (side) => v2Price(side, reserves) };
        }
        if (typeof answer !== "bigint" || coins === undefined) return undefined;
        return { coins, priceFor: (side) => v3Price(answer, isWrappedFirst === (side === "buy")) };
      });
    },
  };
}
