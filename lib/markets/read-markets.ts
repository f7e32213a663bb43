import { randomUUID } from "node:crypto";
import type { TradingChain } from "../core/chain-facts.ts";
import { delay } from "../core/time.ts";
import type { ReaderOf } from "../orders/table-step.ts";
import type { Price } from "../prices/price.ts";
import { LeasedRun, type LeasedRunDeps } from "../trading/execution/leased-run.ts";
import {
  type Apart,
  ChainPermission,
  type ChainRunDeps,
  ChainRunKeeper,
  chainsApart,
  epochAhead,
  type MarketsStart,
  mostTogether,
} from "./chain-runs.ts";
import type { Coins } from "./coins.ts";
import { StaleHeads, staleMarkets } from "./core/stale-markets.ts";
import { WantedTokens, type WishRules } from "./core/wanted-tokens.ts";
import { type DeliverDeps, Deliveries, failedMs } from "./deliveries.ts";
import { Demand, type DemandDeps } from "./demand.ts";
import type { HeldTokens } from "./held-tokens.ts";
import type { HeldNote } from "./items/held-notes.ts";
import type { ChainMarkets, MarketRun, TokenStore } from "./runs/chain-markets.ts";
import { Superseded } from "./runs/token-store.ts";

export type ReadMarketsDeps = {
  leases: Pick<LeasedRunDeps["effects"], "readReaderLease" | "changeReaderLease">;
  /** Starts another run without waiting for it. */
  startReader: (start: MarketsStart) => Promise<void>;
  demand: DemandDeps;
  chains: readonly ChainMarkets[];
  coins: Coins;
  /** True if the token is shown to all users. */
  isListed: WishRules["isListed"];
  /** Number of tokens to read on a chain, without the listed and held ones. */
  mostOn: (chain: TradingChain) => number;
  holdings: Pick<HeldTokens, "heldBy" | "refresh" | "revision" | "notes" | "inherit">;
  /** Stores what this run knows about holdings, and reads what the previous one has stored. */
  heldNotes: {
    write: (reader: TradingChain | "all", notes: readonly HeldNote[], epoch: number) => Promise<void>;
    read: (reader: TradingChain | "all") => Promise<readonly HeldNote[]>;
  };
  /** Reads the prices of coins, and starts a run of feedPrices if none is active. */
  readPrices: () => Promise<readonly Price[]>;
  deliver: DeliverDeps["deliver"];
  store: TokenStore;
  /** Stores the search index of a chain. */
  saveIndex: (markets: ChainMarkets, epoch: number) => Promise<boolean>;
  /** Receives errors. The run continues. */
  onFault: (error: unknown) => void;
  /** Receives chains whose newest block is old. */
  onWarning: (error: unknown, details: object) => void;
};

export type ReadMarketsTimes = {
  /** Version of the code. A run replaces an active run whose code has a different version. */
  build: string;
  /** Duration of the run's shift, after which the next run may take over. */
  shiftMs: number;
  /** Time after which the run ends. */
  longestMs: number;
  /** Number of connections that one run serves, if it is not the default. */
  mostTogether?: number;
};

/** Interval between rounds, each of which reads the demand. */
const roundMs = 1000;

/** Maximum delay until a delivery that is due begins. */
const beginMs = 50;

/**
 * Pause after a grant, in multiples of the grant's own duration. Grants thus take at most a tenth of the time, however
 * many users there are, and never hold up deliveries for long.
 */
const grantPauses = 9;

/** Time without demand after which a run ends. */
const mostIdleMs = 5 * 60_000;

/**
 * Delay between the start of a run and the first time it stores the search index, which it then repeats every ten
 * minutes.
 */
const firstIndexMs = 60_000;
const indexMs = 10 * 60_000;

/** Pause before another attempt to store the search index, for example because the coin had no price yet. */
const indexRetryMs = 10_000;

/**
 * Time after a run's last heartbeat during which the run may still begin deliveries. With the time of a delivery, it
 * ends before the lease can be taken from a run that is gone.
 */
const mostDeliveringMs = 5000;

/**
 * Time that a run waits for word of the previous one, which then has sent its last delivery even if it died, and the
 * interval at which it looks for the word. Until a run's next heartbeat fails, it continues to deliver.
 */
const handOverMs = mostDeliveringMs + failedMs;
const wordMs = 200;

/** Time for which a run that ends waits for its holdings to be stored. After it, the next run reads them itself. */
const mostBequeathMs = 500;

/** Interval at which the runs of single chains and the common run look at each other's leases. */
const watchMs = 2000;

/**
 * Reads the markets that clients want and has them delivered, until another run takes over or no client wants any
 * market. The common run reads all chains but those that have runs of their own, and delivers the prices of coins.
 *
 * @param start Names the chain if the run is to read only that one.
 */
export async function readMarkets(
  deps: ReadMarketsDeps,
  times: ReadMarketsTimes,
  { chain: alone }: MarketsStart = {},
): Promise<void> {
  const readLease = async (of: { chain: ReaderOf }) => deps.leases.readReaderLease(of);
  const { apart, leastEpoch } =
    alone === undefined
      ? await chainsApart(
          readLease,
          deps.chains.map(({ chain }) => chain),
          Date.now(),
        )
      : { apart: undefined, leastEpoch: await epochAhead(readLease) };
  const chains = deps.chains.filter(({ chain }) =>
    alone === undefined ? !apart?.includes(chain) : chain === alone,
  );
  if (chains.length === 0 && alone !== undefined) return;
  await new ReaderRun({ ...deps, chains }, times, { alone, apart, leastEpoch }).start();
}

/** The chains that a run reads: a single one, or all but some. */
type Part = Apart & { alone: TradingChain | undefined };

class ReaderRun {
  readonly #deps: ReadMarketsDeps;
  readonly #times: ReadMarketsTimes;
  readonly #part: Part;
  readonly #mostTogether: number;
  /** Permission to deliver. Absent for the common run, which needs none. */
  readonly #permission: ChainPermission | undefined;
  readonly #demand: Demand;
  readonly #deliveries: Deliveries;
  readonly #staleHeads = new StaleHeads();
  readonly #wanted: WantedTokens;
  readonly #rules: WishRules;
  readonly #untilMs: number;
  /** Revisions of the demand and the holdings of the last grant, and the time before which no grant follows it. */
  #grant = { demand: -1, holdings: -1, pausedMs: 0 };
  /** True if the previous run may still deliver. */
  #isHandedOver = false;
  /** True once this run has the holdings that the previous one knew. */
  #hasInherited = false;
  /** True while the run may end, so that it begins no delivery. */
  #isPaused = false;
  #isOver = false;

  constructor(deps: ReadMarketsDeps, times: ReadMarketsTimes, part: Part) {
    const { alone, apart } = part;
    this.#deps = deps;
    this.#times = times;
    this.#part = part;
    this.#mostTogether = times.mostTogether ?? mostTogether;
    this.#permission = alone && new ChainPermission(this.#chainRuns, alone, Date.now(), handOverMs);
    this.#demand = new Demand(deps.demand, Date.now(), {
      reads: (chain) => (alone === undefined ? !apart?.includes(chain) : chain === alone),
      isAlone: alone !== undefined,
    });
    this.#wanted = new WantedTokens(deps.mostOn);
    this.#deliveries = new Deliveries(deps);
    this.#untilMs = Date.now() + times.longestMs;
    this.#rules = { isListed: deps.isListed, heldBy: (userID) => deps.holdings.heldBy(userID) };
  }

  get #chainRuns(): ChainRunDeps {
    const { leases, startReader } = this.#deps;
    return { readReaderLease: async (of) => leases.readReaderLease(of), startReader };
  }

  async start(): Promise<void> {
    const { leases, onFault } = this.#deps;
    const { build, shiftMs } = this.#times;
    const { alone, apart, leastEpoch } = this.#part;
    const candidate = { run: randomUUID(), build, shiftMs, apart, leastEpoch };
    const effects = {
      ...leases,
      isReaderNeeded: async () => this.#isNeeded(await this.#demand.read(Date.now(), { isWhole: true })),
      tryReader: () => this.#try(),
    };
    const of = alone === undefined ? "markets" : (`markets ${alone}` as const);
    await LeasedRun.start(of, candidate, { effects, onFault }, (run) => this.#read(run));
  }

  /** A chain's own run is needed only while one run could hardly serve all connections. */
  #isNeeded(isWanted: boolean): boolean {
    return isWanted && (this.#part.alone === undefined || this.#demand.connections > this.#mostTogether / 2);
  }

  /** Looks at each wanted chain once. Returns false if no chain answers. */
  async #try(): Promise<boolean> {
    this.#isHandedOver = true;
    await this.#demand.read(Date.now(), { isWhole: true });
    this.#want();
    const looks = await Promise.all(this.#deps.chains.map((markets) => markets.look()));
    const wanted = looks.filter((isAnswered) => isAnswered !== undefined);
    return wanted.length === 0 || wanted.includes(true);
  }

  async #read(leased: LeasedRun): Promise<void> {
    const { chains, onFault } = this.#deps;
    const isOver = () => this.#isOver || leased.isOver;
    const run: MarketRun = {
      epoch: leased.epoch,
      get isOver() {
        return isOver();
      },
    };
    const others = [
      this.#deliver(leased, run),
      this.#permission ? this.#watchCommonRun(this.#permission, leased, run) : this.#keepChainRuns(run),
      this.#readHoldings(run),
      this.#readCoins(run),
      ...chains.map((markets) => markets.read(run).catch(onFault)),
      ...chains.map((markets) => this.#keepIndex(markets, run)),
    ];
    await this.#serve(leased);
    this.#isOver = true;
    await Promise.all(others);
  }

  /** Begins deliveries when they are due, but only while no other run can have the lease. */
  async #deliver(leased: LeasedRun, run: MarketRun): Promise<void> {
    if (this.#isHandedOver) await this.#awaitPrevious(leased, run);
    // Tells the next run nothing, because the run before this one may still deliver.
    if (run.isOver) return;
    await this.#survive(() => this.#inherit());
    this.#hasInherited = true;
    for (; !run.isOver; await delay(beginMs)) {
      const heldMs = Math.min(leased.heldMs, this.#permittedMs);
      if (!this.#isPaused && Date.now() - heldMs <= mostDeliveringMs) this.#deliveries.begin(Date.now());
    }
    const bequeathed = this.#survive(() => this.#bequeath(run));
    const [nextMs] = await Promise.all([
      this.#deliveries.emptied(),
      Promise.race([bequeathed, delay(mostBequeathMs)]),
    ]);
    await this.#survive(() => leased.tellNext(nextMs));
    await bequeathed;
  }

  /** Takes over the holdings that the previous run knew, so that the first delivery refuses nobody a held token. */
  async #inherit(): Promise<void> {
    const { alone } = this.#part;
    const { heldNotes } = this.#deps;
    const own = alone === undefined ? [] : await heldNotes.read(alone);
    const notes = own.length > 0 ? own : await heldNotes.read("all");
    this.#deps.holdings.inherit(notes, this.#users());
    this.#want();
  }

  async #bequeath({ epoch }: MarketRun): Promise<void> {
    const notes = this.#deps.holdings.notes();
    if (notes.length > 0) await this.#deps.heldNotes.write(this.#part.alone ?? "all", notes, epoch);
  }

  #users(): string[] {
    return [...new Set([...this.#demand.followers.values()].map(({ userID }) => userID))];
  }

  /** Time when it was last certain that no other run delivers the chain. */
  get #permittedMs(): number {
    if (this.#permission === undefined) return Number.POSITIVE_INFINITY;
    return this.#permission.grantedMs ?? Number.NEGATIVE_INFINITY;
  }

  /** Asks for the permission to deliver, and ends the run once the common run reads the chain itself. */
  async #watchCommonRun(permission: ChainPermission, leased: LeasedRun, run: MarketRun): Promise<void> {
    for (; !run.isOver; await delay(permission.grantedMs === undefined ? wordMs : watchMs)) {
      await this.#survive(() => permission.look(Date.now()));
      if (!permission.isOver) continue;
      this.#isOver = true;
      await this.#survive(() => leased.leave());
    }
  }

  /** Starts runs of single chains for as long as they are needed. */
  async #keepChainRuns(run: MarketRun): Promise<void> {
    const { apart = [] } = this.#part;
    const keeper = new ChainRunKeeper(this.#chainRuns, apart, Date.now(), this.#mostTogether);
    for (; !run.isOver; await delay(watchMs)) {
      const { connections } = this.#demand;
      const crowd = { connections, byChain: () => this.#demand.byChain() };
      await this.#survive(() => keeper.keep(crowd, Date.now()));
    }
  }

  /** Waits until the previous run has sent its last delivery, so that no client gets two messages at once. */
  async #awaitPrevious(leased: LeasedRun, run: MarketRun): Promise<void> {
    const untilMs = Date.now() + handOverMs;
    for (; !run.isOver && Date.now() < untilMs; await delay(wordMs)) {
      const fromMs = await this.#survive(() => leased.handedOverMs());
      if (fromMs === undefined) continue;
      await delay(Math.min(untilMs, fromMs) - Date.now());
      return;
    }
  }

  /** Reads the demand until the run is over or nobody needs the run any more. */
  async #serve(leased: LeasedRun): Promise<void> {
    let busyMs = Date.now();
    const isOver = () => this.#isOver || leased.isOver;
    for (let nowMs = Date.now(); !isOver() && nowMs < this.#untilMs; nowMs = Date.now()) {
      leased.beginRound();
      const isWanted = await this.#survive(() => this.#demand.read(nowMs));
      this.#want();
      for (const stale of this.#staleHeads.note(this.#deps.chains, nowMs))
        this.#deps.onWarning(staleMarkets(), stale);
      if (isWanted === undefined || this.#isNeeded(isWanted)) busyMs = nowMs;
      if (nowMs - busyMs >= mostIdleMs) {
        this.#isPaused = true;
        await this.#deliveries.emptied();
        if (await this.#survive(() => leased.hasEnded())) return;
        this.#isPaused = false;
        busyMs = nowMs;
      }
      await delay(Math.max(0, nowMs + roundMs - Date.now()));
    }
  }

  /** Passes the followers to the deliveries, and the wanted tokens if they may have changed. */
  #want(): void {
    const nowMs = Date.now();
    const { holdings } = this.#deps;
    const { demand, holdings: held, pausedMs } = this.#grant;
    const isSame = this.#demand.revision === demand && holdings.revision === held;
    if (nowMs >= pausedMs && !(isSame && nowMs < this.#wanted.againMs)) this.#grantAll(nowMs);
    this.#deliveries.serve(this.#demand.followers, this.#demand.takeArrivals(), nowMs);
  }

  #grantAll(nowMs: number): void {
    const { revision: demand } = this.#demand;
    const { revision: holdings } = this.#deps.holdings;
    const { wanted, refused } = this.#wanted.grant(this.#demand.wishes, this.#rules, nowMs);
    const byChain = Map.groupBy(wanted, ({ chain }) => chain);
    for (const markets of this.#deps.chains) markets.want(byChain.get(markets.chain) ?? []);
    this.#deliveries.want(wanted, refused, nowMs);
    const endMs = Date.now();
    this.#grant = { demand, holdings, pausedMs: endMs + grantPauses * (endMs - nowMs) };
  }

  /** Reads the prices of coins each second, and stores them for chains whose markets are wanted. */
  async #readCoins(run: MarketRun): Promise<void> {
    const { coins, readPrices, chains, store } = this.#deps;
    const writer = store.writer(run.epoch);
    for (let nowMs = Date.now(); !run.isOver; nowMs = Date.now()) {
      await this.#survive(async () => {
        const prices = await readPrices();
        // A delivery may have begun since nowMs, so this takes the time again.
        if (this.#part.alone === undefined) this.#deliveries.takeCoins(prices, Date.now());
        const wanted = chains.filter(({ isWanted }) => isWanted).map(({ chain }) => chain);
        await coins.take(prices, wanted, nowMs);
        await coins.save(writer, nowMs);
      });
      await delay(Math.max(0, nowMs + roundMs - Date.now()));
    }
  }

  /** Reads the open positions of users who follow tokens, from time to time. */
  async #readHoldings(run: MarketRun): Promise<void> {
    for (; !run.isOver; await delay(roundMs))
      if (this.#hasInherited)
        await this.#survive(() => this.#deps.holdings.refresh(this.#users(), Date.now()));
  }

  async #keepIndex(markets: ChainMarkets, run: MarketRun): Promise<void> {
    for (let dueMs = Date.now() + firstIndexMs; !run.isOver; await delay(roundMs)) {
      if (Date.now() < dueMs || !markets.isWanted) continue;
      const isSaved = await this.#survive(() => this.#deps.saveIndex(markets, run.epoch));
      dueMs = Date.now() + (isSaved ? indexMs : indexRetryMs);
    }
  }

  /** Carries out a step. If it fails, the next round tries again. */
  async #survive<Result>(step: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof Superseded)) this.#deps.onFault(error);
      return undefined;
    }
  }
}
