import { multicall } from "../../chains/evm/calls/multicall.ts";
import { stateQuestion } from "../../chains/evm/calls/pool-state.ts";
import type { EvmReader } from "../../chains/evm/venues/reader.ts";
import { fromAnyHost } from "../../chains/hosts/from-any-host.ts";
import { compare } from "../../core/decimal.ts";
import { nativeToken } from "../../orders/trading-chain.ts";
import type { CoinPrice } from "../core/coin-series.ts";
import { type EvmPool, EvmPoolFinder } from "./pools.ts";
import { priceOf, type WatchedPool } from "./rules/watched-pool.ts";

/** Time after which the deepest pool is searched again. */
const memoryMs = 10 * 60_000;

/**
 * Makes a function that reads the price of a chain's coin from its deepest pool with a stable token. The price is
 * undefined if there is no such pool. A stable token counts as a dollar.
 *
 * @throws {ChainUnavailable} if no host answers.
 */
export function coinPoolPrice(reader: EvmReader): () => Promise<CoinPrice | undefined> {
  const finder = new EvmPoolFinder(reader);
  let known: { pool: WatchedPool | undefined; untilMs: number } | undefined;
  return async () => {
    if (known === undefined || Date.now() >= known.untilMs)
      known = { pool: await findCoinPool(reader, finder), untilMs: Date.now() + memoryMs };
    const { pool } = known;
    if (pool === undefined) return undefined;
    const [word] = await fromAnyHost(reader, 0, async (request) => {
      const [answers] = await request([multicall([stateQuestion(pool)], "latest")]);
      return answers;
    });
    const usd = word === undefined ? undefined : priceOf(pool, word);
    return usd && { usd, source: pool.venue };
  };
}

/** Finds the deepest pool of a chain's coin and a stable token, and treats the coin as the pool's token. */
async function findCoinPool(
  { configuration }: EvmReader,
  finder: EvmPoolFinder,
): Promise<WatchedPool | undefined> {
  const stable = configuration.quoteTokens.filter(({ isStable }) => isStable);
  const found = await Promise.all(stable.map(({ token }) => finder.find(token)));
  const [deepest] = found
    .flatMap((each) => each?.pools.find(({ quote }) => quote === nativeToken) ?? [])
    .toSorted((a, b) => compare(b.depth, a.depth));
  return deepest && turned(configuration.wrapped.token, deepest);
}

/** Swaps the token and the quote of a pool. */
const turned = (
  coin: string,
  { pool, venue, token, decimals, quoteDecimals, isTokenFirst }: EvmPool,
): WatchedPool => ({
  pool,
  venue,
  token: coin,
  quote: token,
  decimals: quoteDecimals,
  quoteDecimals: decimals,
  isTokenFirst: !isTokenFirst,
});
