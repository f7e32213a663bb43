import { ChainUnavailable } from "../../chains/hosts/host-fault.ts";
import { forEachConcurrently } from "../../core/concurrency.ts";
import { chooseReference, noReference, type ReferenceChoice } from "../core/reference.ts";
import type { TokenStore } from "../runs/chain-markets.ts";
import type { RunSteps } from "../runs/run-steps.ts";
import { lastDayOf } from "../runs/token-store.ts";
import { type Journal, watchPool } from "./rules/journal.ts";
import { addShown } from "./rules/pool-book.ts";
import { type FoundMarket, type FoundPool, type MarketState, TokenMarket } from "./rules/token-market.ts";
import type { TokenEntry } from "./token-entry.ts";

/** Time after which the hosts of a chain that did not answer are asked about a token again. */
const retryMs = 5000;

/** Time after which an address that was not a token is checked again. */
export const unknownMs = 10 * 60_000;

/** Interval between measurements of depths. It is shorter for tokens of open positions. */
const measuredMs = { usual: 10 * 60_000, held: 60_000 };

/** Age from which a stored market is not continued. The history then provides the minutes in between. */
const mostBehindMs = 15 * 60_000;

/** Number of tokens whose pools are searched at a time. */
const findsAtOnce = 3;

export type FindingDeps = {
  /**
   * Finds a token and the pools that could price it, with their depths. Undefined if the address is not a token.
   *
   * @throws {ChainUnavailable}
   */
  find: (token: string) => Promise<FoundMarket | undefined>;
  store: TokenStore<MarketState>;
  journal: Journal;
  steps: RunSteps;
};

/** Finds a run's tokens and chooses their pools, whose depths it measures regularly. */
export class TokenFinding {
  readonly #deps: FindingDeps;

  constructor(deps: FindingDeps) {
    this.#deps = deps;
  }

  /** Finds new tokens, and measures the pools of known tokens again. */
  async find(entries: readonly TokenEntry[]): Promise<void> {
    const nowMs = Date.now();
    const due = entries.filter(({ isBusy, findAtMs }) => !isBusy && findAtMs <= nowMs);
    // Starts with new tokens.
    const sorted = due.toSorted((a, b) => Number(a.market !== undefined) - Number(b.market !== undefined));
    await forEachConcurrently(sorted, { concurrency: findsAtOnce }, async (entry) => {
      entry.isBusy = true;
      await this.#deps.steps.survive(() =>
        entry.market === undefined ? this.#join(entry) : this.#measure(entry),
      );
      entry.isBusy = false;
    });
  }

  async #ask(entry: TokenEntry): Promise<FoundMarket | undefined> {
    entry.findAtMs = Date.now() + retryMs;
    try {
      const found = await this.#deps.find(entry.name.token);
      const { usual, held } = measuredMs;
      const nowMs = Date.now();
      if (found === undefined) entry.unknownMs ??= nowMs;
      entry.findAtMs = nowMs + (found ? (entry.wanted.isHeld ? held : usual) : unknownMs);
      return found;
    } catch (error) {
      if (error instanceof ChainUnavailable) return undefined;
      throw error;
    }
  }

  /** Starts to read a token: continues from the state of the last run, or starts over. */
  async #join(entry: TokenEntry): Promise<void> {
    const { store, journal } = this.#deps;
    const stored = await store.readMarket(entry.name);
    const isRecent = stored !== undefined && Date.now() - Date.parse(stored.market.asOf) <= mostBehindMs;
    const found = isRecent ? { token: stored.market, pools: stored.state.pools } : await this.#ask(entry);
    if (found === undefined) return;
    const minutes = await lastDayOf(store, entry.name, "minutes");
    const hours = await lastDayOf(store, entry.name, "hours");
    const nowMs = Date.now();
    if (isRecent) entry.findAtMs = nowMs + measuredMs.held;
    const bases = isRecent ? stored.state.bases : [];
    const history = bases.length > 0 ? (stored?.market.history ?? "loading") : "loading";
    const firstSeenAt = stored?.market.firstSeenAt ?? new Date(nowMs).toISOString();
    const market = new TokenMarket(found, { firstSeenAt, history, nowMs });
    market.restore(minutes, nowMs);
    entry.saving.restore({ minutes, hours, row: stored }, nowMs);
    const last = stored?.market.pool?.pool;
    const before = isRecent ? { pool: last, rivals: {} } : noReference;
    const pool = this.#choose(entry, market, before, nowMs);
    if (pool !== undefined) {
      watchPool(journal, pool, nowMs, pool.pool === last ? bases : []);
      const book = journal.books.get(pool.pool);
      if (book !== undefined) addShown(book, minutes);
    } else entry.saving.hasten();
    entry.isHistoryDue = history === "loading";
    entry.market = market;
  }

  /** Chooses the reference pool among a token's pools by their last measured depths. */
  #choose(
    entry: TokenEntry,
    market: TokenMarket,
    before: ReferenceChoice,
    nowMs: number,
  ): FoundPool | undefined {
    entry.choice = chooseReference(before, market.pools, nowMs);
    const chosen = market.pools.find(({ pool }) => pool === entry.choice.pool);
    market.choose(chosen, nowMs);
    return chosen;
  }

  async #measure(entry: TokenEntry): Promise<void> {
    const found = await this.#ask(entry);
    const nowMs = Date.now();
    if (found === undefined) return;
    if (entry.market === undefined) return;
    entry.market.find(found, nowMs);
    this.#choose(entry, entry.market, entry.choice, nowMs);
  }
}
