import type { Attempts } from "../core/attempts.ts";
import { FairQueue } from "../core/fair-queue.ts";
import type { HistoryState, MarketPool, TokenName } from "../core/market.ts";
import type { MarketBook } from "../core/market-book.ts";
import type { TokenStore, WantedToken } from "./chain-markets.ts";
import { HistoryPayers } from "./history-payers.ts";
import type { RunSteps } from "./run-steps.ts";
import type { TokenSaving } from "./token-saving.ts";
import { lastDayOf } from "./token-store.ts";

/** Number of histories that are read on a chain at a time. */
const historiesAtOnce = 2;

/** A token whose history may be due. */
type Entry = {
  readonly name: TokenName;
  readonly wanted: WantedToken;
  readonly market: MarketBook<MarketPool> | undefined;
  isHistoryDue: boolean;
  readonly histories: Attempts;
  readonly saving: TokenSaving;
};

export type HistoriesDeps = {
  store: Pick<TokenStore, "loadCandles">;
  /** Counts a history for a user. Returns false if the user has had too many on this day. */
  countHistory: (userID: string, now: Date) => Promise<boolean>;
  /** Takes back a history that was counted at a given time. */
  uncountHistory: (userID: string, countedAt: Date) => Promise<void>;
  steps: RunSteps;
};

/** Reads the minute candles before somebody first wanted a token, for tokens that get a place. */
export class Histories<Each extends Entry> {
  readonly #deps: HistoriesDeps;
  readonly #queue = new FairQueue(historiesAtOnce);
  readonly #payers = new HistoryPayers();
  readonly #reading = new Map<Each, Promise<void>>();

  constructor(deps: HistoriesDeps) {
    this.#deps = deps;
  }

  /**
   * Begins to read histories that are due.
   *
   * @param loadOf Returns the function that reads a token's history and stores it. Undefined if it is not known yet
   * where the history ends.
   */
  begin(entries: readonly Each[], loadOf: (entry: Each) => (() => Promise<HistoryState>) | undefined): void {
    const nowMs = Date.now();
    const waiting = entries.flatMap((entry) => {
      if (!entry.isHistoryDue || this.#reading.has(entry) || !entry.histories.isDue(nowMs)) return [];
      const load = loadOf(entry);
      const payers = this.#payers.among(entry.wanted.users ?? [], nowMs);
      return load === undefined || payers === undefined ? [] : [{ entry, load, payers }];
    });
    for (;;) {
      const next = this.#queue.next(
        waiting.filter(({ entry }) => !this.#reading.has(entry)),
        ({ payers }) => payers,
      );
      if (next === undefined) return;
      const { user, free } = next;
      const { entry, load } = next.task;
      const reading = this.#deps.steps
        .survive(() => this.#complete(entry, user, load))
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

  async #complete(entry: Each, userID: string, load: () => Promise<HistoryState>): Promise<void> {
    const { market } = entry;
    if (market === undefined) return;
    const state = await this.#paidBy(userID, () => {
      entry.histories.begin(Date.now());
      return load();
    });
    // Stays due, and stored as loading, because another user may want the token, or the next day begins.
    if (state === undefined) return;
    market.history = state;
    entry.isHistoryDue = false;
    entry.histories.succeed();
    market.restore(await lastDayOf(this.#deps.store, entry.name, "minutes"), Date.now());
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
