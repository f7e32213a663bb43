import type { ChainReader } from "../../chains/families/open-chains.ts";
import { ChainUnavailable } from "../../chains/hosts/host-fault.ts";
import { zero } from "../../core/decimal.ts";
import { tokenNotFound } from "../../orders/requests.ts";
import type { Market, MarketPool, TokenPools } from "../core/market.ts";
import { PoolFinder } from "../evm/pools.ts";
import { SolPoolReader } from "../sol/pools.ts";

/** Finds a token with its pools. */
type Find = (token: string, nowMs: number) => Promise<TokenPools | undefined>;

/** Found pools are remembered for as long as the chain's reader is in use. */
const finders = new WeakMap<ChainReader, Find>();

/**
 * Reads the market of a token from one host, without the day before.
 *
 * @throws {DomainError} TOKEN_NOT_FOUND
 * @throws {ChainUnavailable} if no host answers.
 */
export async function readMarketOnce(reader: ChainReader, token: string, now = new Date()): Promise<Market> {
  const find = finders.get(reader) ?? finderOf(reader);
  finders.set(reader, find);
  const found = await find(token, now.getTime());
  if (found === undefined) throw tokenNotFound(reader.chain);
  const { pools, block } = found;
  const [best] = pools;
  const asOf = now.toISOString();
  return {
    ...found.token,
    ...(best && { pool: marketPoolOf(best), price: best.price }),
    ...{ pools: pools.length, block: block.number, blockTime: block.time, asOf },
    ...{ revision: 0, day: { volume: zero, trades: 0 }, hasGaps: false, firstSeenAt: asOf },
    history: reader.chain === "sol" || best === undefined ? "unavailable" : "loading",
  };
}

const marketPoolOf = ({ pool, quote, venue, feeBps, depth }: MarketPool): MarketPool => ({
  ...{ pool, quote, venue, feeBps, depth },
});

function finderOf(reader: ChainReader): Find {
  if (reader.chain !== "sol") {
    const finder = new PoolFinder(reader);
    return (token, nowMs) => finder.find(token, nowMs);
  }
  const pools = new SolPoolReader(reader);
  return async (token, nowMs) => {
    const found = await pools.read([token], nowMs);
    if (found === undefined) throw new ChainUnavailable("The host of sol has gone back");
    return found.get(token);
  };
}
