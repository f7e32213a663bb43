import { RecentMap } from "../core/recent-map.ts";
import type { Table } from "../table/table.ts";
import { nameOf, type TokenName } from "./core/market.ts";
import { ensureMarketReader, type StartReader } from "./items/market-reader.ts";
import { writeNews } from "./items/news.ts";

/** Notes that a user wants the markets of tokens, so that a run of readMarkets reads them for a while. */
export type Want = (userID: string, tokens: readonly TokenName[], now: Date) => Promise<void>;

/** An announcer that does nothing, for services in which no run reads markets. */
export const wantNothing: Want = async () => undefined;

/** Time after which a user's wish is announced again. The reader forgets an announcement after ten minutes. */
const announcedMs = 5 * 60_000;

/** Time after which a failed run is replaced. */
const ensuredMs = 10_000;

const mostRemembered = 5000;

/**
 * Announces each wish of a user only from time to time, however many requests this process gets.
 *
 * @param onFault Receives errors. An error only delays the next reading.
 */
export function openWant(table: Table, startReader: StartReader, onFault: (error: unknown) => void): Want {
  const announcedAt = new RecentMap<string, number>(mostRemembered);
  let ensuredAt = Number.NEGATIVE_INFINITY;
  return async (userID, tokens, now) => {
    const nowMs = now.getTime();
    const isOver = (sinceMs = Number.NEGATIVE_INFINITY, forMs: number) =>
      nowMs < sinceMs || nowMs - sinceMs >= forMs;
    const wishOf = (token: TokenName) => `${userID} ${nameOf(token)}`;
    const due = tokens.filter((token) => isOver(announcedAt.get(wishOf(token)), announcedMs));
    if (due.length === 0 && (tokens.length === 0 || !isOver(ensuredAt, ensuredMs))) return;
    try {
      if (due.length > 0) await writeNews(table, { userID, tokens: due });
      for (const token of due) announcedAt.set(wishOf(token), nowMs);
      await ensureMarketReader(table, startReader);
      ensuredAt = nowMs;
    } catch (error) {
      onFault(error);
    }
  };
}
