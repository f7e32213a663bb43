import { type PoolPrice, v2Price, v3Price } from "../../core/evm/pool-price.ts";
import type { Order } from "../../core/execution.ts";
import { isSameRoute, isV2Venue, type Route } from "../../core/intent.ts";
import type { ChainConfiguration } from "../chain-configuration.ts";
import { routesOf } from "./calldata.ts";
import {
  amountOutOf,
  balanceOf,
  blockNumberOf,
  blockTimeOf,
  type PoolAnswer,
  poolQuestion,
  reservesOf,
  sqrtPriceOf,
} from "./contract-questions.ts";
import { multicall, thenRead } from "./multicall.ts";
import type { BlockTag, RpcCall } from "./rpc-call.ts";

type Contracts = Pick<ChainConfiguration, "venues" | "wrapped">;

export type PoolTrade = { side: Order["side"]; amountIn: bigint };

/** A pool, and the amount that it pays before any tax of the token. */
export type PoolRoute = Route & { pool: string; amountOut: bigint };

/** The amounts that a token's pools pay. */
export type PoolRoutes = {
  /** The block of the answers. Its time is in seconds. */
  block: { number: number; time: number };
  pools: readonly (Route & { pool: string })[];
  /** The pools that can make each trade, with the best payer first. Pools that would run dry are left out. */
  routes: readonly (readonly PoolRoute[])[];
  /** For each trade, true if some pool would pay nothing because the amount is so small. */
  isTooSmall: readonly boolean[];
};

/** Quotes of v3 run the token's own code, which may burn this gas. */
const v3Gas = 20_000_000n;

type PaidBy = { route: Route; answer: PoolAnswer | undefined };

/** Asks the pools of a token how much they pay for some amounts. {@link poolRoutesOf} reads the answers. */
export function poolCalls(
  contracts: Contracts,
  token: string,
  trades: readonly PoolTrade[],
  tag: BlockTag,
  routes: readonly Route[] = routesOf(contracts),
) {
  const quotesOf = (some: readonly Route[]) =>
    trades.flatMap((trade) => some.map((route) => amountOutOf(contracts, { ...trade, token }, route)));
  const byTrade = (some: readonly Route[], answers: readonly (PoolAnswer | undefined)[]) =>
    trades.map((_, trade) =>
      some.map((route, index): PaidBy => ({ route, answer: answers[trade * some.length + index] })),
    );
  const v2 = routes.filter(isV2Venue);
  const v3 = routes.filter((route) => !isV2Venue(route));
  const pools = routes.map((route) => poolQuestion(contracts, token, route));
  const asked = [blockNumberOf(), blockTimeOf(), ...pools, ...quotesOf(v2)] as const;
  return {
    sure: thenRead(multicall(asked, tag), ([number, time, ...answers]) => {
      if (number === undefined || time === undefined) throw new Error("The block is unknown");
      const addresses = answers.slice(0, routes.length) as (string | undefined)[];
      return {
        block: { number: Number(number), time: Number(time) },
        pools: routes.flatMap((route, index) => {
          const pool = addresses[index];
          return pool === undefined ? [] : [{ ...route, pool }];
        }),
        paid: byTrade(v2, answers.slice(routes.length) as (PoolAnswer | undefined)[]),
      };
    }),
    v3: thenRead(
      multicall([blockNumberOf(), ...quotesOf(v3)] as const, tag, v3Gas),
      ([number, ...answers]) => ({
        number: Number(number),
        paid: byTrade(v3, answers as (PoolAnswer | undefined)[]),
      }),
    ),
  };
}

type PoolAnswers = {
  sure: Pick<PoolRoutes, "block" | "pools"> & { paid: readonly (readonly PaidBy[])[] };
  /** Without a number if the host could not run the quotes. */
  v3: { number: number; paid: readonly (readonly PaidBy[])[] };
};

/** True if all pools answered at this block. */
export const areAt = ({ sure, v3 }: PoolAnswers, { number, time }: PoolRoutes["block"]): boolean =>
  sure.block.number === number &&
  sure.block.time === time &&
  (v3.number === number || Number.isNaN(v3.number));

export function poolRoutesOf({ sure: { block, pools, paid }, v3 }: PoolAnswers): PoolRoutes {
  const all = paid.map((answers, trade) => [...answers, ...(v3.paid[trade] ?? [])]);
  return {
    block,
    pools,
    routes: all.map((answers) =>
      answers
        .flatMap(({ route, answer }) => {
          const pool = pools.find((each) => isSameRoute(each, route));
          const { amountOut = 0n, isDry = false } = answer ?? {};
          return pool === undefined || isDry || amountOut === 0n ? [] : [{ ...pool, amountOut }];
        })
        .toSorted((a, b) => (a.amountOut > b.amountOut ? -1 : a.amountOut < b.amountOut ? 1 : 0)),
    ),
    isTooSmall: all.map((answers) => answers.some(({ answer }) => answer?.amountOut === 0n && !answer.isDry)),
  };
}

/** A pool's price, as amounts of tokens and coins of equal worth, and the pool's coins. */
export type PoolState = { priceFor: (side: Order["side"]) => PoolPrice; coins: bigint };

/** Asks for the states of pools. The result has them by address, without pools that do not answer. */
export function poolStatesCall(
  { wrapped }: Contracts,
  token: string,
  pools: readonly (Route & { pool: string })[],
  tag: BlockTag,
): RpcCall<ReadonlyMap<string, PoolState>> {
  const isWrappedFirst = BigInt(wrapped.token) < BigInt(token);
  const questions = pools.flatMap((route) => [
    isV2Venue(route) ? reservesOf(route.pool) : sqrtPriceOf(route.pool),
    balanceOf(wrapped.token, route.pool),
  ]);
  return thenRead(multicall(questions, tag), (answers) => {
    const states = new Map<string, PoolState>();
    pools.forEach(({ pool }, index) => {
      const [price, coins] = [answers[index * 2], answers[index * 2 + 1]];
      if (Array.isArray(price)) {
        const [first, second] = price;
        const reserves = isWrappedFirst ? { coins: first, tokens: second } : { coins: second, tokens: first };
        states.set(pool, { coins: reserves.coins, priceFor: (side) => v2Price(side, reserves) });
      } else if (typeof price === "bigint" && typeof coins === "bigint") {
        states.set(pool, { coins, priceFor: (side) => v3Price(price, isWrappedFirst === (side === "buy")) });
      }
    });
    return states;
  });
}
