import type { Clock } from "../../../lib/client/clock.ts";

type Timer = { atMs: number; act: () => void };

/** A clock that only its test advances. Its random numbers are always the lowest. */
export class VirtualClock implements Clock {
  /** Lets promises proceed as far as they can. Tests replace it if they work outside this thread. */
  static settled = () => new Promise<void>((resolve) => setImmediate(resolve));

  #nowMs = 0;
  #timers: Timer[] = [];
  random = () => 0;

  readonly nowMs = () => this.#nowMs;

  readonly dateMs = () => Date.parse("2026-11-21T09:30:00Z") + this.#nowMs;

  /** Counts the pending timers. */
  readonly timers = () => this.#timers.length;

  after(ms: number, act: () => void): () => void {
    const timer = { atMs: this.#nowMs + ms, act };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Runs due timers in order, including new ones, until none is left. */
  async advance(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms;
    for (;;) {
      await VirtualClock.settled();
      const next = this.#timers.toSorted((a, b) => a.atMs - b.atMs)[0];
      if (next === undefined || next.atMs > endMs) break;
      this.#timers = this.#timers.filter((other) => other !== next);
      this.#nowMs = next.atMs;
      next.act();
    }
    this.#nowMs = endMs;
  }

  /** Runs one timer at a time until the promise settles, but not without end. */
  async during<Value>(promise: Promise<Value>, most = 1000): Promise<Value> {
    let done = false;
    const mark = () => {
      done = true;
    };
    promise.then(mark, mark);
    for (let turns = 0; turns < most; turns++) {
      await VirtualClock.settled();
      if (done) return promise;
      const dueMs = Math.min(...this.#timers.map(({ atMs }) => atMs));
      if (dueMs === Number.POSITIVE_INFINITY) break;
      await this.advance(dueMs - this.#nowMs);
    }
    throw new Error("The promise is pending, but no timer is left");
  }
}
