import { say } from "./child.ts";

export type FloorRequest<Configuration> = {
  configuration: Configuration;
  wallet: string;
  /** Bytes in hex. */
  secret: string;
  token: string;
  /** Amount of coins as decimal text. */
  amount: string;
};

/** `cpuMs` covers the whole process. */
export type FloorAnswer = { agreedAt: number; cpuMs: number };

/**
 * Serves trades to the benchmark.
 *
 * @param trade Returns the time at which two hosts agreed.
 */
export function serveFloor<Configuration>(
  trade: (request: FloorRequest<Configuration>) => Promise<number>,
): void {
  process.on("message", async (request: FloorRequest<Configuration>) => {
    try {
      const agreedAt = await trade(request);
      const { user, system } = process.cpuUsage();
      say({ agreedAt, cpuMs: (user + system) / 1000 } satisfies FloorAnswer);
    } catch (error) {
      // Catches errors, because an uncaught one would print the whole bundle.
      console.error(`The floor failed: ${error}`);
      process.exit(1);
    }
  });
  say({});
}
