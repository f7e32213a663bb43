import { Superseded } from "./token-store.ts";

/** Carries out the steps of a run. A failed step is repeated later. */
export class RunSteps {
  readonly #onFault: (error: unknown) => void;
  #isSuperseded = false;

  /** @param onFault Receives the errors of steps. */
  constructor(onFault: (error: unknown) => void) {
    this.#onFault = onFault;
  }

  /** True once a later run is known to have taken over. This run may store nothing more then. */
  get isSuperseded(): boolean {
    return this.#isSuperseded;
  }

  async survive(step: () => Promise<unknown>): Promise<void> {
    try {
      await step();
    } catch (error) {
      if (error instanceof Superseded) this.#isSuperseded = true;
      else this.#onFault(error);
    }
  }
}
