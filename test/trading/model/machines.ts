import type { Evm } from "../../../lib/chains/evm/rules/family.ts";
import type { Effect, Effects, Procedure, SignRequest } from "../../../lib/orders/effects.ts";
import type { FamilyTypes } from "../../../lib/orders/family.ts";
import type { LaneKey } from "../../../lib/orders/intent.ts";
import { type Answer, type End, labelOf, type Process, type Wake } from "./process.ts";
import type { Random } from "./random.ts";

export type Fault = "none" | "before" | "after";

/** Runs procedures effect by effect, on machines that may crash before or after each effect. */
export abstract class Machines<F extends FamilyTypes = Evm> {
  readonly processes: Process<F>[] = [];
  /** Events that have not started a run. They may have been lost. */
  readonly wakes: Wake[] = [];
  abstract chainLimits: F["limits"];
  readonly random: Random;
  /** Events reached so far, for the coverage. */
  readonly seen: Set<string>;
  nowMs: number;
  private ids = 0;

  constructor(random: Random, seen: Set<string>, nowMs: number) {
    this.random = random;
    this.seen = seen;
    this.nowMs = nowMs;
  }

  /** Adds the events of an effect: one, or two for a run of a new order. */
  protected addWakes({ lane: { chain, wallet }, job, reservation }: Effects["wake"]["ask"]): void {
    const event = { chain, wallet, reservation };
    this.wakes.push(event, ...(job ? [{ ...event, isTwin: true }] : []));
  }

  /** Takes the event that starts the run of a wallet's new order. Without one, returns what a reader would start. */
  eventFor(lane: LaneKey): Wake {
    const index = this.wakes.findIndex(({ wallet, isTwin }) => wallet === lane.wallet && !isTwin);
    const [event = lane] = index < 0 ? [] : this.wakes.splice(index, 1);
    return event;
  }

  /** Takes the next event, which may come late or never. Without one, picks a lane that a reader may wake. */
  nextEvent(lanes: readonly LaneKey[]): Wake | undefined {
    const { random, wakes } = this;
    const isAhead = wakes.length > 1 && random.chance(0.2);
    const [event] = wakes.splice(isAhead ? 1 : 0, 1);
    if (event !== undefined && random.chance(0.1)) {
      this.seen.add("a start was lost");
      return undefined;
    }
    if (event?.isTwin && random.chance(0.5)) this.nowMs += random.below(7000);
    return event ?? random.pick(lanes);
  }

  protected abstract sign(request: SignRequest): Procedure<unknown>;

  protected abstract carryOut(process: Process<F>, effect: Effect): Promise<Answer>;

  newId(prefix: string): string {
    return `${prefix}${++this.ids}`;
  }

  start(
    process: Pick<Process<F>, "name" | "procedure"> & Partial<Process<F>>,
    onEnd: Process["onEnd"] = () => undefined,
  ): Process<F> | undefined {
    const first = process.procedure.next();
    if (first.done) {
      onEnd({ result: first.value });
      return undefined;
    }
    const started = {
      id: ++this.ids,
      effect: first.value,
      skewMs: 0,
      clockMs: 0,
      isFrozen: false,
      sawStop: false,
      chainLimits: this.chainLimits,
      snapshots: new Map(),
      quotes: [],
      onEnd,
      ...process,
    };
    this.processes.push(started);
    return started;
  }

  /** Performs the next effect of a process, with a possible fault before or after it. */
  async step(process: Process<F>, fault: Fault = "none"): Promise<void> {
    const { signer } = process;
    if (signer !== undefined && this.processes.includes(signer)) return this.step(signer, fault);
    const { effect } = process;
    if (fault === "before") return this.crash(process, `${process.name} before ${labelOf(effect)}`);
    if (effect.do === "sign") {
      if (signer === undefined) return this.invokeSigner(process);
      return this.end(process, { failure: "the signer failed" });
    }
    const answer = await this.carryOut(process, effect);
    if (fault === "after") return this.crash(process, `${process.name} after ${labelOf(effect)}`);
    this.resume(process, answer);
  }

  /** Stops every machine at once. */
  restart(): void {
    this.seen.add("restart");
    for (const process of [...this.processes]) this.end(process, { failure: "restart" });
    this.wakes.length = 0;
  }

  private invokeSigner(process: Process<F>): void {
    if (process.effect.do !== "sign") return;
    const { skewMs, chainLimits } = process;
    const procedure = this.sign(process.effect.request);
    const signer = this.start({ name: "sign", procedure, skewMs, chainLimits }, (end) => {
      if (!this.processes.includes(process)) return;
      if ("result" in end) this.resume(process, end.result as Answer);
      else this.end(process, end);
    });
    if (signer !== undefined && this.processes.includes(process)) process.signer = signer;
  }

  private resume(process: Process<F>, answer: Answer): void {
    delete process.signer;
    const next = process.procedure.next(answer);
    if (next.done) this.end(process, { result: next.value });
    else process.effect = next.value;
  }

  private crash(process: Process<F>, label: string): void {
    this.seen.add(`crash: ${label}`);
    if (process.name === "work" && process.snapshots.size === 0)
      this.seen.add(`crash: ${label}, without asking`);
    this.end(process, { failure: label });
  }

  private end(process: Process<F>, end: End): void {
    const index = this.processes.indexOf(process);
    if (index < 0) return;
    this.processes.splice(index, 1);
    process.onEnd(end);
  }
}
