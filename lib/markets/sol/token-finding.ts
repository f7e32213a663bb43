import { ChainUnavailable } from "../../chains/hosts/host-fault.ts";
import { forEachConcurrently } from "../../core/concurrency.ts";
import type { Candle } from "../core/candle.ts";
import { MarketBook, type TokenWithPools } from "../core/market-book.ts";
import { chooseReference, noReference, type ReferenceChoice } from "../core/reference.ts";
import type { MarketItem } from "../items/market-items.ts";
import type { TokenStore } from "../runs/chain-markets.ts";
import type { RunSteps } from "../runs/run-steps.ts";
import { lastDayOf } from "../runs/token-store.ts";
import type { FoundTokens } from "./find-tokens.ts";
import type { PoolWatches } from "./pool-watches.ts";
import type { SolPool } from "./pools.ts";
import type { SampledState, SampledToken } from "./sampled-token.ts";

/** Time after which the hosts are asked again about a token on which they did not agree. */
const retryMs = 5000;

/** Time after which an address that was not a token is checked again. */
const unknownMs = 10 * 60_000;

/** Interval between measurements of depths. It is shorter for tokens of open positions. */
const measuredMs = { usual: 10 * 60_000, held: 60_000 };

/** Age from which a stored market is not continued. The history then provides the minutes in between. */
const mostBehindMs = 15 * 60_000;

/** Number of tokens about which the hosts are asked at a time. */
const mostAsked = 30;

const readsAtOnce = 8;

type Stored = MarketItem<SampledState> | undefined;

export type SampledFindingDeps = {
  /**
   * Finds tokens with their pools. Leaves out those on which the hosts do not agree.
   *
   * @throws {ChainUnavailable}
   */
  find: (tokens: readonly string[]) => Promise<FoundTokens>;
  store: Pick<TokenStore<SampledState>, "readMarket" | "loadCandles">;
  watches: PoolWatches;
  steps: RunSteps;
};

/** Finds a run's tokens and chooses their pools, whose depths it measures regularly. */
export class SolFinding {
  readonly #deps: SampledFindingDeps;

  constructor(deps: SampledFindingDeps) {
    this.#deps = deps;
  }

  /** Finds new tokens, and measures the pools of known tokens again. */
  async find(entries: readonly SampledToken[]): Promise<void> {
    const nowMs = Date.now();
    const due = entries.filter(({ findAtMs }) => findAtMs <= nowMs);
    const stored = new Map<SampledToken, Stored>();
    const fresh = due.filter(({ market }) => market === undefined);
    await forEachConcurrently(fresh, { concurrency: readsAtOnce }, (entry) =>
      this.#deps.steps.survive(async () => {
        const found = await this.#deps.store.readMarket(entry.name);
        if (isRecent(found))
          await this.#join(entry, { token: found.market, pools: found.state.pools }, found);
        else stored.set(entry, found);
      }),
    );
    const asked = [...stored.keys(), ...due.filter((entry) => !fresh.includes(entry))].slice(0, mostAsked);
    if (asked.length > 0) await this.#deps.steps.survive(() => this.#ask(asked, stored));
  }

  async #ask(entries: readonly SampledToken[], stored: ReadonlyMap<SampledToken, Stored>): Promise<void> {
    for (const entry of entries) {
      entry.askedMs = Date.now();
      entry.findAtMs = entry.askedMs + retryMs;
    }
    const found = await this.#deps.find(entries.map(({ name }) => name.token)).catch((error: unknown) => {
      if (error instanceof ChainUnavailable) return new Map() satisfies FoundTokens;
      throw error;
    });
    for (const entry of entries) {
      const { token } = entry.name;
      const pools = found.get(token);
      const nowMs = Date.now();
      if (pools === undefined) {
        if (!found.has(token)) continue;
        entry.unknownMs ??= nowMs;
        entry.findAtMs = nowMs + unknownMs;
      } else {
        entry.findAtMs = nowMs + (entry.wanted.isHeld ? measuredMs.held : measuredMs.usual);
        if (entry.market === undefined) await this.#join(entry, pools, stored.get(entry));
        else {
          entry.market.find(pools, nowMs);
          this.#choose(entry, entry.choice, nowMs);
        }
      }
    }
  }

  /** Starts to read a token: continues from the state of the last run, or starts over. */
  async #join(entry: SampledToken, found: TokenWithPools<SolPool>, stored: Stored): Promise<void> {
    const { store } = this.#deps;
    const minutes = await lastDayOf(store, entry.name, "minutes");
    const hours = await lastDayOf(store, entry.name, "hours");
    const nowMs = Date.now();
    const before = isRecent(stored) ? stored : undefined;
    if (before !== undefined) entry.findAtMs = nowMs + measuredMs.held;
    const last = before?.market.pool?.pool;
    const history = before?.state.last === undefined ? "loading" : before.market.history;
    const firstSeenAt = stored?.market.firstSeenAt ?? new Date(nowMs).toISOString();
    entry.market = new MarketBook(found, { firstSeenAt, history, nowMs });
    entry.market.restore(minutes, nowMs);
    entry.saving.restore({ minutes, hours, row: stored }, nowMs);
    entry.isHistoryDue = history === "loading";
    const choice = last === undefined ? noReference : { pool: last, rivals: {} };
    const continued = this.#choose(entry, choice, nowMs) === last ? before?.state.last : undefined;
    this.#watch(entry, continued, minutes);
    if (entry.market.reference === undefined) entry.saving.hasten();
  }

  #watch({ market }: SampledToken, ...from: [SampledState["last"], readonly Candle[]]): void {
    if (market?.reference !== undefined)
      this.#deps.watches.watch(market.reference, market.token.decimals, ...from);
  }

  /** Chooses the reference pool among a token's pools by their last measured depths. */
  #choose(entry: SampledToken, before: ReferenceChoice, nowMs: number): string | undefined {
    const { market } = entry;
    if (market === undefined) return undefined;
    entry.choice = chooseReference(before, market.pools, nowMs);
    const chosen = market.pools.find(({ pool }) => pool === entry.choice.pool);
    const last = market.reference?.pool;
    market.choose(chosen, nowMs);
    if (last !== undefined && last !== chosen?.pool) {
      // Requests no history for a pool that replaces another one, because its minutes would be mixed with the other's.
      entry.isHistoryDue = false;
      if (market.history === "loading") market.history = "unavailable";
    }
    return chosen?.pool;
  }
}

/** True if a run can continue a stored market. An earlier version of the code stored markets of sol without a state. */
const isRecent = (stored: Stored): stored is NonNullable<Stored> =>
  stored !== undefined &&
  "pools" in stored.state &&
  Date.now() - Date.parse(stored.market.asOf) <= mostBehindMs;
