import { delay } from "../../core/time.ts";
import type { ReaderOf } from "../../orders/table-step.ts";
import {
  beatMs,
  endReading,
  type HeldLease,
  handedOverAt,
  type LeaseCandidate,
  leaveReading,
  renewReaderLease,
  takeReaderLease,
  tellNextReader,
} from "../procedures/reader-lease.ts";
import { type Performers, runProcedure } from "./run-procedure.ts";

type Needed = Required<
  Pick<Performers, "readReaderLease" | "changeReaderLease" | "isReaderNeeded" | "tryReader">
>;

export type LeasedRunDeps = {
  effects: Needed & Performers;
  /** Receives errors of heartbeats. The run continues. */
  onFault: (error: unknown) => void;
};

/** Maximum duration of a round. A run whose round takes longer counts as stuck and no longer renews its lease. */
const longestRoundMs = 20_000;

/** The run of a reader that has the lease. */
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
   * Takes the lease if this run should read, and renews it while reading. If the table fails, another run may take
   * over, and this run then ends.
   */
  static async start(
    chain: ReaderOf,
    candidate: LeaseCandidate,
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

  /** True once this run has ended or another one has the lease. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Time of the last accepted heartbeat. */
  get heldMs(): number {
    return this.#heldMs;
  }

  /** Notes that a round begins. The run stays alive as long as new rounds begin. */
  beginRound(): void {
    this.#roundMs = Date.now();
  }

  /** Tells the next run when this run's work will have ended. Does nothing if no run has followed. */
  async tellNext(handedOverMs: number): Promise<void> {
    await runProcedure(tellNextReader(this.#chain, this.#lease, handedOverMs), this.#deps.effects);
  }

  /** Returns the time by which all work of the previous run has ended. Undefined if that run has not told it. */
  async handedOverMs(): Promise<number | undefined> {
    return runProcedure(handedOverAt(this.#chain, this.#lease), this.#deps.effects);
  }

  /** Ends the reading. Returns false, without ending it, if somebody needs it after all. */
  async hasEnded(): Promise<boolean> {
    return runProcedure(endReading(this.#chain, this.#lease), this.#deps.effects);
  }

  /** Ends the reading, because another run has taken it over under another lease. */
  async leave(): Promise<void> {
    await runProcedure(leaveReading(this.#chain, this.#lease), this.#deps.effects);
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
