import { staleMarkets } from "../markets/core/stale-markets.ts";
import {
  areMarketsRead,
  ensureMarketReader,
  type StartReader,
  startMarketReader,
} from "../markets/items/market-reader.ts";
import type { Table } from "../table/table.ts";
import { hasSubscribers } from "./connection-records.ts";

export type MarketWatch = {
  /** True if anybody follows tokens. */
  isFollowed: () => Promise<boolean>;
  startReader: StartReader;
  /** Receives that clients follow tokens and no run is active. */
  onUnread?: (error: unknown) => void;
};

/**
 * Starts a run of readMarkets if clients follow tokens and no run is active. At regular intervals, starts a run even if
 * one is active: the new run ends at once, unless the active run is ten minutes old or has different code, in which
 * case it replaces it.
 */
export async function keepMarketsRead(
  table: Table,
  { isFollowed, startReader, onUnread }: MarketWatch,
  { isTurn }: { isTurn: boolean },
): Promise<void> {
  if (!(await isFollowed())) return;
  if (onUnread && !(await areMarketsRead(table))) onUnread(staleMarkets());
  if (isTurn) await startMarketReader(startReader);
  else await ensureMarketReader(table, startReader);
}

/** True if clients subscribe to prices, or if a run of readMarkets needs the prices of coins. */
export async function arePricesWanted(table: Table, shards: number): Promise<boolean> {
  const found = await Promise.all([
    areMarketsRead(table),
    hasSubscribers(table, "prices", shards),
    hasSubscribers(table, "markets", shards),
  ]);
  return found.includes(true);
}
