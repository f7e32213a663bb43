import type { Wei } from "../../../core/units.ts";
import type { Order } from "../../../orders/execution.ts";
import type { PoolPrice } from "../../../orders/price-impact.ts";
import { type RpcCall, thenRead } from "../../hosts/rpc-call.ts";
import { activeBinOf, balanceOf, blockNumberOf, coinsOf, firstTokenOf } from "../calls/contract-questions.ts";
import { type ContractQuestion, multicall } from "../calls/multicall.ts";
import { stateQuestion } from "../calls/pool-state.ts";
import type { BlockTag } from "../calls/rpc-call.ts";
import type { Bridge } from "../rules/intent.ts";
import { plainEvmRoute } from "../rules/intent.ts";
import { binPrice, priceAt, priceOver } from "../rules/pool-price.ts";
import { kindOf } from "../rules/swap-venues.ts";
import type { Contracts } from "./configured-routes.ts";
import type { RoutePools } from "./pool-quotes.ts";

/**
 * A route's price, as amounts of tokens and coins that are worth the same, and the coins on the other side of the
 * token's own pool.
 */
export type RouteState<Each extends RoutePools = RoutePools> = {
  route: Each;
  prices: Readonly<Record<Order["side"], PoolPrice>>;
  /** Coins, or the value of quote tokens in coins. */
  coins: Wei;
};

type PoolState = { prices: Record<Order["side"], PoolPrice>; others: bigint };

/** Asks for the states of routes. Omits routes with a pool that does not answer. */
export function routeStatesCall<Each extends RoutePools>(
  contracts: Contracts,
  token: string,
  routes: readonly Each[],
  tag: BlockTag,
): RpcCall<RouteState<Each>[]> {
  const { questions, read } = statesOf(contracts, token, routes);
  return thenRead(multicall(questions, tag), read);
}

/** The states of routes and a wallet's coins, with the number of the block at which they were read. */
export type StatesNow = { block: number; coins: Wei; states: RouteState[] };

/** Asks for the states of routes and for a wallet's coins at the host's newest block. */
export function statesNowCall(
  contracts: Contracts,
  token: string,
  routes: readonly RoutePools[],
  wallet: string,
): RpcCall<StatesNow | undefined> {
  const { questions, read } = statesOf(contracts, token, routes);
  const asked = [blockNumberOf(), coinsOf(wallet), ...questions] as const;
  return thenRead(multicall(asked, "latest"), ([block, coins, ...answers]) =>
    block === undefined || coins === undefined
      ? undefined
      : { block: Number(block), coins, states: read(answers) },
  );
}

/** Lists the questions about the states of routes. */
function statesOf<Each extends RoutePools>({ wrapped }: Contracts, token: string, routes: readonly Each[]) {
  const coin = wrapped.token;
  const pools = new Map<string, PoolAsked>();
  for (const route of routes) {
    const { bridge, bridgePool, pool } = route;
    pools.set(pool, { ...plainEvmRoute(route), pool, token, other: bridge?.token ?? coin });
    if (bridge !== undefined && bridgePool !== undefined)
      pools.set(bridgePool, { ...bridge, pool: bridgePool, other: coin });
  }
  const asked = [...pools.values()];
  const read = (answers: readonly unknown[]): RouteState<Each>[] => {
    const left = [...answers];
    const states = new Map(
      asked.map((each) => [each.pool, stateOf(each, left.splice(0, questionsOf(each).length))]),
    );
    return routes.flatMap((route) => {
      const own = states.get(route.pool);
      const bridge = route.bridgePool === undefined ? sameCoin : states.get(route.bridgePool);
      return own === undefined || bridge === undefined ? [] : [{ route, ...joined(own, bridge) }];
    });
  };
  return { questions: asked.flatMap(questionsOf), read };
}

/** A pool that trades a token for another one: the coin or a quote token. */
type PoolAsked = Bridge & { pool: string; other: string };

const questionsOf = ({ pool, other, ...key }: PoolAsked): ContractQuestion<unknown>[] => {
  switch (kindOf(key)) {
    case "v2":
      return [stateQuestion({ pool, ...key })];
    case "bins":
      return [activeBinOf(pool), balanceOf(other, pool), firstTokenOf(pool)];
    default:
      return [stateQuestion({ pool, ...key }), balanceOf(other, pool)];
  }
};

function stateOf(
  { token, other, venue, spacing = 0 }: PoolAsked,
  [state, balance, first]: readonly unknown[],
): PoolState | undefined {
  const kind = kindOf({ venue });
  const isOfBins = kind === "bins";
  if (typeof state !== "bigint" || (isOfBins && typeof first !== "string")) return undefined;
  const isOtherFirst = isOfBins ? first === other : BigInt(other) < BigInt(token);
  const prices = bySide((side) => {
    const isFirstSold = isOtherFirst === (side === "buy");
    return isOfBins ? binPrice(state, spacing, isFirstSold) : priceAt({ venue }, state, isFirstSold);
  });
  // Ignores coins that a v2 pool holds in excess of its reserves, because they back no trade.
  const others = kind === "v2" ? prices.buy.in : balance;
  return typeof others === "bigint" ? { prices, others } : undefined;
}

const bySide = (priceFor: (side: Order["side"]) => PoolPrice) => ({
  buy: priceFor("buy"),
  sell: priceFor("sell"),
});

/** Used in place of a bridge if a pool trades the coin itself. */
const sameCoin: Pick<PoolState, "prices"> = { prices: bySide(() => ({ out: 1n, in: 1n })) };

function joined(own: PoolState, bridge: Pick<PoolState, "prices">): Omit<RouteState, "route"> {
  const { out, in: sold } = bridge.prices.sell;
  return {
    prices: bySide((side) => priceOver(own.prices[side], bridge.prices[side])),
    coins: sold === 0n ? 0n : (own.others * out) / sold,
  };
}
