import type { Decimal } from "../../../core/decimal.ts";
import { nativeToken } from "../../../orders/trading-chain.ts";
import type { Candle } from "../../core/candle.ts";
import { intervalStart, withNewPool } from "../../core/candles.ts";
import type { CoinUsdAt } from "../../core/coin-series.ts";
import { DayWindow } from "../../core/day-window.ts";
import {
  type DayStatistics,
  type HistoryState,
  type Market,
  type MarketFlag,
  type MarketPool,
  type MarketToken,
  marketPoolOf,
  type TokenName,
} from "../../core/market.ts";
import { marketFlagsOf } from "../../core/market-facts.ts";
import type { MarketRecord, MinuteRecord } from "../../core/market-record.ts";
import { minuteRecordOf, recordOf } from "../../core/record-of.ts";
import type { Journal } from "./journal.ts";
import { basesToKeep, type PoolBase, type ReaderTime, takeChangedMinutes } from "./pool-book.ts";
import type { WatchedPool } from "./watched-pool.ts";

/** A pool that could be a token's reference pool. */
export type FoundPool = WatchedPool & MarketPool;

/** A token and its pools, found before its market is read. */
export type FoundMarket = { token: MarketToken; pools: readonly FoundPool[] };

/** Part of a market that only the next run needs. */
export type MarketState = {
  pools: readonly FoundPool[];
  /** States from which the minute candles of the reference pool can be continued, the oldest first. */
  bases: readonly PoolBase[];
};

/** A reference pool, and the first minute in which it is the reference. */
type Reign = { pool: FoundPool; from: number };

const minuteSeconds = 60;

/**
 * Time after which every client counts as having got a changed minute candle. A client that missed it gets all of its
 * tokens again.
 */
const shownMs = 120_000;

/** How far back a run that continues another one sends final minute candles again, in seconds. */
const repeatedSeconds = 300;

/** Time for which a former reference pool is still watched, until its last minutes are final. */
const farewellSeconds = 180;

/** The market of a token that somebody wants, as a run of readMarkets knows it. */
export class TokenMarket {
  readonly name: TokenName;
  readonly #firstSeenAt: string;
  readonly #window = new DayWindow();
  /** Last minute candles of the reference pools, by start. */
  readonly #minutes = new Map<number, { candle: Candle; changedMs: number }>();
  readonly #unsaved = new Map<number, Candle>();
  #token: MarketToken;
  #pools: readonly FoundPool[];
  #reigns: readonly Reign[] = [];
  /** The pool that becomes the reference pool once its minute candles are known. */
  #next: FoundPool | undefined;
  #price: Decimal | undefined;
  #changedMs: number;
  #flags: readonly MarketFlag[] = [];
  #day: { minute: number; quote: string; statistics: DayStatistics; hasGaps: boolean } | undefined;
  history: HistoryState;

  constructor(
    found: FoundMarket,
    { firstSeenAt, history, nowMs }: { firstSeenAt: string; history: HistoryState; nowMs: number },
  ) {
    const { chain, token } = found.token;
    this.name = { chain, token };
    this.#token = found.token;
    this.#pools = found.pools;
    this.#firstSeenAt = firstSeenAt;
    this.history = history;
    this.#changedMs = nowMs;
  }

  get pools(): readonly FoundPool[] {
    return this.#pools;
  }

  /** Lists the pools that must be watched. */
  get watched(): FoundPool[] {
    const pools = this.#reigns.map(({ pool }) => pool);
    return this.#next === undefined ? pools : [...pools, this.#next];
  }

  /** Returns the pool that the price comes from, or soon will come from. */
  get reference(): FoundPool | undefined {
    return this.#next ?? this.#reigns.at(-1)?.pool;
  }

  get changedMs(): number {
    return this.#changedMs;
  }

  /** Takes newly found pools with their depths. */
  find({ token, pools }: FoundMarket, nowMs: number): void {
    this.#token = token;
    this.#pools = pools;
    const fresh = (pool: FoundPool) => pools.find((each) => each.pool === pool.pool) ?? pool;
    this.#reigns = this.#reigns.map(({ pool, from }) => ({ pool: fresh(pool), from }));
    this.#changedMs = nowMs;
  }

  /**
   * Makes a pool the reference pool. If there is none yet, it takes effect at once, otherwise from the pool's first
   * completely known minute on. Undefined if no pool can be the reference pool.
   */
  choose(pool: FoundPool | undefined, nowMs: number): void {
    if (pool?.pool === this.reference?.pool) return;
    this.#changedMs = nowMs;
    if (pool === undefined || this.#reigns.length === 0) {
      this.#reigns = pool === undefined ? [] : [{ pool, from: 0 }];
      this.#next = undefined;
      this.#price = undefined;
    } else this.#next = pool.pool === this.#reigns.at(-1)?.pool.pool ? undefined : pool;
  }

  /**
   * Adds minute candles that were stored earlier. Clients may have missed the last ones that another run made final.
   */
  restore(minutes: readonly Candle[], nowMs: number): void {
    const foreign = minutes.filter(({ start }) => !this.#minutes.has(start));
    this.#window.put(foreign);
    for (const candle of foreign)
      if (candle.isFinal && candle.start >= nowMs / 1000 - repeatedSeconds)
        this.#minutes.set(candle.start, { candle, changedMs: nowMs });
    this.#day = undefined;
    this.#changedMs = nowMs;
  }

  /** Takes the journal's events of the reference pools. */
  refresh(journal: Journal, time: ReaderTime): void {
    this.#succeed(journal, time);
    const changed: Candle[] = [];
    for (const [index, { pool, from }] of this.#reigns.entries()) {
      const book = journal.books.get(pool.pool);
      if (book === undefined) continue;
      const until = this.#reigns[index + 1]?.from ?? Number.POSITIVE_INFINITY;
      const minutes = takeChangedMinutes(book, time);
      changed.push(...minutes.filter(({ start }) => start >= from && start < until));
    }
    for (const candle of changed) {
      this.#minutes.set(candle.start, { candle, changedMs: time.nowMs });
      this.#unsaved.set(candle.start, candle);
    }
    if (changed.length > 0) {
      this.#window.put(changed.toSorted((a, b) => a.start - b.start));
      this.#day = undefined;
    }
    const price = this.#currentPrice(journal, time);
    if (changed.length > 0 || !isSame(price, this.#price)) this.#changedMs = time.nowMs;
    this.#price = price;
    const oldest = intervalStart(time.blockTime, "1m") - minuteSeconds;
    for (const [start, { changedMs }] of this.#minutes)
      if (start < oldest && changedMs < time.nowMs - shownMs) this.#minutes.delete(start);
    this.#window.trim(time.blockTime);
  }

  /**
   * Replaces the reference pool once the minutes of the next one are known, and drops former reference pools when their
   * time is over.
   */
  #succeed(journal: Journal, { blockTime }: ReaderTime): void {
    const base = this.#next && journal.books.get(this.#next.pool)?.bases[0];
    if (this.#next !== undefined && base !== undefined) {
      const from = intervalStart(Math.max(base.time, blockTime), "1m") + minuteSeconds;
      this.#reigns = [...this.#reigns, { pool: this.#next, from }];
      this.#next = undefined;
    }
    const [, second] = this.#reigns;
    if (second !== undefined && blockTime >= second.from + farewellSeconds)
      this.#reigns = this.#reigns.slice(1);
  }

  #reignAt(blockTime: number): Reign | undefined {
    return this.#reigns.findLast(({ from }) => from <= blockTime);
  }

  #currentPrice(journal: Journal, { blockTime }: ReaderTime): Decimal | undefined {
    const pool = this.#reignAt(blockTime)?.pool;
    return pool && journal.books.get(pool.pool)?.price;
  }

  /** Returns the minute candles that are not stored yet. They then count as stored unless they are given back. */
  takeUnsaved(): Candle[] {
    const unsaved = [...this.#unsaved.values()].toSorted((a, b) => a.start - b.start);
    this.#unsaved.clear();
    return unsaved;
  }

  /** Gives back minute candles that could not be stored, except those that have changed in the meantime. */
  giveBack(minutes: readonly Candle[]): void {
    for (const candle of minutes)
      if (!this.#unsaved.has(candle.start)) this.#unsaved.set(candle.start, candle);
  }

  /** Computes the market's flags, which may change even if the chain produces no blocks. */
  judge(journal: Pick<Journal, "look" | "revision">, coinUsd: Decimal | undefined, nowMs: number): void {
    const headTime = journal.look?.time ?? 0;
    const flags = marketFlagsOf(this.market(journal, nowMs), { coinUsd, headTime, nowMs });
    if (String(flags) !== String(this.#flags)) this.#changedMs = nowMs;
    this.#flags = flags;
  }

  #dayAt(blockTime: number, quote: string = nativeToken) {
    const minute = intervalStart(blockTime, "1m");
    if (this.#day?.minute === minute && this.#day.quote === quote) return this.#day;
    const end = minute + minuteSeconds;
    const statistics = this.#window.statistics(quote, end);
    this.#day = { minute, quote, statistics, hasGaps: this.#window.hasGaps(end) };
    return this.#day;
  }

  /** State of the market when it was last checked. */
  market({ look, revision }: Pick<Journal, "look" | "revision">, nowMs: number): Market {
    const blockTime = look?.time ?? 0;
    const pool = this.#reignAt(blockTime)?.pool;
    const { statistics, hasGaps } = this.#dayAt(blockTime, pool?.quote);
    return {
      ...this.#token,
      ...(pool && { pool: marketPoolOf(pool) }),
      pools: this.#pools.length,
      ...(this.#price && { price: this.#price }),
      block: look?.number ?? 0,
      blockTime,
      asOf: new Date(nowMs).toISOString(),
      revision,
      day: statistics,
      hasGaps,
      // A market that has no pool has no history to load until it gets one.
      history: this.history === "loading" && this.reference === undefined ? "unavailable" : this.history,
      firstSeenAt: this.#firstSeenAt,
    };
  }

  /** Returns the state on which two hosts agree and from which the next run can continue. */
  state({ books }: Pick<Journal, "books">, blockTime: number): MarketState {
    const pool = this.#reignAt(blockTime)?.pool;
    const book = pool && books.get(pool.pool);
    return { pools: this.#pools, bases: book ? basesToKeep(book) : [] };
  }

  /**
   * Describes the market for clients.
   *
   * @param sinceMs Time of change from which minute candles are included. The minute that has not ended is always
   * included.
   */
  record(
    journal: Pick<Journal, "look" | "revision">,
    { coinUsdAt, sinceMs, nowMs }: { coinUsdAt: CoinUsdAt; sinceMs: number; nowMs: number },
  ): MarketRecord {
    const market = this.market(journal, nowMs);
    const coinUsd = coinUsdAt(intervalStart(Math.floor(nowMs / 1000), "1m"));
    const minutes = this.#minuteRecords(market.blockTime, sinceMs, coinUsdAt);
    return recordOf(market, { coinUsd, flags: this.#flags, minutes });
  }

  #minuteRecords(blockTime: number, sinceMs: number, coinUsdAt: CoinUsdAt): MinuteRecord[] {
    const open = intervalStart(blockTime, "1m");
    return [...this.#minutes.values()]
      .filter(({ candle, changedMs }) => changedMs > sinceMs || candle.start >= open)
      .toSorted((a, b) => a.candle.start - b.candle.start)
      .flatMap(({ candle }) => {
        const marked = withNewPool(candle, this.#window.poolBefore(candle.start));
        return minuteRecordOf(marked, coinUsdAt(candle.start)) ?? [];
      });
  }
}

const isSame = (a: Decimal | undefined, b: Decimal | undefined): boolean =>
  a?.mantissa === b?.mantissa && a?.exponent === b?.exponent;
