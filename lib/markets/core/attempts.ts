/** Counts attempts at something that may keep failing for long. The pause doubles after each failure. */
export class Attempts {
  readonly #pauses: { leastMs: number; mostMs: number };
  #pauseMs: number;
  #nextMs = 0;

  constructor(pauses: { leastMs: number; mostMs: number }) {
    this.#pauses = pauses;
    this.#pauseMs = pauses.leastMs;
  }

  isDue(nowMs: number): boolean {
    return this.#nextMs <= nowMs;
  }

  begin(nowMs: number): void {
    this.#nextMs = nowMs + this.#pauseMs;
    this.#pauseMs = Math.min(2 * this.#pauseMs, this.#pauses.mostMs);
  }

  /** Resets the next pause to the shortest one. */
  succeed(): void {
    this.#pauseMs = this.#pauses.leastMs;
  }
}

/** Longest pause before the program tries again to read the past of a token. Some hosts never return it. */
export const mostPauseMs = 10 * 60_000;

/** Pauses before a history is read again. */
export const historyPauses = { leastMs: 60_000, mostMs: mostPauseMs };
