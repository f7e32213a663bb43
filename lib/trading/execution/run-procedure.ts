import type { Effects, Procedure } from "../../orders/effects.ts";

/** Functions that perform effects, by the effect's name. */
export type PerformersOf<Map extends { [Name in keyof Map]: { ask: object; answer: unknown } }> = {
  readonly [Name in keyof Map]: (ask: Map[Name]["ask"]) => Map[Name]["answer"] | Promise<Map[Name]["answer"]>;
};

/** Functions that perform the effects of a trading procedure. */
export type Performers = Partial<PerformersOf<Effects>>;

/**
 * Runs a procedure to its end. A failed effect stops it immediately; the next run continues from the state of the table
 * and the chain.
 *
 * @throws {Error} if an effect fails or no function performs it.
 */
export const runProcedure = <Result>(procedure: Procedure<Result>, performers: Performers): Promise<Result> =>
  runEffects(procedure, performers);

/** Runs any generator of effects, as {@link runProcedure} does. */
export async function runEffects<Effect extends { do: string }, Answer, Result>(
  procedure: Generator<Effect, Result, Answer>,
  performers: object,
): Promise<Result> {
  let next = procedure.next();
  while (!next.done) {
    const effect = next.value;
    const perform = (performers as Partial<Record<string, (ask: object) => unknown>>)[effect.do];
    if (perform === undefined) throw new Error(`No performer for the effect ${effect.do}`);
    next = procedure.next((await perform(effect)) as Answer);
  }
  return next.value;
}
