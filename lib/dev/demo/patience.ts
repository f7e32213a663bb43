import { setTimeout as delay } from "node:timers/promises";
import { StartupError } from "cdk-local-runner";

/** Something is away, or overloaded. It may answer later. */
export class Away extends Error {}

/** How long something may be away, and what to do between two tries. */
export type DemoPatience = { ms: number; nowMs: () => number; pause: (ms: number) => Promise<unknown> };

export const patienceOf = (ms: number): DemoPatience => ({ ms, nowMs: Date.now, pause: delay });

const pauseMs = 250;

/**
 * Repeats what fails because a runner was killed and is not back yet.
 *
 * @throws StartupError if it stays away
 */
export async function patiently<Answer>(
  { ms, nowMs, pause }: DemoPatience,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  const startMs = nowMs();
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Away)) throw error;
      if (nowMs() - startMs > ms) throw new StartupError(`${error.message}, for ${ms / 1000} seconds`);
      await pause(pauseMs);
    }
  }
}
