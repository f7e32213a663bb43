import { forEachConcurrently } from "../../core/concurrency.ts";
import type { HistoryState } from "../core/market.ts";
import { Histories, type HistoriesDeps } from "../runs/histories.ts";
import type { ReaderHosts } from "./hosts.ts";
import { isBegunInside, readFirstMinute } from "./rules/first-minute.ts";
import type { Journal } from "./rules/journal.ts";
import type { PoolBase } from "./rules/pool-book.ts";
import type { FoundPool } from "./rules/token-market.ts";
import { bookOf, type TokenEntry } from "./token-entry.ts";

/** Number of tokens whose earlier minutes are read at a time. */
const beginningsAtOnce = 3;

export type PastDeps = HistoriesDeps & {
  hosts: ReaderHosts;
  /** Reads the minute candles before a pool's first base and stores them. */
  loadHistory: (pool: FoundPool, base: PoolBase) => Promise<HistoryState>;
  journal: Journal;
};

/** Completes the minutes before the first block that a run has read of a token's pools. */
export class TokenPast {
  readonly #deps: PastDeps;
  readonly #histories: Histories<TokenEntry>;

  constructor(deps: PastDeps) {
    this.#deps = deps;
    this.#histories = new Histories(deps);
  }

  /**
   * If a pool had to start over, requests the history of the minutes in between. For a pool that replaces another one,
   * requests no history, because its minutes would be mixed with the other pool's.
   */
  noteBases(entry: TokenEntry): void {
    const { market, begun } = entry;
    const pool = market?.reference?.pool ?? begun.pool;
    const kept = bookOf(this.#deps.journal, entry)?.bases ?? [];
    if (market !== undefined && begun.pool !== undefined && begun.pool !== pool) {
      entry.isHistoryDue = false;
      if (market.history === "loading") market.history = "unavailable";
    } else if (begun.bases.length > 0 && !kept.some(({ hash }) => begun.bases.includes(hash)))
      entry.isHistoryDue = true;
    entry.begun = { pool, bases: kept.map(({ hash }) => hash) };
  }

  /** Reads the missing beginnings of the minutes in which pools were created. */
  async completeBeginnings(entries: readonly TokenEntry[]): Promise<void> {
    const { journal, hosts, steps } = this.#deps;
    const nowMs = Date.now();
    const begun = entries.filter((entry) => {
      const book = bookOf(journal, entry);
      return book !== undefined && isBegunInside(book) && entry.beginnings.isDue(nowMs);
    });
    await forEachConcurrently(begun, { concurrency: beginningsAtOnce }, async (entry) => {
      entry.beginnings.begin(nowMs);
      const book = bookOf(journal, entry);
      if (book === undefined) return;
      await steps.survive(() => readFirstMinute(journal, hosts, book));
      if (!isBegunInside(book)) entry.saving.hasten();
    });
  }

  /** Begins to read the minute candles before somebody first wanted a token, for tokens that get a place. */
  async completeHistories(entries: readonly TokenEntry[]): Promise<void> {
    const { journal, loadHistory } = this.#deps;
    this.#histories.begin(entries, (entry) => {
      const pool = entry.market?.reference;
      const base = pool && journal.books.get(pool.pool)?.bases[0];
      return pool && base && (() => loadHistory(pool, base));
    });
  }

  /** Waits until no history is being read. */
  async emptied(): Promise<void> {
    await this.#histories.emptied();
  }
}
