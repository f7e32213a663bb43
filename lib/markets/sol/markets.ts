import { ChainUnavailable } from "../../chains/hosts/host-fault.ts";
import type { SolReader } from "../../chains/sol/venues/reader.ts";
import { delay } from "../../core/time.ts";
import type { Table } from "../../table/table.ts";
import { intervalStart } from "../core/candles.ts";
import type { CoinUsdAt } from "../core/coin-series.ts";
import { type Market, type MarketFlag, marketNow, type TokenPools } from "../core/market.ts";
import type { ChangedRecord } from "../core/market-delivery.ts";
import { marketFlagsOf } from "../core/market-facts.ts";
import type { MarketRecord } from "../core/market-record.ts";
import { recordOf, recordWithoutMarket } from "../core/record-of.ts";
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
import { rowMs, tokenStore } from "../runs/token-store.ts";
import { SolPoolReader } from "./pools.ts";

export type SolMarketsDeps = {
  /**
   * Reads tokens with their pools, the deepest first. Undefined if the host shows an older slot than before.
   *
   * @throws {ChainUnavailable}
   */
  readPools: (tokens: readonly string[]) => Promise<ReadonlyMap<string, TokenPools> | undefined>;
  store: TokenStore;
  coinUsdAt: CoinUsdAt;
  /** Receives the first error each time that all of the chain's hosts fail. */
  onWarning: (error: unknown) => void;
  /** Receives errors. The run continues. */
  onFault: (error: unknown) => void;
};

const pauseMs = 2000;

type Entry = {
  wanted: WantedToken;
  market?: Market;
  flags: readonly MarketFlag[];
  /** Time of the last change. Undefined until it is known whether the address is a token. */
  changedMs?: number;
  rowAtMs: number;
};

/**
 * Reads the prices and depths of Solana tokens. Solana's pools keep no events that two hosts could prove, so there are
 * no minute candles.
 */
export class SolMarkets implements ChainMarkets {
  readonly chain = "sol";
  readonly #deps: SolMarketsDeps;
  readonly #entries = new Map<string, Entry>();
  #head: ChainMarkets["head"];
  #revision = 0;
  #isSilent = false;
  readonly #steps: RunSteps;

  constructor(deps: SolMarketsDeps) {
    this.#deps = deps;
    this.#steps = new RunSteps(deps.onFault);
  }

  get head() {
    return this.#head;
  }

  get revision(): number {
    return this.#revision;
  }

  get isWanted(): boolean {
    return this.#entries.size > 0;
  }

  want(tokens: readonly WantedToken[]): void {
    const names = new Set(tokens.map(({ token }) => token));
    for (const token of this.#entries.keys()) if (!names.has(token)) this.#entries.delete(token);
    for (const wanted of tokens) {
      const known = this.#entries.get(wanted.token);
      if (known !== undefined) known.wanted = wanted;
      else this.#entries.set(wanted.token, { wanted, flags: [], rowAtMs: 0 });
    }
  }

  async look(): Promise<boolean | undefined> {
    return this.isWanted ? this.#look() : undefined;
  }

  async read(run: MarketRun): Promise<void> {
    const writer = this.#deps.store.writer(run.epoch);
    this.#revision = revisionFrom(run.epoch);
    for (; !run.isOver && !this.#steps.isSuperseded; await delay(pauseMs)) {
      if (!this.isWanted) continue;
      await this.#steps.survive(() => this.#look());
      await this.#steps.survive(() => this.#save(writer));
    }
  }

  records(tokens: readonly string[], { sinceMs, isFull }: WantedRecords, nowMs: number): ChangedRecord[] {
    const coinUsd = this.#coinUsd(nowMs);
    return tokens.flatMap((token): ChangedRecord[] => {
      const { market, flags = [], changedMs } = this.#entries.get(token) ?? {};
      if (changedMs === undefined || (changedMs <= sinceMs && !isFull)) return [];
      const record = market ? recordOf(market, { coinUsd, flags }) : this.#unknown(token, nowMs);
      return [{ record, changedAtMs: changedMs }];
    });
  }

  markets(): Market[] {
    return [...this.#entries.values()].flatMap(({ market }) => market ?? []);
  }

  #coinUsd(nowMs: number) {
    return this.#deps.coinUsdAt(intervalStart(Math.floor(nowMs / 1000), "1m"));
  }

  /** Describes an address that is not a token. */
  #unknown(token: string, nowMs: number): MarketRecord {
    const { chain, revision, head } = this;
    return recordWithoutMarket({ chain, token }, "NO_POOL", { revision, head, nowMs });
  }

  async #look(): Promise<boolean> {
    const tokens = [...this.#entries.keys()];
    const found = await this.#answered(this.#deps.readPools(tokens));
    const nowMs = Date.now();
    for (const token of found ? tokens : []) this.#take(token, found?.get(token), nowMs);
    const coinUsd = this.#coinUsd(nowMs);
    for (const entry of this.#entries.values()) {
      const { market } = entry;
      if (market === undefined) continue;
      const flags = marketFlagsOf(market, { coinUsd, headTime: this.#head?.time ?? 0, nowMs });
      if (String(flags) !== String(entry.flags)) entry.changedMs = nowMs;
      entry.flags = flags;
    }
    return found !== undefined;
  }

  async #answered<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
    try {
      const given = await answer;
      this.#isSilent = false;
      return given;
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error;
      if (!this.#isSilent) this.#deps.onWarning(error);
      this.#isSilent = true;
      return undefined;
    }
  }

  #take(token: string, found: TokenPools | undefined, nowMs: number): void {
    const entry = this.#entries.get(token);
    if (entry === undefined) return;
    if (found === undefined) {
      entry.changedMs ??= nowMs;
      return;
    }
    const { block } = found;
    if (block.number >= (this.#head?.block ?? 0)) this.#head = { block: block.number, time: block.time };
    const before = entry.market;
    const asOf = new Date(nowMs).toISOString();
    const market = marketNow(found, {
      revision: this.#revision,
      history: "unavailable",
      asOf,
      firstSeenAt: before?.firstSeenAt ?? asOf,
    });
    entry.market = market;
    if (before === undefined || shownOf(before) !== shownOf(market)) entry.changedMs = nowMs;
  }

  /** Stores markets that are due, without changing the time when a token was first seen. */
  async #save(writer: TokenWriter): Promise<void> {
    const nowMs = Date.now();
    for (const entry of this.#entries.values()) {
      const { market, wanted } = entry;
      if (market === undefined || nowMs < entry.rowAtMs) continue;
      if (entry.rowAtMs === 0) {
        const stored = await this.#deps.store.readMarket(market);
        market.firstSeenAt = stored?.market.firstSeenAt ?? market.firstSeenAt;
      }
      entry.rowAtMs = nowMs + rowMs;
      await writer.saveMarket({ market, state: {} }, new Date(wanted.wantedMs));
    }
  }
}

export type SolMarketPorts = Omit<SolMarketsDeps, "readPools" | "store"> & { table: Table };

export function openSolMarkets(reader: SolReader, { table, ...ports }: SolMarketPorts): SolMarkets {
  const pools = new SolPoolReader(reader);
  return new SolMarkets({ ...ports, readPools: (tokens) => pools.read(tokens), store: tokenStore(table) });
}

/** Returns the part of a market that clients see. Omits the slot, which changes all the time. */
const shownOf = ({ price, pool, pools }: Market): string =>
  JSON.stringify([price, pool, pools], (_, value) => (typeof value === "bigint" ? `${value}` : value));
