import { multicall } from "../../chains/evm/calls/multicall.ts";
import type { EvmReader } from "../../chains/evm/venues/reader.ts";
import { fromAnyHost } from "../../chains/hosts/from-any-host.ts";
import type { CoinPrice } from "../core/coin-series.ts";
import { stateQuestion } from "./look-at-pools.ts";
import type { PoolFinder } from "./pools.ts";
import { findCoinPool } from "./read-history.ts";
import { priceOf, type WatchedPool } from "./rules/watched-pool.ts";

/** The deepest pool is looked for again after this time. */
const memoryMs = 10 * 60_000;

/**
 * Makes a function that reads the price of a chain's coin from its deepest pool with a stable token. Undefined if there is
 * none. A stable token counts as a dollar.
 *
 * @throws {ChainUnavailable} if no host answers.
 */
export function coinPoolPrice(reader: EvmReader, finder: PoolFinder): () => Promise<CoinPrice | undefined> {
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
