import { setTimeout as pause } from "node:timers/promises";

export type Patience = {
  attempts: number;
  /** Time after which no further attempt begins. */
  forMs?: number;
};

/**
 * Repeats an attempt as long as it returns undefined, after growing, random pauses.
 *
 * @returns the result, or undefined if no attempt had one.
 */
export async function retry<Result>(
  attempt: (isLast: boolean) => Promise<Result | undefined>,
  { attempts, forMs = Number.POSITIVE_INFINITY }: Patience,
): Promise<Result | undefined> {
  const endMs = Date.now() + forMs;
  for (let number = 1; number <= attempts; number++) {
    const result = await attempt(number === attempts);
    if (result !== undefined) return result;
    if (number < attempts) await pauseAfter(number);
    if (Date.now() >= endMs) return undefined;
  }
  return undefined;
}

const maxPauseMs = 800;

/** Picks a random pause, so that competing writers do not all try again at the same time. */
const pauseAfter = (attempts: number) => pause(Math.random() * Math.min(maxPauseMs, 50 * 2 ** attempts));
