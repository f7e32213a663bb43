import type { Effects, Procedure } from "../../orders/effects.ts";

/** Functions that perform effects, by the effect's name. */
export type Performers = {
  readonly [Name in keyof Effects]?: (
    ask: Effects[Name]["ask"],
  ) => Effects[Name]["answer"] | Promise<Effects[Name]["answer"]>;
};

/**
 * Runs a procedure to its end. A failed effect stops it immediately; the next run continues from the state of the table
 * and the chain.
 *
 * @throws {Error} if an effect fails or no function performs it.
 */
export async function runProcedure<Result>(
  procedure: Procedure<Result>,
  performers: Performers,
): Promise<Result> {
  let next = procedure.next();
  while (!next.done) {
    const effect = next.value;
    const perform = performers[effect.do] as ((ask: object) => unknown) | undefined;
    if (perform === undefined) throw new Error(`No performer for the effect ${effect.do}`);
    next = procedure.next((await perform(effect)) as Effects[keyof Effects]["answer"]);
  }
  return next.value;
}
