import type { Decimal } from "../../core/decimal.ts";
import { nativeToken } from "../../orders/trading-chain.ts";
import type { Candle } from "./candle.ts";
import { intervalStart, withNewPool } from "./candles.ts";
import type { CoinUsdAt } from "./coin-series.ts";
import { DayWindow } from "./day-window.ts";
import {
  type DayStatistics,
  type HistoryState,
  type Market,
  type MarketFlag,
  type MarketPool,
  type MarketToken,
  marketPoolOf,
  type TokenName,
} from "./market.ts";
import { marketFlagsOf } from "./market-facts.ts";
import type { MarketRecord, MinuteRecord } from "./market-record.ts";
import { minuteRecordOf, recordOf } from "./record-of.ts";

/** A token and its pools, found before its market is read. */
export type TokenWithPools<Pool extends MarketPool> = { token: MarketToken; pools: readonly Pool[] };

/** A moment as a reader sees it: the time of its last block in epoch seconds, and its own clock. */
export type ReaderTime = { blockTime: number; nowMs: number };

/** The last block that a reader has seen. The revision grows when something that clients were shown is taken back. */
export type ChainView = { look: { number: number; time: number } | undefined; revision: number };

/** Access to a reader's knowledge about the pools that it watches, by their addresses. */
export type PoolBooks = {
  priceIn: (pool: string) => Decimal | undefined;
  /** Returns the time from which on the pool's swaps are known. Undefined until then. */
  knownFrom: (pool: string) => number | undefined;
  /** Takes the minute candles that have changed since they were last taken. Undefined if the pool is not watched. */
  takeMinutes: (pool: string, time: ReaderTime) => Candle[] | undefined;
};

/** A reference pool, and the first minute in which it is the reference. */
type Reign<Pool> = { pool: Pool; from: number };

const minuteSeconds = 60;

/**
 * Time after which every client counts as having got a changed minute candle. A client that missed it gets all of its
 * tokens again.
 */
const shownMs = 120_000;

/** Age of the oldest final minute candles that a run sends again when it continues another one, in seconds. */
const repeatedSeconds = 300;

/** Time for which a former reference pool is still watched, until its last minutes are final. */
const farewellSeconds = 180;

/** The market of a token that somebody wants, as a run of readMarkets knows it. */
export class MarketBook<Pool extends MarketPool> {
  readonly name: TokenName;
  readonly #firstSeenAt: string;
  readonly #window = new DayWindow();
  /** Last minute candles of the reference pools, by start. */
  readonly #minutes = new Map<number, { candle: Candle; changedMs: number }>();
  readonly #unsaved = new Map<number, Candle>();
  #token: MarketToken;
  #pools: readonly Pool[];
  #reigns: readonly Reign<Pool>[] = [];
  /** The pool that becomes the reference pool once its minute candles are known. */
  #next: Pool | undefined;
  #price: Decimal | undefined;
  #changedMs: number;
  #flags: readonly MarketFlag[] = [];
  #day: { minute: number; quote: string; statistics: DayStatistics; hasGaps: boolean } | undefined;
  history: HistoryState;

  constructor(
    found: TokenWithPools<Pool>,
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

  get token(): MarketToken {
    return this.#token;
  }

  get pools(): readonly Pool[] {
    return this.#pools;
  }

  /** Lists the pools that must be watched. */
  get watched(): Pool[] {
    const pools = this.#reigns.map(({ pool }) => pool);
    return this.#next === undefined ? pools : [...pools, this.#next];
  }

  /** Returns the pool that the price comes from, or soon will come from. */
  get reference(): Pool | undefined {
    return this.#next ?? this.#reigns.at(-1)?.pool;
  }

  get changedMs(): number {
    return this.#changedMs;
  }

  /** Takes newly found pools with their depths. */
  find({ token, pools }: TokenWithPools<Pool>, nowMs: number): void {
    this.#token = token;
    this.#pools = pools;
    const fresh = (pool: Pool) => pools.find((each) => each.pool === pool.pool) ?? pool;
    this.#reigns = this.#reigns.map(({ pool, from }) => ({ pool: fresh(pool), from }));
    this.#changedMs = nowMs;
  }

  /**
   * Makes a pool the reference pool: at once if the market has none, otherwise from the pool's first completely
   * known minute on. Undefined if no pool can be the reference pool.
   */
  choose(pool: Pool | undefined, nowMs: number): void {
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

  /** Takes what is known about the reference pools. */
  refreshFrom(books: PoolBooks, time: ReaderTime): void {
    this.#succeed(books, time);
    const changed: Candle[] = [];
    for (const [index, { pool, from }] of this.#reigns.entries()) {
      const until = this.#reigns[index + 1]?.from ?? Number.POSITIVE_INFINITY;
      const minutes = books.takeMinutes(pool.pool, time) ?? [];
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
    const price = this.#currentPrice(books, time);
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
  #succeed(books: PoolBooks, { blockTime }: ReaderTime): void {
    const knownFrom = this.#next && books.knownFrom(this.#next.pool);
    if (this.#next !== undefined && knownFrom !== undefined) {
      const from = intervalStart(Math.max(knownFrom, blockTime), "1m") + minuteSeconds;
      this.#reigns = [...this.#reigns, { pool: this.#next, from }];
      this.#next = undefined;
    }
    const [, second] = this.#reigns;
    if (second !== undefined && blockTime >= second.from + farewellSeconds)
      this.#reigns = this.#reigns.slice(1);
  }

  #reignAt(blockTime: number): Reign<Pool> | undefined {
    return this.#reigns.findLast(({ from }) => from <= blockTime);
  }

  /** Returns the reference pool at a time in epoch seconds. */
  poolAt(blockTime: number): Pool | undefined {
    return this.#reignAt(blockTime)?.pool;
  }

  #currentPrice(books: PoolBooks, { blockTime }: ReaderTime): Decimal | undefined {
    const pool = this.poolAt(blockTime);
    return pool && books.priceIn(pool.pool);
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
  judge(view: ChainView, coinUsd: Decimal | undefined, nowMs: number): void {
    const headTime = view.look?.time ?? 0;
    const flags = marketFlagsOf(this.market(view, nowMs), { coinUsd, headTime, nowMs });
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
  market({ look, revision }: ChainView, nowMs: number): Market {
    const blockTime = look?.time ?? 0;
    const pool = this.poolAt(blockTime);
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

  /**
   * Describes the market for clients.
   *
   * @param sinceMs Time of change from which minute candles are included. The minute that has not ended is always
   * included.
   */
  record(
    view: ChainView,
    { coinUsdAt, sinceMs, nowMs }: { coinUsdAt: CoinUsdAt; sinceMs: number; nowMs: number },
  ): MarketRecord {
    const market = this.market(view, nowMs);
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
