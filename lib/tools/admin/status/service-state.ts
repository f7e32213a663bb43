import type { TradingConfiguration } from "../../../chains/families/configuration.ts";
import { evmChains, type TradingChain, tradingChains } from "../../../core/chain-facts.ts";
import { defaultChannelShards } from "../../../infra/market-context.ts";
import type { ReaderLease } from "../../../orders/table-step.ts";
import { pricesKey } from "../../../prices/item-keys.ts";
import type { PricesItem } from "../../../prices/price-records.ts";
import { shardCounter } from "../../../realtime/channel-shards.ts";
import { hasSubscribers } from "../../../realtime/connection-records.ts";
import { readItem, type Table } from "../../../table/table.ts";
import { readReaderLease } from "../../../trading/items/reader-leases.ts";
import { readStops } from "../../../trading/items/stops.ts";
import { readLanes } from "../../../trading/items/views.ts";
import { lookAtChain, openHosts } from "../../hosts/look-at-chain.ts";
import { lookAtSolHosts, openSolHosts } from "../../hosts/look-at-sol.ts";
import type { HostLook } from "../../hosts/report.ts";

/** A run that repeats a work, such as reading a chain, and whether somebody needs it. */
export type LeaseState = {
  /** Time of its last sign of life. Undefined if it has never run or has ended on purpose. */
  beatMs: number | undefined;
  isNeeded: boolean;
};

export type ChainState = {
  chain: TradingChain;
  hosts: readonly HostLook[];
  reader: LeaseState;
  /** Lanes with open or unsettled orders, and those of them that only wait until their outcome is final. */
  lanes: number;
  settling: number;
  /** Time since which the operator's switch has stopped trading here. */
  stoppedSince: string | undefined;
};

/** State of the service as its table and the hosts of its chains show it. */
export type ServiceState = {
  chains: readonly ChainState[];
  markets: LeaseState;
  /** Runs of readMarkets for the chains that the common run leaves to them. */
  alone: readonly (LeaseState & { chain: TradingChain })[];
  prices: LeaseState;
};

/** Looks only for the newest block of each host. */
const headsOnly = { symbols: [], hasCalls: false };

async function hostsOf(trading: TradingConfiguration): Promise<Map<TradingChain, readonly HostLook[]>> {
  const evm = evmChains.flatMap((chain) => {
    const configuration = trading[chain];
    return configuration === undefined ? [] : [lookAtChain(openHosts({ chain, configuration }), headsOnly)];
  });
  const sol = trading.sol === undefined ? [] : [lookAtSolHosts(openSolHosts(trading.sol, []), headsOnly)];
  return new Map((await Promise.all([...evm, ...sol])).map(({ chain, hosts }) => [chain, hosts]));
}

const beatOf = (lease: ReaderLease | undefined): number | undefined =>
  lease === undefined || lease.isEnded ? undefined : lease.heartbeatMs;

/** Reads the state of the chains that trade, and of those that have lanes although they do not trade any more. */
export async function readService(
  table: Table,
  trading: TradingConfiguration,
  now: Date,
): Promise<ServiceState> {
  const shards = await shardCounter(table, defaultChannelShards)(now);
  const [hosts, stops, marketLease, feed, ...followed] = await Promise.all([
    hostsOf(trading),
    readStops(table, tradingChains),
    readReaderLease(table, "markets"),
    readItem<PricesItem>(table, pricesKey),
    hasSubscribers(table, "markets", shards),
    hasSubscribers(table, "prices", shards),
  ]);
  const [areMarketsFollowed = false, arePricesFollowed = false] = followed;
  const chains = await Promise.all(
    tradingChains.map(async (chain): Promise<ChainState[]> => {
      const [lease, lanes] = await Promise.all([readReaderLease(table, chain), readLanes(table, chain)]);
      if (trading[chain] === undefined && lanes.length === 0) return [];
      return [
        {
          chain,
          hosts: hosts.get(chain) ?? [],
          reader: { beatMs: beatOf(lease), isNeeded: lanes.length > 0 },
          lanes: lanes.length,
          settling: lanes.filter(({ watch }) => watch?.settlingSinceMs !== undefined).length,
          stoppedSince: stops.get(chain),
        },
      ];
    }),
  );
  const apart = beatOf(marketLease) === undefined ? [] : (marketLease?.apart ?? []);
  const alone = apart.map(async (chain) => {
    const lease = await readReaderLease(table, `markets ${chain}`);
    return { chain, beatMs: beatOf(lease), isNeeded: areMarketsFollowed };
  });
  return {
    chains: chains.flat(),
    markets: { beatMs: beatOf(marketLease), isNeeded: areMarketsFollowed },
    alone: await Promise.all(alone),
    prices: {
      beatMs: feed?.lease === undefined ? undefined : Date.parse(feed.updatedAt),
      isNeeded: arePricesFollowed || areMarketsFollowed,
    },
  };
}
