import { Superseded } from "./token-store.ts";

/** Carries out the steps of a run. A failed step is repeated later. */
export class RunSteps {
  readonly #onFault: (error: unknown) => void;
  #isSuperseded = false;

  /** @param onFault Receives the errors of steps. */
  constructor(onFault: (error: unknown) => void) {
    this.#onFault = onFault;
  }

  /** True once it is known that a later run has taken over. This run must not store anything after that. */
  get isSuperseded(): boolean {
    return this.#isSuperseded;
  }

  async survive(step: () => Promise<unknown>): Promise<void> {
    await this.given(step);
  }

  /** Carries out a step, and returns its result. Undefined if it fails. */
  async given<Result>(step: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await step();
    } catch (error) {
      if (error instanceof Superseded) this.#isSuperseded = true;
      else this.#onFault(error);
      return undefined;
    }
  }
}
