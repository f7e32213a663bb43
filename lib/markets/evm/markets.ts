import { ChainUnavailable } from "../../chains/hosts/host-fault.ts";
import { chainFacts, type EvmChain } from "../../core/chain-facts.ts";
import { forEachConcurrently } from "../../core/concurrency.ts";
import { delay } from "../../core/time.ts";
import { intervalStart } from "../core/candles.ts";
import type { CoinUsdAt } from "../core/coin-series.ts";
import type { HistoryState, Market, TokenName } from "../core/market.ts";
import type { MarketRecord } from "../core/market-record.ts";
import { recordWithoutMarket } from "../core/record-of.ts";
import {
  type ChainMarkets,
  type ChangedRecord,
  type MarketRun,
  revisionFrom,
  type TokenStore,
  type TokenWriter,
  type WantedRecords,
  type WantedToken,
} from "../runs/chain-markets.ts";
import { RunSteps } from "../runs/run-steps.ts";
import type { ReaderHosts } from "./hosts.ts";
import { Attempts } from "./rules/attempts.ts";
import { isBegunInside, readFirstMinute } from "./rules/first-minute.ts";
import { type Journal, newJournal, watchPool } from "./rules/journal.ts";
import { lookRound } from "./rules/look-round.ts";
import { addShown, type PoolBase, type PoolBook } from "./rules/pool-book.ts";
import { proofRound } from "./rules/proof-round.ts";
import { chooseReference, noReference, type ReferenceChoice } from "./rules/reference.ts";
import { type FoundMarket, type FoundPool, type MarketState, TokenMarket } from "./rules/token-market.ts";
import { TokenSaving } from "./token-saving.ts";

/** A pool has more events than can be read. */
export class FloodedPool extends Error {
  override readonly name = "FloodedPool";
}

export type EvmMarketsDeps = {
  chain: EvmChain;
  hosts: ReaderHosts;
  /**
   * Finds a token and the pools that could price it, with their depths. Undefined if the address is no token.
   *
   * @throws {ChainUnavailable}
   */
  find: (token: string) => Promise<FoundMarket | undefined>;
  store: TokenStore<MarketState>;
  /** Reads the minutes before a pool's first base, and stores them. */
  loadHistory: (pool: FoundPool, base: PoolBase) => Promise<HistoryState>;
  coinUsdAt: CoinUsdAt;
  /** Receives errors. The run goes on. */
  onFault: (error: unknown) => void;
};

/** The time between two looks: that of a block, within these limits. */
const pauses = { leastMs: 1000, mostMs: 2000 };

/** A stored market is older than what clients have got, so it is sent only if no look follows in this time. */
const blindMs = 15_000;

/** The work of a run, besides looks, is begun each second. */
const stepMs = 1000;

/** The time after which a chain that did not answer is asked about a token again. */
const retryMs = 5000;

/** The pauses before a beginning or a history that could not be read is asked for again. Some hosts never answer. */
const mostPauseMs = 10 * 60_000;
const beginningPauses = { leastMs: retryMs, mostMs: mostPauseMs };
const historyPauses = { leastMs: 60_000, mostMs: mostPauseMs };

/** An address that is no token is asked about again after this time. */
const unknownMs = 10 * 60_000;

/** Depths are measured each time that has passed, and more often where somebody has an open position. */
const measuredMs = { usual: 10 * 60_000, held: 60_000 };

/** A stored market of this age is not read on: the minutes between come from the history. */
const mostBehindMs = 15 * 60_000;

/** Tokens are found, completed and stored so many at a time. */
const findsAtOnce = 3;
const historiesAtOnce = 2;
const savesAtOnce = 8;

const daySeconds = 86_400;

/** A wanted token. */
class Entry {
  readonly name: TokenName;
  wanted: WantedToken;
  /** Undefined while it is not found, or if it is no token. */
  market: TokenMarket | undefined;
  /** When the address was found to be no token. */
  unknownMs: number | undefined;
  /** True while one of its questions is under way. */
  isBusy = false;
  /** When it is next asked for the token and its pools. */
  findAtMs = 0;
  isHistoryDue = false;
  /** Attempts to have the history read. */
  readonly histories = new Attempts(historyPauses);
  /** Attempts to read what came before the first base in its minute. */
  readonly beginnings = new Attempts(beginningPauses);
  /** The last reference pool, and the hashes of its bases when it was last refreshed. */
  begun: { pool: string | undefined; bases: readonly string[] } = { pool: undefined, bases: [] };
  choice: ReferenceChoice = noReference;
  readonly saving: TokenSaving;

  constructor(chain: EvmChain, wanted: WantedToken) {
    this.name = { chain, token: wanted.token };
    this.saving = new TokenSaving(this.name);
    this.wanted = wanted;
  }
}

/** Reads the markets of a chain of Ethereum's family. */
export class EvmMarkets implements ChainMarkets {
  readonly chain: EvmChain;
  readonly #deps: EvmMarketsDeps;
  readonly #journal: Journal;
  readonly #entries = new Map<string, Entry>();
  /** Tokens that nobody wants any more, and that are still to be stored. */
  readonly #leaving = new Set<Entry>();
  readonly #steps: RunSteps;
  #beganMs = 0;

  constructor(deps: EvmMarketsDeps) {
    this.chain = deps.chain;
    this.#deps = deps;
    this.#journal = newJournal(deps.chain);
    this.#steps = new RunSteps(deps.onFault);
  }

  get head() {
    const { look } = this.#journal;
    return look && { block: look.number, time: look.time };
  }

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
      const entry = this.#entries.get(token) ?? leaving ?? new Entry(this.chain, wanted);
      entry.wanted = wanted;
      this.#entries.set(token, entry);
    }
  }

  get revision(): number {
    return this.#journal.revision;
  }

  get isWanted(): boolean {
    return this.#entries.size > 0;
  }

  async look(): Promise<boolean | undefined> {
    return this.isWanted ? this.#look(Date.now()) : undefined;
  }

  async read(run: MarketRun): Promise<void> {
    const writer = this.#deps.store.writer(run.epoch);
    this.#journal.revision += revisionFrom(run.epoch);
    this.#beganMs = Date.now();
    const pauseMs = Math.min(
      pauses.mostMs,
      Math.max(pauses.leastMs, chainFacts[this.chain].blockSeconds * 1000),
    );
    const repeat = async (ms: number, step: () => Promise<unknown>) => {
      for (; !run.isOver && !this.#steps.isSuperseded; await delay(ms)) await this.#steps.survive(step);
    };
    await Promise.all([
      repeat(pauseMs, () => this.#look(Date.now())),
      repeat(stepMs, () => this.#prove()),
      repeat(stepMs, () => this.#find()),
      repeat(stepMs, () => this.#completeBeginnings()),
      repeat(stepMs, () => this.#completeHistories()),
      repeat(stepMs, () => this.#saveDue(writer)),
    ]);
    await this.#saveAll(writer);
  }

  records(tokens: readonly string[], { sinceMs, isFull }: WantedRecords, nowMs: number): ChangedRecord[] {
    const { coinUsdAt } = this.#deps;
    if (this.#journal.look === undefined && nowMs - this.#beganMs < blindMs) return [];
    return tokens.flatMap((token): ChangedRecord[] => {
      const entry = this.#entries.get(token);
      const changedAtMs = entry?.market?.changedMs ?? entry?.unknownMs;
      if (entry === undefined || changedAtMs === undefined || (changedAtMs <= sinceMs && !isFull)) return [];
      const record =
        entry.market?.record(this.#journal, { coinUsdAt, sinceMs, nowMs }) ?? this.#unknown(entry, nowMs);
      return [{ record, changedAtMs }];
    });
  }

  /** Describes an address that is no token. */
  #unknown({ name }: Entry, nowMs: number): MarketRecord {
    const { revision, head } = this;
    return recordWithoutMarket(name, "NO_POOL", { revision, head, nowMs });
  }

  /** Leaves pools that have more events than can be read. Their tokens have no price for a while. */
  leavePools(pools: ReadonlySet<string>): void {
    const nowMs = Date.now();
    for (const entry of this.#entries.values()) {
      const { market } = entry;
      if (market === undefined || !market.watched.some(({ pool }) => pools.has(pool))) continue;
      market.choose(undefined, nowMs);
      entry.findAtMs = nowMs + unknownMs;
      this.#deps.onFault(new FloodedPool());
    }
  }

  markets(nowMs: number): Market[] {
    return this.#markets.map((market) => market.market(this.#journal, nowMs));
  }

  get #markets(): TokenMarket[] {
    return [...this.#entries.values()].flatMap(({ market }) => market ?? []);
  }

  /** Looks once, if any token is wanted. Returns false if no look was taken. */
  async #look(nowMs: number): Promise<boolean> {
    if (!this.isWanted) return false;
    const { hosts } = this.#deps;
    const round = await lookRound(this.#journal, hosts, nowMs);
    if (round.isUnexplained) hosts.leaveHost();
    // Deliveries may have begun meanwhile: what changes now must be new to the next one.
    this.#refresh(Date.now());
    return round.isTaken;
  }

  /** Lets markets take what the journal knows, and watches their pools. */
  #refresh(nowMs: number): void {
    const { look, books } = this.#journal;
    const markets = [...this.#markets, ...[...this.#leaving].flatMap(({ market }) => market ?? [])];
    if (look !== undefined)
      for (const market of markets) market.refresh(this.#journal, { blockTime: look.time, nowMs });
    const coinUsd = this.#deps.coinUsdAt(intervalStart(Math.floor(nowMs / 1000), "1m"));
    for (const market of markets) market.judge(this.#journal, coinUsd, nowMs);
    for (const entry of this.#entries.values()) this.#noteBases(entry);
    const watched = new Map(markets.flatMap((market) => market.watched.map((pool) => [pool.pool, pool])));
    for (const pool of books.keys()) if (!watched.has(pool)) books.delete(pool);
    for (const pool of watched.values()) watchPool(this.#journal, pool, nowMs);
  }

  /**
   * Asks for the history of the minutes in between if a pool had to start over. One that follows another pool has none: its
   * minutes would be mixed with those of that pool.
   */
  #noteBases(entry: Entry): void {
    const { market, begun } = entry;
    const pool = market?.reference?.pool ?? begun.pool;
    const kept = this.#bookOf(entry)?.bases ?? [];
    if (market !== undefined && begun.pool !== undefined && begun.pool !== pool) {
      entry.isHistoryDue = false;
      if (market.history === "loading") market.history = "unavailable";
    } else if (begun.bases.length > 0 && !kept.some(({ hash }) => begun.bases.includes(hash)))
      entry.isHistoryDue = true;
    entry.begun = { pool, bases: kept.map(({ hash }) => hash) };
  }

  async #prove(): Promise<void> {
    if (this.#entries.size === 0) return;
    const nowMs = Date.now();
    const { proven } = await proofRound(this.#journal, this.#deps.hosts, nowMs);
    if (proven.length > 0) this.#refresh(Date.now());
  }

  /** Finds new tokens, and measures the pools of known ones again. */
  async #find(): Promise<void> {
    const nowMs = Date.now();
    const due = [...this.#entries.values()].filter(({ isBusy, findAtMs }) => !isBusy && findAtMs <= nowMs);
    // New tokens first.
    const sorted = due.toSorted((a, b) => Number(a.market !== undefined) - Number(b.market !== undefined));
    await forEachConcurrently(sorted, { concurrency: findsAtOnce }, async (entry) => {
      entry.isBusy = true;
      await this.#steps.survive(() =>
        entry.market === undefined ? this.#join(entry) : this.#measure(entry),
      );
      entry.isBusy = false;
    });
  }

  async #ask(entry: Entry): Promise<FoundMarket | undefined> {
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

  /** Starts with a token: continues the last run, or starts over. */
  async #join(entry: Entry): Promise<void> {
    const { store } = this.#deps;
    const stored = await store.readMarket(entry.name);
    const isRecent = stored !== undefined && Date.now() - Date.parse(stored.market.asOf) <= mostBehindMs;
    const found = isRecent ? { token: stored.market, pools: stored.state.pools } : await this.#ask(entry);
    if (found === undefined) return;
    const minutes = await this.#stored(entry.name, "minutes");
    const hours = await this.#stored(entry.name, "hours");
    const nowMs = Date.now();
    if (isRecent) entry.findAtMs = nowMs + measuredMs.held;
    const bases = isRecent ? stored.state.bases : [];
    const history = bases.length > 0 ? (stored?.market.history ?? "loading") : "loading";
    const firstSeenAt = stored?.market.firstSeenAt ?? new Date(nowMs).toISOString();
    const market = new TokenMarket(found, { firstSeenAt, history, nowMs });
    market.restore(minutes, nowMs);
    entry.saving.restore(minutes, hours, nowMs);
    const last = stored?.market.pool?.pool;
    const before = isRecent ? { pool: last, rivals: {} } : noReference;
    const pool = this.#choose(entry, market, before, nowMs);
    if (pool !== undefined) {
      watchPool(this.#journal, pool, nowMs, pool.pool === last ? bases : []);
      const book = this.#journal.books.get(pool.pool);
      if (book !== undefined) addShown(book, minutes);
    } else entry.saving.hasten();
    entry.isHistoryDue = history === "loading";
    entry.market = market;
  }

  /** Chooses the reference among a token's pools as they were measured last. */
  #choose(entry: Entry, market: TokenMarket, before: ReferenceChoice, nowMs: number): FoundPool | undefined {
    entry.choice = chooseReference(before, market.pools, nowMs);
    const chosen = market.pools.find(({ pool }) => pool === entry.choice.pool);
    market.choose(chosen, nowMs);
    return chosen;
  }

  /** Reads the stored candles of the last day. */
  #stored(name: TokenName, kind: "minutes" | "hours") {
    const now = Math.floor(Date.now() / 1000);
    return this.#deps.store.loadCandles(name, kind, {
      from: intervalStart(now - daySeconds, "1h"),
      to: now,
    });
  }

  async #measure(entry: Entry): Promise<void> {
    const found = await this.#ask(entry);
    const nowMs = Date.now();
    if (found === undefined) return;
    if (entry.market === undefined) return;
    entry.market.find(found, nowMs);
    this.#choose(entry, entry.market, entry.choice, nowMs);
  }

  /** Reads what the minutes in which pools began had before. */
  async #completeBeginnings(): Promise<void> {
    const nowMs = Date.now();
    const begun = [...this.#entries.values()].filter((entry) => {
      const book = this.#bookOf(entry);
      return book !== undefined && isBegunInside(book) && entry.beginnings.isDue(nowMs);
    });
    await forEachConcurrently(begun, { concurrency: findsAtOnce }, async (entry) => {
      entry.beginnings.begin(nowMs);
      const book = this.#bookOf(entry);
      if (book === undefined) return;
      await this.#steps.survive(() => readFirstMinute(this.#journal, this.#deps.hosts, book));
      if (!isBegunInside(book)) entry.saving.hasten();
    });
  }

  /** Has the minutes before tokens were first wanted read. */
  async #completeHistories(): Promise<void> {
    const nowMs = Date.now();
    const due = [...this.#entries.values()].filter(
      (entry) =>
        entry.isHistoryDue && entry.histories.isDue(nowMs) && this.#bookOf(entry)?.bases[0] !== undefined,
    );
    await forEachConcurrently(due, { concurrency: historiesAtOnce }, async (entry) => {
      entry.histories.begin(nowMs);
      await this.#steps.survive(() => this.#completeHistory(entry));
    });
  }

  /** Returns the journal's book of a token's reference pool. */
  #bookOf({ market }: Entry): PoolBook | undefined {
    return this.#journal.books.get(market?.reference?.pool ?? "");
  }

  async #completeHistory(entry: Entry): Promise<void> {
    const { market } = entry;
    const pool = market?.reference;
    const base = pool && this.#journal.books.get(pool.pool)?.bases[0];
    if (market === undefined || pool === undefined || base === undefined) return;
    market.history = await this.#deps.loadHistory(pool, base);
    entry.isHistoryDue = false;
    entry.histories.succeed();
    market.restore(await this.#stored(entry.name, "minutes"), Date.now());
    entry.saving.hasten();
  }

  /** Stores what is due in this second, and tokens that nobody wants any more. */
  async #saveDue(writer: TokenWriter<MarketState>): Promise<void> {
    const nowMs = Date.now();
    const due = [...this.#entries.values()].filter(({ saving }) => saving.isDue(nowMs));
    await this.#saveEach(due, (entry) => this.#save(entry, writer, { isLast: false }));
    await this.#saveEach([...this.#leaving], async (entry) => {
      await this.#save(entry, writer, { isLast: true });
      this.#leaving.delete(entry);
    });
  }

  /** Stores everything at the end of the run. */
  async #saveAll(writer: TokenWriter<MarketState>): Promise<void> {
    if (this.#steps.isSuperseded) return;
    const entries = [...this.#entries.values(), ...this.#leaving];
    await this.#saveEach(entries, (entry) => this.#save(entry, writer, { isLast: true }));
  }

  async #saveEach(entries: readonly Entry[], save: (entry: Entry) => Promise<void>): Promise<void> {
    await forEachConcurrently(entries, { concurrency: savesAtOnce }, async (entry) => {
      if (!this.#steps.isSuperseded) await this.#steps.survive(() => save(entry));
    });
  }

  async #save(
    entry: Entry,
    writer: TokenWriter<MarketState>,
    { isLast }: { isLast: boolean },
  ): Promise<void> {
    const { market, wanted, saving } = entry;
    if (market === undefined) return;
    const { revision } = this.#journal;
    const nowMs = Date.now();
    // All at the same time: what is before the last base of the state is never read again.
    this.#refresh(nowMs);
    const row = {
      market: market.market(this.#journal, nowMs),
      state: market.state(this.#journal, this.head?.time ?? 0),
    };
    const unsaved = { market, row, revision, wantedMs: wanted.wantedMs, isLast };
    await saving.save(this.#deps.store, writer, unsaved, nowMs);
  }
}
