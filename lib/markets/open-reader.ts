import type { ChainReader } from "../chains/families/open-chains.ts";
import { ChainUnavailable } from "../chains/hosts/host-fault.ts";
import type { TradingChain } from "../core/chain-facts.ts";
import { type Decimal, formatDecimal, multiply } from "../core/decimal.ts";
import type { Price } from "../prices/price.ts";
import type { Table } from "../table/table.ts";
import { tableEffects } from "../trading/execution/table-effects.ts";
import { Coins } from "./coins.ts";
import { intervalStart } from "./core/candles.ts";
import type { Market, TokenName } from "./core/market.ts";
import type { IndexedToken } from "./core/token-search.ts";
import { mostOnChain } from "./core/wanted-tokens.ts";
import type { Follower } from "./demand.ts";
import { coinPriceBy, type MarketPorts, openMarkets } from "./families/open-markets.ts";
import { HeldTokens } from "./held-tokens.ts";
import { readHeldNotes, writeHeldNotes } from "./items/held-notes.ts";
import { writeMarketIndex } from "./items/market-index.ts";
import { allMarketsOf, marketExpiry } from "./items/market-items.ts";
import { readNewsSince } from "./items/news.ts";
import { openPositions } from "./open-positions.ts";
import type { ReadMarketsDeps } from "./read-markets.ts";
import type { ChainMarkets } from "./runs/chain-markets.ts";
import { tokenStore } from "./runs/token-store.ts";
import { tokenOfPosition } from "./value-positions.ts";

export type ReaderPorts = Omit<MarketPorts, "coinUsdAt"> & {
  chains: ReadonlyMap<TradingChain, ChainReader>;
  /** Counts the shards of connections. */
  countShards: () => Promise<number>;
  /** Reads the connections that follow tokens, portion by portion. */
  readFollowers: () => AsyncIterable<readonly Follower[]>;
  readPrices: () => Promise<readonly Price[]>;
  /** Number of tokens to read on chains for which it is not the default. */
  marketTokens: Readonly<Partial<Record<TradingChain, number>>>;
  deliver: ReadMarketsDeps["deliver"];
  startReader: ReadMarketsDeps["startReader"];
  onWarning: (error: unknown, details?: object) => void;
};

/** Connects a run of readMarkets to the table, the hosts and the other functions. */
export function openReader(ports: ReaderPorts): ReadMarketsDeps {
  const { table, chains, countShards, readFollowers, readPrices, deliver, onFault } = ports;
  const store = tokenStore(table);
  const coinPrices = new Map([...chains.values()].map((reader) => [reader.chain, coinPriceBy(reader)]));
  const coins = new Coins({ store, poolPrice: (chain) => unlessSilent(coinPrices.get(chain)?.()) });
  const { readReaderLease, changeReaderLease } = tableEffects(table);
  return {
    leases: { readReaderLease, changeReaderLease },
    demand: {
      readFollowers,
      readNewsSince: async (sinceMs) => readNewsSince(table, sinceMs, await countShards()),
    },
    chains: [...chains.values()].map((reader) =>
      openMarkets(reader, { ...ports, coinUsdAt: (start) => coins.usdAt(reader.chain, start) }),
    ),
    coins,
    isListed: ({ chain, token }) =>
      chains.get(chain)?.configuration.tokens.some((listed) => listed.token === token) ?? false,
    mostOn: (chain) => ports.marketTokens[chain] ?? mostOnChain,
    holdings: new HeldTokens((userID) => heldTokens(table, userID)),
    heldNotes: {
      write: (reader, notes, epoch) => writeHeldNotes(table, reader, notes, { epoch, nowMs: Date.now() }),
      read: (reader) => readHeldNotes(table, reader, Date.now()),
    },
    readPrices,
    deliver,
    startReader: ports.startReader,
    store,
    saveIndex(markets, epoch) {
      const now = new Date();
      const coinUsd = coins.usdAt(markets.chain, intervalStart(Math.floor(now.getTime() / 1000), "1m"));
      return saveIndex(table, markets, { epoch, coinUsd, now });
    },
    onFault,
    onWarning: ports.onWarning,
  };
}

/** Ignores an outage of all hosts at this point, because the looks report it already. */
async function unlessSilent<Answer>(answer: Promise<Answer> | undefined): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ChainUnavailable) return undefined;
    throw error;
  }
}

async function heldTokens(table: Table, userID: string): Promise<TokenName[]> {
  const positions = await openPositions(table, userID);
  return positions.flatMap((position) => tokenOfPosition(position) ?? []);
}

/**
 * Stores the tokens that a search can find on a chain: those that are being read, and those that were read in the last
 * days.
 *
 * @returns false if the coin's price is unknown, because depths cannot be compared then.
 */
async function saveIndex(
  table: Table,
  read: Pick<ChainMarkets, "chain" | "markets">,
  { epoch, coinUsd, now }: { epoch: number; coinUsd: Decimal | undefined; now: Date },
): Promise<boolean> {
  if (coinUsd === undefined) return false;
  const stored = await allMarketsOf(table, read.chain);
  const newest = new Map(stored.map((each) => [each.market.token, each]));
  for (const market of read.markets(now.getTime()))
    newest.set(market.token, { market, expiresAt: marketExpiry(now) });
  const tokens = [...newest.values()].flatMap((each) => indexed(each, coinUsd) ?? []);
  await writeMarketIndex(table, read.chain, tokens, { epoch, now });
  return true;
}

/** Returns a token for the search index. Undefined if it has no pool. */
function indexed(
  { market, expiresAt }: { market: Market; expiresAt: number },
  coinUsd: Decimal,
): IndexedToken | undefined {
  const { chain, token, symbol, name, decimals, pool, firstSeenAt } = market;
  if (pool === undefined) return undefined;
  return {
    chain,
    token,
    symbol,
    name,
    decimals,
    depthUsd: Number(formatDecimal(multiply(pool.depth, coinUsd))),
    firstSeen: Date.parse(firstSeenAt) / 1000,
    knownUntil: expiresAt,
  };
}
