import { delay } from "../../core/time.ts";
import type { ReaderLease, ReaderOf } from "../../orders/table-step.ts";
import {
  beatMs,
  endReading,
  type HeldLease,
  renewReaderLease,
  takeReaderLease,
} from "../procedures/reader-lease.ts";
import { type Performers, runProcedure } from "./run-procedure.ts";

type Needed = Required<
  Pick<Performers, "readReaderLease" | "changeReaderLease" | "isReaderNeeded" | "tryReader">
>;

export type LeasedRunDeps = {
  effects: Needed & Performers;
  /** Receives errors of heartbeats. The run goes on. */
  onFault: (error: unknown) => void;
};

/** A round that takes longer counts as stuck: the lease is not renewed any more. */
const longestRoundMs = 20_000;

/** A run of a reader, from the moment when it has the lease. */
export class LeasedRun {
  readonly epoch: number;
  readonly #chain: ReaderOf;
  readonly #lease: HeldLease;
  readonly #deps: LeasedRunDeps;
  #roundMs = Date.now();
  #heldMs = Date.now();
  #isOver = false;

  private constructor(chain: ReaderOf, lease: HeldLease, deps: LeasedRunDeps) {
    this.epoch = lease.epoch;
    this.#chain = chain;
    this.#lease = lease;
    this.#deps = deps;
  }

  /**
   * Takes the lease if this run should read, and renews it while it reads. If the table fails, another run may take over,
   * and then this one is over.
   */
  static async start(
    chain: ReaderOf,
    candidate: Pick<ReaderLease, "run" | "build">,
    deps: LeasedRunDeps,
    read: (run: LeasedRun) => Promise<void>,
  ): Promise<void> {
    const effects = withClock(deps.effects);
    const lease = await runProcedure(takeReaderLease(chain, candidate), effects);
    if (lease === undefined) return;
    const run = new LeasedRun(chain, lease, { ...deps, effects });
    const beats = run.#beat();
    try {
      await read(run);
    } finally {
      run.#isOver = true;
      await beats;
    }
  }

  /** True once another run has the lease, or this one has ended. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** The time of the last heartbeat that was accepted. */
  get heldMs(): number {
    return this.#heldMs;
  }

  /** Notes that a round begins. Rounds go on as long as the run is alive. */
  beginRound(): void {
    this.#roundMs = Date.now();
  }

  /** Ends the reading, unless somebody needs it after all. Returns false then. */
  async hasEnded(): Promise<boolean> {
    return runProcedure(endReading(this.#chain, this.#lease), this.#deps.effects);
  }

  async #beat(): Promise<void> {
    for (; !this.#isOver; await delay(beatMs)) {
      const nowMs = Date.now();
      if (nowMs - this.#roundMs > longestRoundMs) continue;
      try {
        if (!(await runProcedure(renewReaderLease(this.#chain, this.#lease), this.#deps.effects))) {
          this.#isOver = true;
          return;
        }
        this.#heldMs = nowMs;
      } catch (error) {
        this.#deps.onFault(error);
      }
    }
  }
}

const withClock = <Effects extends Needed & Performers>(effects: Effects) => ({
  ...effects,
  now: () => Date.now(),
  pause: ({ ms }: { ms: number }) => delay(ms) as Promise<undefined>,
});
