import { candlesOf, intervalStart, swapBlocksOf } from "../core/candles.ts";
import type { HistoryState, TokenName } from "../core/market.ts";
import type { TokenStore, TokenWriter } from "../runs/chain-markets.ts";
import { savePast } from "../runs/token-store.ts";
import type { History, HistoryAsked } from "./read-history.ts";
import type { Anchor } from "./rules/pool-book.ts";
import type { WatchedPool } from "./rules/watched-pool.ts";

export type HistoryDeps = {
  /** Reads the events of a pool backwards. */
  readHistory: (pool: WatchedPool, asked: HistoryAsked) => Promise<History>;
  store: Pick<TokenStore, "loadCandles">;
  writer: Pick<TokenWriter, "saveCandles">;
};

/** A request for the minute candles of a reference pool before a reader's first block. */
export type HistoryOrder = { name: TokenName; pool: WatchedPool; first: Pick<Anchor, "block" | "time"> };

const daySeconds = 86_400;

/**
 * Stores the minute candles of the 24 hours before a reader began to read a token, and folds them into hours. They come
 * from only one host, so they are not final and replace no final candles.
 *
 * @param untilMs No request begins after this time.
 */
export async function loadHistory(
  { readHistory, store, writer }: HistoryDeps,
  { name, pool, first }: HistoryOrder,
  untilMs: number,
): Promise<HistoryState> {
  const end = intervalStart(first.time, "1m");
  const asked = { to: first.block, since: intervalStart(end - daySeconds, "1m"), untilMs };
  const { events, isComplete } = await readHistory(pool, asked);
  const candles = candlesOf(swapBlocksOf(events), { pool: pool.pool, quote: pool.quote });
  // Marks the reader's first minute as incomplete here, because the reader itself knows the rest of that minute.
  const minutes = candles.map((candle) => ({ ...candle, hasGaps: candle.start === end }));
  await savePast(store, writer, name, minutes);
  return isComplete ? "complete" : "unavailable";
}
