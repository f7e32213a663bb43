import { retry } from "./retry.ts";

/** Far more than a user needs who adds 50 wallets at once. A function's deadline ends the attempts before. */
const maxAttempts = 40;

/**
 * Repeats an attempt to change wallets, until it returns something. It returns undefined if what it had read has changed
 * before it could write. The next attempt reads that.
 */
export async function untilWritten<Result>(attempt: () => Promise<Result | undefined>): Promise<Result> {
  const result = await retry(attempt, { attempts: maxAttempts });
  if (result === undefined) throw new Error("The user's wallets kept changing");
  return result;
}
