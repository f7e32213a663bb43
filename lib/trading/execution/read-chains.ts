import { randomUUID } from "node:crypto";
import { ChainUnavailable } from "../../chains/hosts/host-fault.ts";
import { chainFacts, type TradingChain } from "../../core/chain-facts.ts";
import { delay } from "../../core/time.ts";
import { newReader, type ReadRound, readChain } from "../procedures/reading.ts";
import { LeasedRun } from "./leased-run.ts";
import { type Performers, runProcedure } from "./run-procedure.ts";
import { WakeQueue } from "./wake-queue.ts";

type Needed = Required<
  Pick<Performers, "look" | "minedIn" | "readLanes" | "readReaderLease" | "changeReaderLease">
>;

export type ReadDeps = {
  effects: Needed;
  /** Makes the function that wakes a chain's lanes. It never rejects. */
  wakeOf: (chain: TradingChain) => Required<Performers>["wake"];
  /** Receives errors. The run continues. */
  onFault: (error: unknown) => void;
  /** Receives the first error each time that all hosts of a chain fail. */
  onSilence: (error: unknown) => void;
};

export type ReadTimes = {
  /** Version of the code. A run replaces an active run whose code has a different version. */
  build: string;
  /** Time after which the run ends. */
  longestMs: number;
};

/** Bounds for the time between two looks, which otherwise equals the time between blocks. */
const pauses = { leastMs: 1000, mostMs: 2000 };

const pauseOf = (chain: TradingChain): number =>
  Math.min(pauses.mostMs, Math.max(pauses.leastMs, chainFacts[chain].blockSeconds * 1000));

/** Time after which a run without lanes ends. */
const mostIdleMs = 5 * 60_000;

/** Event of readChains, which names the chain to read. */
export type ReaderStart = { chain?: TradingChain };

/** Returns the chains that a run reads: the named one if runs read one chain each, and all chains otherwise. */
export const chainsOfRun = (
  { chain: named }: ReaderStart,
  chains: readonly TradingChain[],
  { isForOne }: { isForOne: boolean },
): readonly TradingChain[] =>
  isForOne && named !== undefined ? chains.filter((chain) => chain === named) : chains;

/** Reads each chain until another run takes over or no lane is left. A slow chain never delays the others. */
export async function readChains(
  deps: ReadDeps,
  chains: readonly TradingChain[],
  times: ReadTimes,
): Promise<void> {
  const run = randomUUID();
  await Promise.all(
    chains.map((chain) => new ChainRun(deps, chain, { ...times, run }).start().catch(deps.onFault)),
  );
}

/** A reader's run for one chain. */
class ChainRun {
  readonly #deps: ReadDeps;
  readonly #chain: TradingChain;
  readonly #times: ReadTimes & { run: string };
  readonly #reader = newReader();
  readonly #wakes: WakeQueue;
  readonly #performers: Performers;
  readonly #untilMs: number;

  constructor(deps: ReadDeps, chain: TradingChain, times: ReadTimes & { run: string }) {
    const { effects, wakeOf, onSilence } = deps;
    this.#deps = deps;
    this.#chain = chain;
    this.#times = times;
    this.#untilMs = Date.now() + times.longestMs;
    const wake = wakeOf(chain);
    this.#wakes = new WakeQueue(async (lane) => wake({ lane }));
    const silence = new Silence(onSilence);
    this.#performers = {
      ...effects,
      look: silence.reported(effects.look),
      minedIn: silence.reported(effects.minedIn),
      now: () => Date.now(),
      wake: ({ lane }) => {
        this.#wakes.add(lane);
        return undefined;
      },
    };
  }

  async start(): Promise<void> {
    const { onFault } = this.#deps;
    const { run, build } = this.#times;
    const { readReaderLease, changeReaderLease, readLanes } = this.#deps.effects;
    const effects = {
      readReaderLease,
      changeReaderLease,
      isReaderNeeded: async () => (await readLanes({ chain: this.#chain })).length > 0,
      tryReader: async () => (await this.#round()).isAnswered,
    };
    const deps = { effects, onFault };
    await LeasedRun.start(this.#chain, { run, build }, deps, (leased) => this.#read(leased));
    await this.#wakes.emptied();
  }

  #round(): Promise<ReadRound> {
    return runProcedure(readChain(this.#chain, this.#reader), this.#performers);
  }

  async #read(run: LeasedRun): Promise<void> {
    const pauseMs = pauseOf(this.#chain);
    let busyMs = Date.now();
    for (; !run.isOver && Date.now() < this.#untilMs; await delay(pauseMs)) {
      run.beginRound();
      try {
        const { lanes } = await this.#round();
        if (lanes > 0) busyMs = Date.now();
        if (Date.now() - busyMs < mostIdleMs) continue;
        if (await run.hasEnded()) return;
        busyMs = Date.now();
      } catch (error) {
        this.#deps.onFault(error);
      }
    }
  }
}

/** Reports only the first failure of a chain that does not answer. Lanes that are due are woken even so. */
class Silence {
  readonly #onSilence: (error: unknown) => void;
  #isSilent = false;

  constructor(onSilence: (error: unknown) => void) {
    this.#onSilence = onSilence;
  }

  reported<Ask, Answer>(act: (ask: Ask) => Answer | Promise<Answer>) {
    return async (ask: Ask): Promise<Answer | undefined> => {
      try {
        const answer = await act(ask);
        this.#isSilent = false;
        return answer;
      } catch (error) {
        if (!(error instanceof ChainUnavailable)) throw error;
        if (!this.#isSilent) this.#onSilence(error);
        this.#isSilent = true;
        return undefined;
      }
    };
  }
}
