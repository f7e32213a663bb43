import type { TerminalState } from "./stream-types.ts";

type Waiter = { check: (state: TerminalState) => void; reject: (error: unknown) => void };

/** Calls that wait for a later state. */
export class Waiters {
  readonly #waiters = new Set<Waiter>();
  #isClosed = false;

  /**
   * Resolves to the first result that is neither undefined, null nor false, starting with `state`. Rejects with the
   * signal's reason when it aborts.
   */
  add<Found>(
    find: (state: TerminalState) => Found | undefined | null | false,
    state: TerminalState | undefined,
    signal: AbortSignal,
  ): Promise<Found> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(closedError());
      if (signal.aborted) return reject(signal.reason);
      const check = (shown: TerminalState) => {
        try {
          const found = find(shown);
          if (found === undefined || found === null || found === false) return;
          resolve(found);
        } catch (error) {
          reject(error);
        }
        this.#waiters.delete(waiter);
      };
      const waiter = { check, reject };
      this.#waiters.add(waiter);
      signal.addEventListener("abort", () => this.#waiters.delete(waiter) && reject(signal.reason));
      if (state !== undefined) check(state);
    });
  }

  check(state: TerminalState): void {
    // Any waiter may close the stream.
    for (const waiter of [...this.#waiters]) if (this.#waiters.has(waiter)) waiter.check(state);
  }

  close(): void {
    this.#isClosed = true;
    for (const { reject } of this.#waiters) reject(closedError());
    this.#waiters.clear();
  }
}

const closedError = () => new Error("The stream is closed");
