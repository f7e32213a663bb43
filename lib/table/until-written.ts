import { retry } from "./retry.ts";

/** Most attempts, far more than adding 50 wallets at once needs. A function's deadline ends them earlier. */
const maxAttempts = 40;

/**
 * Repeats an attempt to change wallets until it returns a value. An attempt returns undefined if its data changed
 * before the write, and the next one reads the data again.
 */
export async function untilWritten<Result>(attempt: () => Promise<Result | undefined>): Promise<Result> {
  const result = await retry(attempt, { attempts: maxAttempts });
  if (result === undefined) throw new Error("The user's wallets kept changing");
  return result;
}
