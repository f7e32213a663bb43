import type { Effects, Procedure } from "../domain/trading/effects.ts";

/** Carries out effects, by their names. */
export type Performers = {
  readonly [Name in keyof Effects]?: (
    ask: Effects[Name]["ask"],
  ) => Effects[Name]["answer"] | Promise<Effects[Name]["answer"]>;
};

/**
 * Runs a procedure to its end. An effect that fails ends it where it stands: whichever run comes next goes on from what the
 * table and the chain say.
 *
 * @throws {Error} of an effect, or if nothing carries it out.
 */
export async function runProcedure<Result>(
  procedure: Procedure<Result>,
  performers: Performers,
): Promise<Result> {
  let next = procedure.next();
  while (!next.done) {
    const effect = next.value;
    const perform = performers[effect.do] as ((ask: object) => unknown) | undefined;
    if (perform === undefined) throw new Error(`Nothing carries out the effect ${effect.do}`);
    next = procedure.next((await perform(effect)) as Effects[keyof Effects]["answer"]);
  }
  return next.value;
}
