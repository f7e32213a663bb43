/** The most calls of one run. Even if each made a function run until its timeout, all of them would cost less than a dollar. */
export const maxCalls = 600;

/** Counts requests, handshakes, messages and calls of AWS, and ends a run that makes too many. */
export class CallLimit {
  made = 0;
  #cleaning = false;

  /** @throws {Error} if there were too many. Nothing stops the clean-up. */
  count(): void {
    this.made++;
    if (this.made > maxCalls && !this.#cleaning)
      throw new Error(`The checks have made ${maxCalls} calls, which is the most that they may`);
  }

  /** From now on, calls are counted but not limited. */
  lift(): void {
    this.#cleaning = true;
  }

  /** Middleware of an SDK client, to be added {@link beforeEachAttempt}. */
  readonly counted =
    <Args, Output>(next: (args: Args) => Promise<Output>) =>
    async (args: Args): Promise<Output> => {
      this.count();
      return next(args);
    };
}

/** A low priority puts it into the SDK's retries, so that it sees each attempt. */
export const beforeEachAttempt = { step: "finalizeRequest", priority: "low", name: "callLimit" } as const;
