import type { Order } from "../../../orders/execution.ts";
import { type Bridge, kindOf, routeOf } from "../../../orders/intent.ts";
import type { PoolPrice } from "../../../orders/price-impact.ts";
import { type RpcCall, thenRead } from "../../hosts/rpc-call.ts";
import {
  activeBinOf,
  balanceOf,
  firstTokenOf,
  reservesOf,
  sqrtPriceOf,
} from "../calls/contract-questions.ts";
import { type ContractQuestion, multicall } from "../calls/multicall.ts";
import type { BlockTag } from "../calls/rpc-call.ts";
import { binPrice, v2Price, v3Price } from "../rules/pool-price.ts";
import type { Contracts } from "./configured-routes.ts";
import type { RoutePools } from "./pool-quotes.ts";

/** A route's price, as amounts of tokens and coins of equal worth, and the coins on the other side of its own pool. */
export type RouteState<Each extends RoutePools = RoutePools> = {
  route: Each;
  priceFor: (side: Order["side"]) => PoolPrice;
  /** Coins, or the worth of quote tokens in coins. */
  coins: bigint;
};

type PoolState = { prices: Record<Order["side"], PoolPrice>; others: bigint };

/** Asks for the states of routes. Leaves out those with a pool that does not answer. */
export function routeStatesCall<Each extends RoutePools>(
  { wrapped }: Contracts,
  token: string,
  routes: readonly Each[],
  tag: BlockTag,
): RpcCall<RouteState<Each>[]> {
  const coin = wrapped.token;
  const pools = new Map<string, PoolAsked>();
  for (const route of routes) {
    const { bridge, bridgePool, pool } = route;
    pools.set(pool, { ...routeOf(route), pool, token, other: bridge?.token ?? coin });
    if (bridge !== undefined && bridgePool !== undefined)
      pools.set(bridgePool, { ...bridge, pool: bridgePool, other: coin });
  }
  const asked = [...pools.values()];
  const questions = asked.flatMap(questionsOf);
  return thenRead(multicall(questions, tag), (answers) => {
    const states = new Map(
      asked.map((each) => [each.pool, stateOf(each, answers.splice(0, questionsOf(each).length))]),
    );
    return routes.flatMap((route) => {
      const own = states.get(route.pool);
      const bridge = route.bridgePool === undefined ? sameCoin : states.get(route.bridgePool);
      return own === undefined || bridge === undefined ? [] : [{ route, ...joined(own, bridge) }];
    });
  });
}

/** A pool of a token with another one, the coin or a quote token. */
type PoolAsked = Bridge & { pool: string; other: string };

const questionsOf = ({ pool, other, ...key }: PoolAsked): ContractQuestion<unknown>[] => {
  const others = balanceOf(other, pool);
  switch (kindOf(key)) {
    case "v2":
      return [others, reservesOf(pool)];
    case "bins":
      return [others, activeBinOf(pool), firstTokenOf(pool)];
    default:
      return [others, sqrtPriceOf(pool)];
  }
};

function stateOf(
  { token, other, spacing = 0 }: PoolAsked,
  [others, price, first]: readonly unknown[],
): PoolState | undefined {
  const isOtherFirst = BigInt(other) < BigInt(token);
  if (Array.isArray(price)) {
    const [one, two] = price as [bigint, bigint];
    const reserves = isOtherFirst ? { coins: one, tokens: two } : { coins: two, tokens: one };
    return { prices: bySide((side) => v2Price(side, reserves)), others: reserves.coins };
  }
  if (typeof price !== "bigint" || typeof others !== "bigint") return undefined;
  if (typeof first === "string")
    return {
      prices: bySide((side) => binPrice(price, spacing, (first === other) === (side === "buy"))),
      others,
    };
  return { prices: bySide((side) => v3Price(price, isOtherFirst === (side === "buy"))), others };
}

const bySide = (priceFor: RouteState["priceFor"]) => ({ buy: priceFor("buy"), sell: priceFor("sell") });

/** The bridge of a pool that trades the coin itself. */
const sameCoin: Pick<PoolState, "prices"> = { prices: bySide(() => ({ out: 1n, in: 1n })) };

function joined(own: PoolState, bridge: Pick<PoolState, "prices">): Omit<RouteState, "route"> {
  const { out, in: sold } = bridge.prices.sell;
  return {
    priceFor(side) {
      const [a, b] = [own.prices[side], bridge.prices[side]];
      return { out: a.out * b.out, in: a.in * b.in };
    },
    coins: sold === 0n ? 0n : (own.others * out) / sold,
  };
}
