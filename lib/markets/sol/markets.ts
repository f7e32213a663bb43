import { ChainUnavailable } from "../../chains/hosts/host-fault.ts";
import type { SolReader } from "../../chains/sol/venues/reader.ts";
import { forEachConcurrently } from "../../core/concurrency.ts";
import { compare, type Decimal, multiply } from "../../core/decimal.ts";
import { delay } from "../../core/time.ts";
import type { Table } from "../../table/table.ts";
import { intervalStart } from "../core/candles.ts";
import type { CoinUsdAt } from "../core/coin-series.ts";
import { depthOf } from "../core/depth.ts";
import type { HistoryState, Market } from "../core/market.ts";
import type { ChainView } from "../core/market-book.ts";
import type { ChangedRecord } from "../core/market-delivery.ts";
import { countHistory, uncountHistory } from "../items/look-count.ts";
import {
  type ChainMarkets,
  type MarketRun,
  revisionFrom,
  type TokenStore,
  type TokenWriter,
  type WantedRecords,
  type WantedToken,
} from "../runs/chain-markets.ts";
import { Histories, type HistoriesDeps } from "../runs/histories.ts";
import { RunSteps } from "../runs/run-steps.ts";
import { TokenEntries } from "../runs/token-entries.ts";
import { tokenStore } from "../runs/token-store.ts";
import { type CountSwaps, swapCounter } from "./count-swaps.ts";
import { SolTokenFinder } from "./find-tokens.ts";
import type { SampledHistoryOrder } from "./load-history.ts";
import { type LookAtPools, poolLooks } from "./look-at-pools.ts";
import { PoolWatches } from "./pool-watches.ts";
import { decimalsOfCoin, depthOfAmounts, type SolPool } from "./pools.ts";
import { mostGapSeconds, samplesOf, settleMinute, unsettledMinutes } from "./rules/sample-book.ts";
import { type SampledState, SampledToken } from "./sampled-token.ts";
import { type SampledFindingDeps, SolFinding } from "./token-finding.ts";

export type SolMarketsDeps = Pick<SampledFindingDeps, "find"> & {
  look: LookAtPools;
  countSwaps: CountSwaps;
  /** Reads the minute candles before a pool's first sample and stores them. */
  loadHistory: (order: SampledHistoryOrder) => Promise<HistoryState>;
  countHistory: HistoriesDeps["countHistory"];
  uncountHistory: HistoriesDeps["uncountHistory"];
  /** True if the chain has a single host, which is trusted. */
  isAlone: boolean;
  store: TokenStore<SampledState>;
  coinUsdAt: CoinUsdAt;
  /** Receives the first error each time that all of the chain's hosts fail. */
  onWarning: (error: unknown) => void;
  /** Receives errors. The run continues. */
  onFault: (error: unknown) => void;
};

/** Interval between looks, and at which a run starts its other tasks. */
const stepMs = 1000;

/** Time without a look after which stored markets are sent, although they are older than the data that clients have. */
const blindMs = 15_000;

const minuteSeconds = 60;

/** Time after a minute in which hosts list all of its transactions, in seconds. */
const listedSeconds = 5;

/** Time after a minute from which its swaps are not counted any more, so that it becomes final, in seconds. */
const mostCountingSeconds = 90;

/** Number of pools whose swaps are counted at a time. */
const countsAtOnce = 3;

/** Number of successive looks without a pool after which its token's pools are searched again. */
const mostMissing = 3;

/** Time that must have passed since the last search. */
const restMs = 5000;

/** Shares of the shown depth between which a depth counts as unchanged until the next measurement. */
const unchanged = { from: { mantissa: 98n, exponent: -2 }, to: { mantissa: 102n, exponent: -2 } } as const;

/** Reads the markets of Solana: samples the states of pools each second, because pools keep no events. */
export class SolMarkets implements ChainMarkets {
  readonly chain = "sol";
  readonly #deps: SolMarketsDeps;
  readonly #watches: PoolWatches;
  readonly #entries: TokenEntries<SampledToken, SampledState>;
  readonly #finding: SolFinding;
  readonly #histories: Histories<SampledToken>;
  readonly #steps: RunSteps;
  #revision = 0;
  #beganMs = 0;
  #isSilent = false;

  constructor(deps: SolMarketsDeps) {
    this.#deps = deps;
    this.#steps = new RunSteps(deps.onFault);
    this.#watches = new PoolWatches(deps.isAlone);
    this.#entries = new TokenEntries({
      create: (wanted) => new SampledToken(wanted),
      save: (...saved) => this.#save(...saved),
      steps: this.#steps,
    });
    this.#histories = new Histories({ ...deps, steps: this.#steps });
    this.#finding = new SolFinding({ ...deps, watches: this.#watches, steps: this.#steps });
  }

  get head() {
    const { look } = this.#watches;
    return look && { block: look.number, time: look.time };
  }

  get revision(): number {
    return this.#revision;
  }

  get isWanted(): boolean {
    return this.#entries.size > 0;
  }

  get #view(): ChainView {
    return { look: this.#watches.look, revision: this.#revision };
  }

  /** Describes the chain as a token's market shows it: as old as the pool's last state while hosts contradict each other. */
  #viewOf(market: SampledToken["market"]): ChainView {
    const { look, revision } = this.#view;
    const watch = look && this.#watches.get(market?.poolAt(look.time)?.pool ?? "");
    const last = watch && watch.missing === 0 ? watch.book.last : undefined;
    const isOld = look && last && look.time - last.time > mostGapSeconds;
    return { look: isOld ? { number: last.slot, time: last.time } : look, revision };
  }

  want(tokens: readonly WantedToken[]): void {
    this.#entries.want(tokens);
  }

  async look(): Promise<boolean | undefined> {
    return this.isWanted ? this.#look() : undefined;
  }

  async read(run: MarketRun): Promise<void> {
    const writer = this.#deps.store.writer(run.epoch);
    this.#revision = revisionFrom(run.epoch);
    this.#beganMs = Date.now();
    const repeat = async (step: () => Promise<unknown>) => {
      for (; !run.isOver && !this.#steps.isSuperseded; await delay(stepMs)) await this.#steps.survive(step);
    };
    await Promise.all([
      repeat(() => this.#look()),
      repeat(() => this.#finding.find(this.#entries.all)),
      repeat(() => this.#settle()),
      repeat(async () => this.#histories.begin(this.#entries.all, (entry) => this.#historyOf(entry))),
      repeat(() => this.#entries.saveDue(writer)),
    ]);
    await this.#histories.emptied();
    await this.#entries.saveAll(writer);
  }

  records(tokens: readonly string[], wanted: WantedRecords, nowMs: number): ChangedRecord[] {
    if (this.#watches.look === undefined && nowMs - this.#beganMs < blindMs) return [];
    const { coinUsdAt } = this.#deps;
    return this.#entries.records(tokens, wanted, { view: this.#view, coinUsdAt, nowMs });
  }

  markets(nowMs: number): Market[] {
    return this.#entries.markets(this.#view, nowMs);
  }

  /** Looks once if any token is wanted. Returns false if no host answered. */
  async #look(): Promise<boolean> {
    if (!this.isWanted) return false;
    const looks = await this.#answered(this.#deps.look(this.#watches.all.map(({ pool }) => pool)));
    this.#watches.take(looks);
    // A delivery may have begun while the hosts were asked, so the changes must be newer than that delivery.
    this.#refresh(Date.now());
    return looks.length > 0;
  }

  async #answered<Each>(answer: Promise<readonly Each[]>): Promise<readonly Each[]> {
    try {
      const given = await answer;
      this.#isSilent = false;
      return given;
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error;
      if (!this.#isSilent) this.#deps.onWarning(error);
      this.#isSilent = true;
      return [];
    }
  }

  /** Updates the markets from what is known about their pools. */
  #refresh(nowMs: number): void {
    const { look, books } = this.#watches;
    const coinUsd = this.#deps.coinUsdAt(intervalStart(Math.floor(nowMs / 1000), "1m"));
    const watched = new Set<string>();
    for (const entry of this.#entries.kept) {
      const { market } = entry;
      if (market === undefined) continue;
      for (const pool of market.watched) {
        this.#watches.watch(pool, market.token.decimals);
        watched.add(pool.pool);
      }
      if (look !== undefined) market.refreshFrom(books, { blockTime: look.time, nowMs });
      this.#noteDepth(entry, nowMs);
      market.judge(this.#viewOf(market), coinUsd, nowMs);
    }
    this.#watches.keep(watched);
  }

  /** Takes the depth from the last state if it has changed, and searches for pools again if the pool does not trade. */
  #noteDepth(entry: SampledToken, nowMs: number): void {
    const { market } = entry;
    const reference = market?.reference;
    const watch = reference && this.#watches.get(reference.pool);
    if (market === undefined || reference === undefined || watch === undefined) return;
    if (watch.missing >= mostMissing) entry.findAtMs = Math.min(entry.findAtMs, entry.askedMs + restMs);
    const { last } = watch.book;
    if (last === undefined) return;
    const depth = depthOf(depthOfAmounts(last), decimalsOfCoin);
    if (!hasChanged(reference.depth, depth)) return;
    const withDepth = (pool: SolPool) => (pool.pool === reference.pool ? { ...pool, depth } : pool);
    market.find({ token: market.token, pools: market.pools.map(withDepth) }, nowMs);
  }

  /** Returns the function that reads a token's history. Undefined until its pool has been sampled. */
  #historyOf({ market, name: { token } }: SampledToken): (() => Promise<HistoryState>) | undefined {
    const pool = market?.reference;
    const first = pool && this.#watches.get(pool.pool)?.book.first;
    if (market === undefined || pool === undefined || first === undefined) return undefined;
    const { pool: address, quote, venue, accounts } = pool;
    return () =>
      this.#deps.loadHistory({
        name: { chain: "sol", token },
        pool: { pool: address, quote, venue, accounts },
        decimals: market.token.decimals,
        first: { block: first.slot, time: first.time },
      });
  }

  /** Counts the swaps of the minutes that are over, unless there are too many, and settles these minutes. */
  async #settle(): Promise<void> {
    const now = () => this.#watches.look?.time ?? 0;
    const due = this.#watches.all.flatMap((watch) =>
      unsettledMinutes(watch.book)
        .filter((start) => now() >= start + minuteSeconds + listedSeconds)
        .map((start) => ({ ...watch, start })),
    );
    await forEachConcurrently(due, { concurrency: countsAtOnce }, async ({ pool, book, start }) => {
      const samples = samplesOf(book, start);
      // Takes the time again, because minutes that wait for many others must become final before they are forgotten.
      const isLate = now() >= start + minuteSeconds + mostCountingSeconds;
      const sums =
        samples && !isLate ? await this.#steps.given(() => this.#deps.countSwaps(pool, samples)) : undefined;
      settleMinute(book, start, sums);
    });
  }

  async #save(
    entry: SampledToken,
    writer: TokenWriter<SampledState>,
    { isLast }: { isLast: boolean },
  ): Promise<void> {
    const { market, wanted, saving } = entry;
    if (market === undefined) return;
    const nowMs = Date.now();
    // Takes all parts of the row at the same moment, because the next run continues after the last state.
    this.#refresh(nowMs);
    const shown = market.market(this.#viewOf(market), nowMs);
    const last = this.#watches.get(shown.pool?.pool ?? "")?.book.last;
    const row = { market: shown, state: { pools: market.pools, ...(last && { last }) } };
    const unsaved = { market, row, revision: this.#revision, wantedMs: wanted.wantedMs, isLast };
    await saving.save(this.#deps.store, writer, unsaved, nowMs);
  }
}

/** True if a depth differs so much from the shown one that the difference is shown before the next measurement. */
const hasChanged = (shown: Decimal, depth: Decimal): boolean =>
  compare(depth, multiply(shown, unchanged.from)) < 0 || compare(depth, multiply(shown, unchanged.to)) > 0;

export type SolMarketPorts = Pick<SolMarketsDeps, "loadHistory" | "coinUsdAt" | "onWarning" | "onFault"> & {
  table: Table;
};

export function openSolMarkets(reader: SolReader, { table, ...ports }: SolMarketPorts): SolMarkets {
  const finder = new SolTokenFinder(reader);
  return new SolMarkets({
    ...ports,
    find: (tokens) => finder.find(tokens),
    look: poolLooks(reader),
    countSwaps: swapCounter(reader),
    countHistory: (userID, now) => countHistory(table, userID, now),
    uncountHistory: (userID, countedAt) => uncountHistory(table, userID, countedAt),
    isAlone: finder.isAlone,
    store: tokenStore(table),
  });
}
