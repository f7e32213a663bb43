import type { EvmReader } from "../chains/evm/venues/reader.ts";
import type { ChainReader } from "../chains/families/open-chains.ts";
import { ChainUnavailable } from "../chains/hosts/host-fault.ts";
import type { SolReader } from "../chains/sol/venues/reader.ts";
import type { TradingChain } from "../core/chain-facts.ts";
import type { Price } from "../prices/price.ts";
import type { Table } from "../table/table.ts";
import { tableEffects } from "../trading/execution/table-effects.ts";
import { Coins } from "./coins.ts";
import { intervalStart } from "./core/candles.ts";
import type { CoinUsdAt } from "./core/coin-series.ts";
import type { HistoryState, TokenName } from "./core/market.ts";
import type { Follower } from "./demand.ts";
import { coinPoolPrice } from "./evm/coin-pool.ts";
import { marketHosts } from "./evm/hosts.ts";
import type { HistoryOrder } from "./evm/load-history.ts";
import { EvmMarkets } from "./evm/markets.ts";
import { PoolFinder } from "./evm/pools.ts";
import type { WatchedPool } from "./evm/rules/watched-pool.ts";
import { HeldTokens } from "./held-tokens.ts";
import { readNewsSince } from "./items/news.ts";
import { openPositions } from "./open-positions.ts";
import type { ReadMarketsDeps } from "./read-markets.ts";
import type { ChainMarkets } from "./runs/chain-markets.ts";
import { tokenStore } from "./runs/token-store.ts";
import { saveIndex } from "./save-index.ts";
import { SolMarkets } from "./sol/markets.ts";
import { SolPoolReader } from "./sol/pools.ts";
import { tokenOfPosition } from "./value-positions.ts";

export type ReaderPorts = {
  table: Table;
  chains: ReadonlyMap<TradingChain, ChainReader>;
  /** Lists the connections that follow tokens. */
  readFollowers: () => Promise<readonly Follower[]>;
  readPrices: () => Promise<readonly Price[]>;
  deliver: ReadMarketsDeps["deliver"];
  /** Invokes loadHistory, and waits for it. */
  loadHistory: (order: HistoryOrder) => Promise<HistoryState>;
  onFault: (error: unknown) => void;
  onSilence: (error: unknown) => void;
};

/** Connects a run of readMarkets with the table, the hosts and the other functions. */
export function openReader(ports: ReaderPorts): ReadMarketsDeps {
  const { table, chains, readFollowers, readPrices, deliver, onFault } = ports;
  const store = tokenStore(table);
  const finders = new Map(
    [...chains.values()].flatMap((reader) =>
      reader.chain === "sol" ? [] : [[reader.chain, coinPoolPrice(reader, new PoolFinder(reader))] as const],
    ),
  );
  const coins = new Coins({
    store,
    poolPrice: (chain) => unlessSilent(chain === "sol" ? undefined : finders.get(chain)?.()),
  });
  const coinUsdOf =
    (chain: TradingChain): CoinUsdAt =>
    (start) =>
      coins.usdAt(chain, start);
  const { readReaderLease, changeReaderLease } = tableEffects(table);
  return {
    leases: { readReaderLease, changeReaderLease },
    demand: {
      readFollowers,
      readNewsSince: (sinceMs) => readNewsSince(table, sinceMs),
    },
    chains: [...chains.values()].map((reader) =>
      reader.chain === "sol"
        ? solMarkets(reader, ports, coinUsdOf("sol"))
        : evmMarkets(reader, ports, coinUsdOf(reader.chain)),
    ),
    coins,
    isListed: ({ chain, token }) =>
      chains.get(chain)?.configuration.tokens.some((listed) => listed.token === token) ?? false,
    holdings: new HeldTokens((userID) => heldTokens(table, userID)),
    readPrices,
    deliver,
    store,
    saveIndex(markets, epoch) {
      const now = new Date();
      const coinUsd = coins.usdAt(markets.chain, intervalStart(Math.floor(now.getTime() / 1000), "1m"));
      return saveIndex(table, markets, { epoch, coinUsd, now });
    },
    onFault,
  };
}

/** Looks report an outage of the hosts already, and once. */
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

function evmMarkets(reader: EvmReader, ports: ReaderPorts, coinUsdAt: CoinUsdAt): ChainMarkets {
  const { table, onFault, onSilence } = ports;
  const finder = new PoolFinder(reader);
  const { chain } = reader;
  const markets: EvmMarkets = new EvmMarkets({
    chain,
    hosts: marketHosts(reader, { onSilence, onFlood: (pools) => markets.leavePools(pools) }),
    find: (token) => finder.find(token),
    store: tokenStore(table),
    loadHistory: (pool, { block, time }) =>
      ports.loadHistory({
        name: { chain, token: pool.token },
        pool: watchedOf(pool),
        first: { block, time },
      }),
    coinUsdAt,
    onFault,
  });
  return markets;
}

/** Leaves out what JSON cannot have, such as the depth. */
const watchedOf = ({ pool, quote, venue, token, decimals, quoteDecimals, isTokenFirst }: WatchedPool) => ({
  ...{ pool, quote, venue, token },
  ...{ decimals, quoteDecimals, isTokenFirst },
});

function solMarkets(reader: SolReader, ports: ReaderPorts, coinUsdAt: CoinUsdAt): ChainMarkets {
  const { table, onFault, onSilence } = ports;
  const pools = new SolPoolReader(reader);
  return new SolMarkets({
    readPools: (tokens) => pools.read(tokens),
    store: tokenStore(table),
    coinUsdAt,
    onSilence,
    onFault,
  });
}
