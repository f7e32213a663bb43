import type { Effect, Procedure } from "../../lib/orders/effects.ts";

/** One possible order of several procedures' effects. */
type Schedule = {
  /**
   * Runs procedures to their end.
   *
   * @param perform Performs an effect. It may add procedures.
   */
  run(procedures: Procedure<void>[], perform: (effect: Effect) => unknown): void;
};

/** Effects invisible to other procedures. Their order does not matter. */
const isPrivate = ({ do: name }: Effect) => name === "now";

/** Yields every possible order of the procedures' effects. */
export function* interleavings(): Generator<Schedule> {
  let choices: readonly number[] | undefined = [];
  while (choices !== undefined) {
    const planned: readonly number[] = choices;
    const made: { chosen: number; of: number }[] = [];
    yield {
      run(procedures, perform) {
        const running: { procedure: Procedure<void>; effect: Effect }[] = [];
        const goOn = (procedure: Procedure<void>, answer?: unknown) => {
          let next = procedure.next(answer as never);
          while (!next.done && isPrivate(next.value)) next = procedure.next(perform(next.value) as never);
          return next.done ? undefined : { procedure, effect: next.value };
        };
        for (;;) {
          running.push(...procedures.splice(0).flatMap((procedure) => goOn(procedure) ?? []));
          if (running.length === 0) return;
          const chosen = planned[made.length] ?? 0;
          made.push({ chosen, of: running.length });
          const [{ procedure, effect }] = running.splice(chosen, 1) as [(typeof running)[number]];
          const rest = goOn(procedure, perform(effect));
          if (rest !== undefined) running.push(rest);
        }
      },
    };
    // Counts up like an odometer: advances the last choice with another option and resets the choices after it.
    const last = made.findLastIndex(({ chosen, of }) => chosen + 1 < of);
    const next = (made[last]?.chosen ?? 0) + 1;
    choices = last < 0 ? undefined : [...made.slice(0, last).map(({ chosen }) => chosen), next];
  }
}
