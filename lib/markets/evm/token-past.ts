import { forEachConcurrently } from "../../core/concurrency.ts";
import { FairQueue } from "../core/fair-queue.ts";
import type { HistoryState } from "../core/market.ts";
import type { TokenStore } from "../runs/chain-markets.ts";
import type { RunSteps } from "../runs/run-steps.ts";
import { HistoryPayers } from "./history-payers.ts";
import type { ReaderHosts } from "./hosts.ts";
import { isBegunInside, readFirstMinute } from "./rules/first-minute.ts";
import type { Journal } from "./rules/journal.ts";
import type { PoolBase } from "./rules/pool-book.ts";
import type { FoundPool } from "./rules/token-market.ts";
import { bookOf, lastDayOf, type TokenEntry } from "./token-entry.ts";

/** Number of tokens whose earlier minutes are read at a time. */
const beginningsAtOnce = 3;
const historiesAtOnce = 2;

export type PastDeps = {
  hosts: ReaderHosts;
  store: Pick<TokenStore, "loadCandles">;
  /** Reads the minute candles before a pool's first base and stores them. */
  loadHistory: (pool: FoundPool, base: PoolBase) => Promise<HistoryState>;
  /** Counts a history for a user. Returns false if the user has had too many on this day. */
  countHistory: (userID: string, now: Date) => Promise<boolean>;
  /** Takes back a history that was counted at a given time. */
  uncountHistory: (userID: string, countedAt: Date) => Promise<void>;
  journal: Journal;
  steps: RunSteps;
};

/** Completes the minutes before the first block that a run has read of a token's pools. */
export class TokenPast {
  readonly #deps: PastDeps;
  readonly #histories = new FairQueue(historiesAtOnce);
  readonly #payers = new HistoryPayers();
  readonly #reading = new Map<TokenEntry, Promise<void>>();

  constructor(deps: PastDeps) {
    this.#deps = deps;
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
    const { journal, steps } = this.#deps;
    const nowMs = Date.now();
    const due = entries.filter(
      (entry) =>
        entry.isHistoryDue &&
        !this.#reading.has(entry) &&
        entry.histories.isDue(nowMs) &&
        bookOf(journal, entry)?.bases[0] !== undefined,
    );
    const waiting = due.flatMap((entry) => {
      const payers = this.#payers.among(entry.wanted.users ?? [], nowMs);
      return payers === undefined ? [] : [{ entry, payers }];
    });
    for (;;) {
      const next = this.#histories.next(
        waiting.filter(({ entry }) => !this.#reading.has(entry)),
        ({ payers }) => payers,
      );
      if (next === undefined) return;
      const { user, free } = next;
      const { entry } = next.task;
      const reading = steps
        .survive(() => this.#completeHistory(entry, user))
        .finally(() => {
          free();
          this.#reading.delete(entry);
        });
      this.#reading.set(entry, reading);
    }
  }

  /** Waits until no history is being read. */
  async emptied(): Promise<void> {
    await Promise.all(this.#reading.values());
  }

  async #completeHistory(entry: TokenEntry, userID: string): Promise<void> {
    const { store, journal, loadHistory } = this.#deps;
    const { market } = entry;
    const pool = market?.reference;
    const base = pool && journal.books.get(pool.pool)?.bases[0];
    if (market === undefined || pool === undefined || base === undefined) return;
    const state = await this.#paidBy(userID, () => {
      entry.histories.begin(Date.now());
      return loadHistory(pool, base);
    });
    // Stays due, and stored as loading, because another user may want the token, or the next day begins.
    if (state === undefined) return;
    market.history = state;
    entry.isHistoryDue = false;
    entry.histories.succeed();
    market.restore(await lastDayOf(store, entry.name, "minutes"), Date.now());
    entry.saving.hasten();
  }

  /**
   * Loads a history that counts for a user. One that fails, which is no fault of the token, counts for nobody.
   *
   * @returns Undefined if the user has had too many on this day.
   */
  async #paidBy(userID: string, load: () => Promise<HistoryState>): Promise<HistoryState | undefined> {
    if (userID === "") return load();
    const { countHistory, uncountHistory, steps } = this.#deps;
    const now = new Date();
    this.#payers.begin(userID, now.getTime());
    if (!(await countHistory(userID, now))) {
      this.#payers.spend(userID, now.getTime());
      return undefined;
    }
    try {
      const state = await load();
      this.#payers.succeed(userID);
      return state;
    } catch (error) {
      await steps.survive(() => uncountHistory(userID, now));
      throw error;
    }
  }
}
