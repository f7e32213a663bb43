import type { TradingChain } from "../core/chain-facts.ts";
import type { ReaderLease, ReaderOf } from "../orders/table-step.ts";
import { isRead } from "../trading/procedures/reader-lease.ts";

/** Event of readMarkets. Names the chain if a run is to read only that one. */
export type MarketsStart = { chain?: TradingChain };

type ReadLease = (of: { chain: ReaderOf }) => Promise<ReaderLease | undefined>;

export type ChainRunDeps = {
  readReaderLease: ReadLease;
  /** Starts a run without waiting for it. */
  startReader: (start: MarketsStart) => Promise<void>;
};

/**
 * Number of connections that one run serves. For each time that it is exceeded, the chain with the most followers gets a
 * run of its own, until the connections fall to half of it.
 */
export const mostTogether = 10_000;

/** Interval at which the common run looks after runs of single chains, and after which it starts successors. */
const turnMs = 60_000;

/** Pause before a missing run is started again. */
const againMs = 10_000;

/** Difference of epochs that keeps a chain's run ahead of common runs that begin at the same time. */
const aheadEpochs = 10;

/** Time that a chain's run waits until the common run leaves the chain to it. */
const patienceMs = 60_000;

/** Facts from the leases of runs at a moment: the chains with runs of their own, and the lowest epoch of a new run. */
export type Apart = { apart: readonly TradingChain[] | undefined; leastEpoch: number };

/** Finds the chains that a new common run leaves to runs of their own. */
export async function chainsApart(
  readLease: ReadLease,
  chains: readonly TradingChain[],
  nowMs: number,
): Promise<Apart> {
  const leases = await Promise.all(chains.map((chain) => readLease({ chain: `markets ${chain}` })));
  const apart = chains.filter((_, index) => isRead(leases[index], nowMs));
  const leastEpoch = 1 + Math.max(0, ...leases.map((lease) => lease?.epoch ?? 0));
  return { apart: apart.length > 0 ? apart : undefined, leastEpoch };
}

/** Returns the lowest epoch of a run for a single chain. */
export const epochAhead = async (readLease: ReadLease): Promise<number> =>
  ((await readLease({ chain: "markets" }))?.epoch ?? 0) + aheadEpochs;

/** Followers as the common run knows them. */
export type Crowd = {
  connections: number;
  /** Counts the followers of each of the run's chains. */
  byChain: () => ReadonlyMap<TradingChain, number>;
};

/** Lets the common run start runs of single chains, and replace those that end their shift or fail. */
export class ChainRunKeeper {
  readonly #deps: ChainRunDeps;
  readonly #apart: readonly TradingChain[];
  readonly #most: number;
  readonly #startedMs = new Map<string, number>();
  #turnMs: number;
  #splitMs = Number.NEGATIVE_INFINITY;

  constructor(deps: ChainRunDeps, apart: readonly TradingChain[], nowMs: number, most = mostTogether) {
    this.#deps = deps;
    this.#apart = apart;
    this.#most = most;
    this.#turnMs = nowMs;
  }

  async keep(crowd: Crowd, nowMs: number): Promise<void> {
    const isTurn = nowMs - this.#turnMs >= turnMs;
    if (isTurn) this.#turnMs = nowMs;
    for (const chain of this.#apart) {
      const lease = await this.#deps.readReaderLease({ chain: `markets ${chain}` });
      // Takes the chain back if nobody needs a run of its own any more.
      if (lease === undefined || lease.isEnded) await this.#start({}, nowMs);
      else if (isTurn || !isRead(lease, nowMs)) await this.#start({ chain }, nowMs);
    }
    if (crowd.connections <= this.#most * (this.#apart.length + 1) || nowMs - this.#splitMs < againMs) return;
    this.#splitMs = nowMs;
    const [first, second] = [...crowd.byChain()].toSorted(([, one], [, other]) => other - one);
    if (first !== undefined && second !== undefined) await this.#start({ chain: first[0] }, nowMs);
  }

  async #start(start: MarketsStart, nowMs: number): Promise<void> {
    const key = start.chain ?? "";
    if (nowMs - (this.#startedMs.get(key) ?? Number.NEGATIVE_INFINITY) < againMs) return;
    this.#startedMs.set(key, nowMs);
    await this.#deps.startReader(start);
  }
}

/**
 * Decides when the run of a single chain may deliver: as soon as the common run has left the chain to it, and no
 * delivery of the previous run is under way.
 */
export class ChainPermission {
  readonly #deps: ChainRunDeps;
  readonly #chain: TradingChain;
  /** Time that the previous common run is given, counted from when its successor was first seen. */
  readonly #waitMs: number;
  readonly #beganMs: number;
  #seen: { epoch: number; ms: number } | undefined;
  #startedMs = Number.NEGATIVE_INFINITY;
  #grantedMs: number | undefined;
  #isOver = false;

  constructor(deps: ChainRunDeps, chain: TradingChain, nowMs: number, waitMs: number) {
    this.#deps = deps;
    this.#chain = chain;
    this.#beganMs = nowMs;
    this.#waitMs = waitMs;
  }

  /** Last time at which this run was allowed to deliver. Undefined if it never was. */
  get grantedMs(): number | undefined {
    return this.#grantedMs;
  }

  /** True once the common run reads the chain itself. */
  get isOver(): boolean {
    return this.#isOver;
  }

  async look(nowMs: number): Promise<void> {
    const lease = await this.#deps.readReaderLease({ chain: "markets" });
    if (lease?.apart?.includes(this.#chain)) {
      if (this.#seen?.epoch !== lease.epoch) this.#seen = { epoch: lease.epoch, ms: nowMs };
      const readyMs = Math.min(lease.handedOverMs ?? Number.POSITIVE_INFINITY, this.#seen.ms + this.#waitMs);
      // One common run after the other leaves the chain alone, so only the first may still deliver.
      if (this.#grantedMs !== undefined || nowMs >= readyMs) this.#grantedMs = nowMs;
    } else if (this.#grantedMs !== undefined || nowMs - this.#beganMs > patienceMs) {
      this.#grantedMs = undefined;
      this.#isOver = true;
    } else if (nowMs - this.#startedMs >= againMs) {
      this.#startedMs = nowMs;
      await this.#deps.startReader({});
    }
  }
}
