import { pauseAfter } from "./writes.ts";

/** Far more than a user needs who adds 50 wallets at once. A function's deadline ends the attempts before. */
const maxAttempts = 40;

/**
 * Repeats an attempt to change wallets, until it returns something. It returns undefined if what it had read has changed
 * before it could write. The next attempt reads that.
 */
export async function untilWritten<Result>(attempt: () => Promise<Result | undefined>): Promise<Result> {
  for (let attempts = 1; attempts <= maxAttempts; attempts++) {
    const result = await attempt();
    if (result !== undefined) return result;
    await pauseAfter(attempts);
  }
  throw new Error("The user's wallets kept changing");
}
