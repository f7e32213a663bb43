import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";

/** One assumption about AWS. `Given` is what checks work on. */
export type Check<Given> = {
  /** The assumption, as a sentence. */
  says: string;
  /** Takes longer than half a minute even if all is well. */
  slow?: true;
  /** Only a person can make it. */
  byHand?: true;
  /** Resolves if the assumption holds. Throws {@link Skip} if it cannot be seen here, and anything else if it is wrong. */
  run: (given: Given) => Promise<void>;
};

/** The checks of one part of the service, in their order. Later ones may build on what earlier ones made. */
export type CheckGroup<Given> = { title: string; checks: readonly Check<Given>[] };

/** The check cannot be made here. The message says why, and perhaps what would help. */
export class Skip extends Error {
  override readonly name = "Skip";
}

/** The assumption is wrong. The message says what was seen instead. */
export class Refuted extends Error {
  override readonly name = "Refuted";
}

/** A check that a person has to make: it would break the service for its users, or takes days. */
export const byHand = (says: string): Check<unknown> => ({
  says,
  byHand: true,
  run: async () => {
    throw new Skip("by hand, as docs/verify-live.md says");
  },
});

/** @throws {Refuted} with the message unless the condition holds. */
export function expectThat(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Refuted(message);
}

/** @throws {Refuted} unless both are deeply equal. */
export function expectSame(what: string, found: unknown, wanted: unknown): void {
  expectThat(
    isDeepStrictEqual(found, wanted),
    `${what} is ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`,
  );
}

export type Patience = { withinMs: number; everyMs: number; signal: AbortSignal };

/**
 * Repeats a probe until it returns something.
 *
 * @throws {Refuted} with the message when the time is up.
 */
export async function eventually<Found>(
  message: string,
  { withinMs, everyMs, signal }: Patience,
  probe: () => Promise<Found | undefined>,
): Promise<Found> {
  const until = performance.now() + withinMs;
  for (;;) {
    const found = await probe();
    if (found !== undefined) return found;
    if (performance.now() > until) throw new Refuted(`${message} within ${withinMs / 1000} s`);
    await pause(everyMs, undefined, { signal });
  }
}
