import { forEachConcurrently } from "../../core/concurrency.ts";
import type { CoinUsdAt } from "../core/coin-series.ts";
import type { Market, MarketPool, TokenName } from "../core/market.ts";
import type { ChainView, MarketBook } from "../core/market-book.ts";
import type { ChangedRecord } from "../core/market-delivery.ts";
import { recordWithoutMarket } from "../core/record-of.ts";
import type { TokenWriter, WantedRecords, WantedToken } from "./chain-markets.ts";
import type { RunSteps } from "./run-steps.ts";
import type { TokenSaving } from "./token-saving.ts";

/** Number of tokens that are stored at a time. */
const savesAtOnce = 8;

/** A wanted token during a run. */
type Entry = {
  readonly name: TokenName;
  wanted: WantedToken;
  /** Market of the token. Undefined until it is found, or if the address is not a token. */
  readonly market: MarketBook<MarketPool> | undefined;
  /** Time when it was found that the address is not a token. */
  readonly unknownMs: number | undefined;
  readonly saving: TokenSaving;
};

type EntriesDeps<Each, State> = {
  create: (wanted: WantedToken) => Each;
  /** Stores a token. `isLast` is true if nothing is stored after this. */
  save: (entry: Each, writer: TokenWriter<State>, of: { isLast: boolean }) => Promise<void>;
  steps: RunSteps;
};

/** The tokens that a run reads on a chain, and those whose markets must still be stored. */
export class TokenEntries<Each extends Entry, State> {
  readonly #deps: EntriesDeps<Each, State>;
  readonly #entries = new Map<string, Each>();
  /** Tokens that nobody wants any more but whose markets must still be stored. */
  readonly #leaving = new Set<Each>();

  constructor(deps: EntriesDeps<Each, State>) {
    this.#deps = deps;
  }

  /** Replaces the tokens that are read. */
  want(tokens: readonly WantedToken[]): void {
    const names = new Set(tokens.map(({ token }) => token));
    for (const [token, entry] of this.#entries) {
      if (names.has(token)) continue;
      this.#entries.delete(token);
      if (entry.market !== undefined) this.#leaving.add(entry);
    }
    for (const wanted of tokens) {
      const { token } = wanted;
      const leaving = [...this.#leaving].find(({ name }) => name.token === token);
      if (leaving !== undefined) this.#leaving.delete(leaving);
      const entry = this.#entries.get(token) ?? leaving ?? this.#deps.create(wanted);
      entry.wanted = wanted;
      this.#entries.set(token, entry);
    }
  }

  get size(): number {
    return this.#entries.size;
  }

  get all(): Each[] {
    return [...this.#entries.values()];
  }

  /** Returns all tokens, with those that nobody wants any more. */
  get kept(): Each[] {
    return [...this.all, ...this.#leaving];
  }

  markets(view: ChainView, nowMs: number): Market[] {
    return this.all.flatMap(({ market }) => market?.market(view, nowMs) ?? []);
  }

  /** Describes the tokens that have changed, or all of these tokens. */
  records(
    tokens: readonly string[],
    { sinceMs, isFull }: WantedRecords,
    { view, coinUsdAt, nowMs }: { view: ChainView; coinUsdAt: CoinUsdAt; nowMs: number },
  ): ChangedRecord[] {
    const head = view.look && { block: view.look.number };
    return tokens.flatMap((token): ChangedRecord[] => {
      const entry = this.#entries.get(token);
      const changedAtMs = entry?.market?.changedMs ?? entry?.unknownMs;
      if (entry === undefined || changedAtMs === undefined || (changedAtMs <= sinceMs && !isFull)) return [];
      const record =
        entry.market?.record(view, { coinUsdAt, sinceMs, nowMs }) ??
        recordWithoutMarket(entry.name, "NO_POOL", { revision: view.revision, head, nowMs });
      return [{ record, changedAtMs }];
    });
  }

  /** Stores the tokens that are due in this second, and the tokens that nobody wants any more. */
  async saveDue(writer: TokenWriter<State>): Promise<void> {
    const nowMs = Date.now();
    const due = this.all.filter(({ saving }) => saving.isDue(nowMs));
    await this.#saveEach(due, (entry) => this.#deps.save(entry, writer, { isLast: false }));
    await this.#saveEach([...this.#leaving], async (entry) => {
      await this.#deps.save(entry, writer, { isLast: true });
      this.#leaving.delete(entry);
    });
  }

  /** Stores all tokens at the end of the run. */
  async saveAll(writer: TokenWriter<State>): Promise<void> {
    if (this.#deps.steps.isSuperseded) return;
    await this.#saveEach(this.kept, (entry) => this.#deps.save(entry, writer, { isLast: true }));
  }

  async #saveEach(entries: readonly Each[], save: (entry: Each) => Promise<void>): Promise<void> {
    const { steps } = this.#deps;
    await forEachConcurrently(entries, { concurrency: savesAtOnce }, async (entry) => {
      if (!steps.isSuperseded) await steps.survive(() => save(entry));
    });
  }
}
