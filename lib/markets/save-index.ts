import { type Decimal, formatDecimal, multiply } from "../core/decimal.ts";
import type { Table } from "../table/table.ts";
import type { Market } from "./core/market.ts";
import type { IndexedToken } from "./core/token-search.ts";
import { writeMarketIndex } from "./items/market-index.ts";
import { allMarketsOf } from "./items/market-items.ts";
import type { ChainMarkets } from "./runs/chain-markets.ts";

/** Stores what a search finds on a chain: the tokens that are read, and those that were read in the last days. */
export async function saveIndex(
  table: Table,
  read: Pick<ChainMarkets, "chain" | "markets">,
  { epoch, coinUsd, now }: { epoch: number; coinUsd: Decimal | undefined; now: Date },
): Promise<void> {
  // Without it, no depth could be compared.
  if (coinUsd === undefined) return;
  const stored = await allMarketsOf(table, read.chain);
  const newest = new Map(stored.map(({ market }) => [market.token, market]));
  for (const market of read.markets(now.getTime())) newest.set(market.token, market);
  const tokens = [...newest.values()].flatMap((market) => indexed(market, coinUsd) ?? []);
  await writeMarketIndex(table, read.chain, tokens, { epoch, now });
}

/** Undefined for a token without a pool. */
function indexed(market: Market, coinUsd: Decimal): IndexedToken | undefined {
  const { chain, token, symbol, name, decimals, pool, firstSeenAt } = market;
  if (pool === undefined) return undefined;
  const depthUsd = Number(formatDecimal(multiply(pool.depth, coinUsd)));
  return { chain, token, symbol, name, decimals, depthUsd, firstSeen: Date.parse(firstSeenAt) / 1000 };
}
