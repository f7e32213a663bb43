import type { LaneKey } from "../../orders/intent.ts";

/** Maximum number of simultaneous invocations. */
const mostAtOnce = 32;

/** Wakes lanes of one chain in the background, so that waking many of them does not delay the next look. */
export class WakeQueue {
  readonly #wake: (lane: LaneKey) => Promise<unknown>;
  /** Lanes that wait to be woken, by wallet, so that no lane is woken twice. */
  readonly #waiting = new Map<string, LaneKey>();
  #running = 0;
  #idle = Promise.withResolvers<void>();

  /** @param wake Wakes a lane. Must not reject. */
  constructor(wake: (lane: LaneKey) => Promise<unknown>) {
    this.#wake = wake;
    this.#idle.resolve();
  }

  add(lane: LaneKey): void {
    this.#waiting.set(lane.wallet, lane);
    if (this.#running === mostAtOnce) return;
    if (this.#running++ === 0) this.#idle = Promise.withResolvers<void>();
    void this.#work();
  }

  /** Waits until all lanes are woken. */
  emptied(): Promise<void> {
    return this.#idle.promise;
  }

  async #work(): Promise<void> {
    for (const [wallet, lane] of this.#waiting) {
      this.#waiting.delete(wallet);
      await this.#wake(lane);
    }
    if (--this.#running === 0) this.#idle.resolve();
  }
}
