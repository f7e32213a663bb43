import type { EvmReader } from "../../chains/evm/venues/reader.ts";
import { chainFacts, type EvmChain } from "../../core/chain-facts.ts";
import { ServiceError } from "../../core/service-error.ts";
import { delay } from "../../core/time.ts";
import type { Table } from "../../table/table.ts";
import { intervalStart } from "../core/candles.ts";
import type { CoinUsdAt } from "../core/coin-series.ts";
import type { HistoryState, Market } from "../core/market.ts";
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
import { RunSteps } from "../runs/run-steps.ts";
import { TokenEntries } from "../runs/token-entries.ts";
import { tokenStore } from "../runs/token-store.ts";
import { marketHosts, type ReaderHosts } from "./hosts.ts";
import type { HistoryOrder } from "./load-history.ts";
import { EvmPoolFinder } from "./pools.ts";
import { type Journal, newJournal, watchPool } from "./rules/journal.ts";
import { lookRound } from "./rules/look-round.ts";
import { proofRound } from "./rules/proof-round.ts";
import type { MarketState } from "./rules/token-market.ts";
import type { WatchedPool } from "./rules/watched-pool.ts";
import { TokenEntry } from "./token-entry.ts";
import { type FindingDeps, TokenFinding, unknownMs } from "./token-finding.ts";
import { type PastDeps, TokenPast } from "./token-past.ts";

export type EvmMarketsDeps = {
  chain: EvmChain;
  hosts: ReaderHosts;
  find: FindingDeps["find"];
  store: TokenStore<MarketState>;
  loadHistory: PastDeps["loadHistory"];
  countHistory: PastDeps["countHistory"];
  uncountHistory: PastDeps["uncountHistory"];
  coinUsdAt: CoinUsdAt;
  /** Receives errors. The run continues. */
  onFault: (error: unknown) => void;
  /** Receives errors that no operator can mend, since strangers cause them. */
  onWarning: (error: unknown) => void;
};

/** Bounds for the time between two looks, which otherwise equals the time between blocks. */
const pauses = { leastMs: 1000, mostMs: 2000 };

/** Time without a look after which stored markets are sent, although they are older than the data that clients have. */
const blindMs = 15_000;

/** Interval at which a run starts its tasks other than looks. */
const stepMs = 1000;

/** Reads the markets of an EVM chain. */
export class EvmMarkets implements ChainMarkets {
  readonly chain: EvmChain;
  readonly #deps: EvmMarketsDeps;
  readonly #journal: Journal;
  readonly #entries: TokenEntries<TokenEntry, MarketState>;
  readonly #steps: RunSteps;
  readonly #finding: TokenFinding;
  readonly #past: TokenPast;
  #beganMs = 0;

  constructor(deps: EvmMarketsDeps) {
    this.chain = deps.chain;
    this.#deps = deps;
    this.#journal = newJournal(deps.chain);
    this.#steps = new RunSteps(deps.onFault);
    this.#entries = new TokenEntries({
      create: (wanted) => new TokenEntry(this.chain, wanted),
      save: (...saved) => this.#save(...saved),
      steps: this.#steps,
    });
    const shared = { journal: this.#journal, steps: this.#steps };
    this.#finding = new TokenFinding({ ...deps, ...shared });
    this.#past = new TokenPast({ ...deps, ...shared });
  }

  get head() {
    const { look } = this.#journal;
    return look && { block: look.number, time: look.time };
  }

  want(tokens: readonly WantedToken[]): void {
    this.#entries.want(tokens);
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
      repeat(stepMs, () => this.#finding.find(this.#entries.all)),
      repeat(stepMs, () => this.#past.completeBeginnings(this.#entries.all)),
      repeat(stepMs, () => this.#past.completeHistories(this.#entries.all)),
      repeat(stepMs, () => this.#entries.saveDue(writer)),
    ]);
    await this.#past.emptied();
    await this.#entries.saveAll(writer);
  }

  records(tokens: readonly string[], wanted: WantedRecords, nowMs: number): ChangedRecord[] {
    if (this.#journal.look === undefined && nowMs - this.#beganMs < blindMs) return [];
    const { coinUsdAt } = this.#deps;
    return this.#entries.records(tokens, wanted, { view: this.#journal, coinUsdAt, nowMs });
  }

  /** Stops reading pools with more events than can be read. Their tokens have no price for a while. */
  leavePools(pools: ReadonlySet<string>): void {
    const nowMs = Date.now();
    for (const entry of this.#entries.all) {
      const { market } = entry;
      if (market === undefined || !market.watched.some(({ pool }) => pools.has(pool))) continue;
      market.choose(undefined, nowMs);
      entry.findAtMs = nowMs + unknownMs;
      this.#deps.onWarning(new ServiceError("A pool has too many events", { code: "FLOODED_POOL" }));
    }
  }

  markets(nowMs: number): Market[] {
    return this.#entries.markets(this.#journal, nowMs);
  }

  /** Looks once if any token is wanted. Returns false if no look was taken. */
  async #look(nowMs: number): Promise<boolean> {
    if (!this.isWanted) return false;
    const { hosts } = this.#deps;
    const round = await lookRound(this.#journal, hosts, nowMs);
    if (round.isUnexplained) hosts.leaveHost();
    // A delivery may have begun while the hosts were queried, so the changes must be newer than that delivery.
    this.#refresh(Date.now());
    return round.isTaken;
  }

  /** Updates the markets from the journal and watches their pools. */
  #refresh(nowMs: number): void {
    const { look, books } = this.#journal;
    const markets = this.#entries.kept.flatMap(({ market }) => market ?? []);
    if (look !== undefined)
      for (const market of markets) market.refresh(this.#journal, { blockTime: look.time, nowMs });
    const coinUsd = this.#deps.coinUsdAt(intervalStart(Math.floor(nowMs / 1000), "1m"));
    for (const market of markets) market.judge(this.#journal, coinUsd, nowMs);
    for (const entry of this.#entries.all) this.#past.noteBases(entry);
    const watched = new Map(markets.flatMap((market) => market.watched.map((pool) => [pool.pool, pool])));
    for (const pool of books.keys()) if (!watched.has(pool)) books.delete(pool);
    for (const pool of watched.values()) watchPool(this.#journal, pool, nowMs);
  }

  async #prove(): Promise<void> {
    if (this.#entries.size === 0) return;
    const nowMs = Date.now();
    const { proven } = await proofRound(this.#journal, this.#deps.hosts, nowMs);
    if (proven.length > 0) this.#refresh(Date.now());
  }

  async #save(
    entry: TokenEntry,
    writer: TokenWriter<MarketState>,
    { isLast }: { isLast: boolean },
  ): Promise<void> {
    const { market, wanted, saving } = entry;
    if (market === undefined) return;
    const { revision } = this.#journal;
    const nowMs = Date.now();
    // Takes all parts of the row at the same moment, because nothing before the last base of the stored state is ever
    // read again.
    this.#refresh(nowMs);
    const row = {
      market: market.market(this.#journal, nowMs),
      state: market.state(this.#journal, this.head?.time ?? 0),
    };
    const unsaved = { market, row, revision, wantedMs: wanted.wantedMs, isLast };
    await saving.save(this.#deps.store, writer, unsaved, nowMs);
  }
}

export type EvmMarketPorts = {
  table: Table;
  coinUsdAt: CoinUsdAt;
  /** Invokes loadHistory and waits for its result. */
  loadHistory: (order: HistoryOrder) => Promise<HistoryState>;
  onFault: (error: unknown) => void;
  /** Receives the first error each time that all of the chain's hosts fail, and pools with too many events. */
  onWarning: (error: unknown) => void;
};

export function openEvmMarkets(reader: EvmReader, ports: EvmMarketPorts): EvmMarkets {
  const { table, coinUsdAt, onFault, onWarning } = ports;
  const { chain } = reader;
  const finder = new EvmPoolFinder(reader);
  const markets: EvmMarkets = new EvmMarkets({
    chain,
    hosts: marketHosts(reader, { onSilence: onWarning, onFlood: (pools) => markets.leavePools(pools) }),
    find: (token) => finder.find(token),
    store: tokenStore(table),
    loadHistory: (pool, { block, time }) =>
      ports.loadHistory({
        name: { chain, token: pool.token },
        pool: watchedOf(pool),
        first: { block, time },
      }),
    countHistory: (userID, now) => countHistory(table, userID, now),
    uncountHistory: (userID, countedAt) => uncountHistory(table, userID, countedAt),
    coinUsdAt,
    onFault,
    onWarning,
  });
  return markets;
}

/** Omits fields that JSON cannot represent, such as the depth. */
const watchedOf = (pool: WatchedPool): WatchedPool => ({
  pool: pool.pool,
  quote: pool.quote,
  venue: pool.venue,
  token: pool.token,
  decimals: pool.decimals,
  quoteDecimals: pool.quoteDecimals,
  isTokenFirst: pool.isTokenFirst,
});
