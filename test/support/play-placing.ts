import type { Effect, PlacingView } from "../../lib/orders/effects.ts";
import type { FamilyTypes, HostAnswers } from "../../lib/orders/family.ts";
import type { makingChild } from "../../lib/trading/procedures/child-order.ts";
import type { placing, trying } from "../../lib/trading/procedures/placing.ts";
import type { placingResting, tryingResting } from "../../lib/trading/procedures/placing-resting.ts";
import { codeOf } from "./place-request.ts";

/** Responses of the table and the hosts, in sequence. The last view and the last quote repeat. */
export type Results<F extends FamilyTypes> = {
  views?: readonly PlacingView<F>[] | undefined;
  quotes?: readonly HostAnswers<F>[] | undefined;
  /** Outcome of each write, in sequence. */
  written?: readonly boolean[] | undefined;
  /** Time of the function's clock. By default long after the request. */
  nowMs?: number | undefined;
};

type Played = ReturnType<
  typeof placing | typeof trying | typeof makingChild | typeof placingResting | typeof tryingResting
>;

/** Plays the placement or dry run of an order, or the making of a child, with these responses. */
export function playPlacing<F extends FamilyTypes, Procedure extends Played>(
  procedure: Procedure,
  { views = [], quotes = [], written = [true], nowMs = Date.UTC(2100, 0) }: Results<F>,
) {
  const effects: Effect[] = [];
  const counts = new Map<string, number>();
  const nth = <Each>(name: string, list: readonly Each[]): Each => {
    const index = counts.get(name) ?? 0;
    counts.set(name, index + 1);
    return list[Math.min(index, list.length - 1)] as Each;
  };
  let next = procedure.next();
  while (!next.done) {
    const effect = next.value;
    effects.push(effect);
    if (effect.do === "readPlacing") next = procedure.next(nth<PlacingView>(effect.do, views));
    else if (effect.do === "quote") next = procedure.next(nth<HostAnswers<F>>(effect.do, quotes) as never);
    else if (effect.do === "now") next = procedure.next(nowMs);
    else if (effect.do === "write") next = procedure.next(nth(effect.do, written));
    else next = procedure.next(effect.do.startsWith("make") ? "mac" : undefined);
  }
  const answer = next.value as Extract<ReturnType<Procedure["next"]>, { done: true }>["value"];
  return {
    answer,
    code: "refused" in answer ? codeOf(answer.refused) : undefined,
    did: effects.map((effect) => effect.do),
    effects,
  };
}
