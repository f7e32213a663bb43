/** Attempts at something that may fail for long. The pause after each doubles. */
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

  /** The next pause is the least one again. */
  succeed(): void {
    this.#pauseMs = this.#pauses.leastMs;
  }
}
