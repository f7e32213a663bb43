import type { EvmSnapshot } from "../../../lib/chains/evm/rules/host-snapshot.ts";
import type { Effect, Effects, Procedure } from "../../../lib/orders/effects.ts";
import type { ItemWrite } from "../../../lib/orders/table-step.ts";
import { type System, theSystem } from "./system.ts";

export type Answer = Effects[keyof Effects]["answer"];
export type Rewrite = {
  effect?: (effect: Effect) => Effect;
  answer?: (effect: Effect, answer: Answer) => Answer;
};

/** Runs a procedure with rewritten effects or results. */
export function* rewritten<Result>(
  procedure: Procedure<Result>,
  { effect = (same) => same, answer = (_, same) => same }: Rewrite,
): Procedure<Result> {
  let next = procedure.next();
  while (!next.done) {
    const wanted = next.value;
    next = procedure.next(answer(wanted, yield effect(wanted)));
  }
  return next.value;
}

/** Writes orders first, and these items in a second transaction. */
export function* writesLater<Result>(
  procedure: Procedure<Result>,
  ...kinds: readonly ItemWrite["of"][]
): Procedure<Result> {
  const isLater = (write: ItemWrite) => write.kind === "put" && kinds.includes(write.of);
  let next = procedure.next();
  while (!next.done) {
    const effect = next.value;
    if (effect.do === "write") {
      const later = effect.step.filter(isLater);
      const answer = yield { ...effect, step: effect.step.filter((write) => !isLater(write)) };
      if (answer === true && later.length > 0) yield { ...effect, step: later };
      next = procedure.next(answer);
    } else next = procedure.next(yield effect);
  }
  return next.value;
}

export const inWrites = (change: (write: ItemWrite) => readonly ItemWrite[]): Rewrite => ({
  effect: (effect) => (effect.do === "write" ? { ...effect, step: effect.step.flatMap(change) } : effect),
});

export const inSnapshots = (change: (snapshot: EvmSnapshot) => EvmSnapshot): Rewrite => ({
  answer: (effect, answer) =>
    effect.do === "hostSnapshot" && answer !== undefined ? change(answer as EvmSnapshot) : answer,
});

/** Replaces the procedure that works on lanes. */
export const work = (rewrite: () => Rewrite): System => ({
  ...theSystem,
  work: (...args) => rewritten(theSystem.work(...args), rewrite()),
});

/** Records what a fill has earned as soon as it is in a block. */
export const earnsEarly = (): Rewrite =>
  inWrites((write) => {
    if (write.kind !== "put" || write.of !== "order") return [write];
    const { intent, life, updatedAt } = write.item;
    if (life.status !== "filled" || life.settled) return [write];
    const { userID, orderId, chain, token, side } = intent;
    const coinUnits = String(side === "buy" ? life.spent : life.received);
    const order = { userID, orderId, chain, token, side, coinUnits };
    const item = { kind: "fill", ...order, filledAt: updatedAt, at: updatedAt } as const;
    return [write, { kind: "put", of: "earned", item }];
  });
