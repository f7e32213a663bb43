import { setTimeout as pause } from "node:timers/promises";

export type RandomTrader = {
  /** Stops trading. Resolves once no trade is being made. */
  stop(): Promise<void>;
};

export type RoundOptions = {
  /** Shortest time between two rounds, in milliseconds. The longest is twice as long. */
  everyMs: number;
  /** Returns a random number from 0 to 1. */
  random: () => number;
  /** Called once for each outage. */
  onFailure: (error: unknown) => void;
};

/**
 * Trades in rounds at random times.
 *
 * @param round Makes the trades of a round. Its signal aborts once the trader stops.
 */
export function tradeInRounds(
  { everyMs, random, onFailure }: RoundOptions,
  round: (signal: AbortSignal) => Promise<void>,
): RandomTrader {
  const stopping = new AbortController();
  const { signal } = stopping;
  let hasFailed = false;

  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        await round(signal);
        hasFailed = false;
      } catch (error) {
        if (!hasFailed && !signal.aborted) onFailure(error);
        hasFailed = true;
      }
      await pause(everyMs * (1 + random()), undefined, { signal }).catch(() => {});
    }
  }

  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
