import type { Effects } from "../../lib/orders/effects.ts";
import type { LaneKey } from "../../lib/orders/intent.ts";
import type { WakeEvent } from "../../lib/trading/execution/wake-effect.ts";

/** Keeps the event that starts the first run of a lane, because no other run can take the lane before. */
export class RunEvents {
  #first: WakeEvent | undefined;
  readonly #lane: LaneKey;

  constructor({ chain, wallet }: LaneKey) {
    this.#lane = { chain, wallet };
  }

  note({ job, reservation }: Effects["wake"]["ask"]): void {
    if (reservation !== undefined) this.#first = { ...this.#lane, ...(job && { job }), reservation };
  }

  /** True if a lane waits for its first run. */
  get isWaiting(): boolean {
    return this.#first !== undefined;
  }

  /** Takes the event for the next run. */
  next(): WakeEvent {
    const event = this.#first ?? this.#lane;
    this.#first = undefined;
    return event;
  }
}
