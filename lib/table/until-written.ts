import { retry } from "./retry.ts";

/**
 * Maximum number of attempts at a change that concurrent requests of one user compete for, far more than are needed to
 * add 50 wallets at once. A function's deadline usually ends the attempts earlier.
 */
export const patientAttempts = 40;

/**
 * Repeats an attempt to change a user's items until it returns a value. An attempt returns undefined if its data changed
 * before the write. The next attempt then reads the data again.
 */
export async function untilWritten<Result>(attempt: () => Promise<Result | undefined>): Promise<Result> {
  const result = await retry(attempt, { attempts: patientAttempts });
  if (result === undefined) throw new Error("The user's items kept changing");
  return result;
}
