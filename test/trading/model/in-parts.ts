import type { Effect, Procedure } from "../../../lib/orders/effects.ts";

/** Carries out the two parts of `beginLane` one after the other, so that other runs can come between them. */
export function* inParts<Result>(procedure: Procedure<Result>, isReadFirst: boolean): Procedure<Result> {
  let next = procedure.next();
  while (!next.done) {
    const effect = next.value;
    if (effect.do !== "beginLane") {
      next = procedure.next(yield effect);
      continue;
    }
    const { do: _, take, ...ask } = effect;
    const read: Effect = { do: "readLane", ...ask };
    const early = isReadFirst ? yield read : undefined;
    const isTaken = yield { do: "write", step: take };
    const view = isReadFirst ? early : yield read;
    next = procedure.next(isTaken === true ? view : undefined);
  }
  return next.value;
}

/** Half of the runs read a reserved lane before they take it. */
export const isOdd = (holder: string): boolean => Number(holder.replaceAll(/\D/g, "")) % 2 === 1;
