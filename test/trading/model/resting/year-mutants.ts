import { least } from "../../../../lib/orders/bigints.ts";
import type { ParentView } from "../../../../lib/orders/resting/firing.ts";
import type { RestingOrder } from "../../../../lib/orders/resting/life.ts";
import { scaled } from "../../../../lib/orders/resting/prices.ts";
import type { PriceWord } from "../../../../lib/orders/resting/touch.ts";
import { type RestingSystem, restingSystem } from "./resting-world.ts";

/** Makes the code under test. A mutant replaces a part of it. */
export type MakeSystem = (nowMs: () => number) => Partial<RestingSystem>;

/** Changes an order that fireOrders reads. */
const reading =
  (change: (order: RestingOrder, nowMs: number) => Partial<RestingOrder>): MakeSystem =>
  (nowMs) => ({ view: (view) => ({ ...view, order: { ...view.order, ...change(view.order, nowMs()) } }) });

/** Answers for earlier blocks that the price was as low as it is now. */
const lowNow = (word: PriceWord | undefined, distances: readonly number[]): PriceWord | undefined => {
  const { out } = word ?? {};
  if (word === undefined || out === undefined) return word;
  const before = distances.map((each): [number, bigint] => [each, least(out, word.before.get(each) ?? out)]);
  return { ...word, before: new Map(before) };
};

const dearer = (word: PriceWord | undefined) => word && { ...word, out: word.out && 2n * word.out };

/** Faults that show only in blocks that follow each other, or only after days. */
export const yearMutants: Readonly<Record<string, MakeSystem>> = {
  "ignores the end of an order": reading(({ mandate }) => ({
    mandate: { ...mandate, expiresAt: mandate.expiresAt + 10 ** 8 },
  })),
  "lets a mark fall": reading(({ mark }) =>
    mark === undefined ? {} : { mark: { ...mark, price: scaled(mark.price, 950_000n) } },
  ),
  "fires a stop by a single block": () => ({
    heardPrices: ([a, b], distances) => [lowNow(a, distances), lowNow(b, distances)],
  }),
  "pauses a leg before its first child": reading(({ legs }, nowMs) => ({
    legs: legs.map(({ tries }) => ({ tries, nextAtMs: nowMs + 5000 })),
  })),
  "never begins a new count of a day's orders": () => {
    let count = 0;
    return {
      objection: (facts, nowMs) => restingSystem.objection({ ...facts, newOfDay: count }, nowMs),
      tally(facts, nowMs, givenBack) {
        count += Number(facts.tally === undefined);
        return restingSystem.tally(facts, nowMs, givenBack);
      },
    };
  },
  "lets exits rest whose stops would sell at once": () => ({
    heardBirth: ([a, b]) => [dearer(a), dearer(b)],
  }),
  "lets the lane of a wallet keep others waiting": () => {
    const lanes = new Map<string, ParentView["busy"]>();
    return {
      view(view) {
        lanes.set(view.order.mandate.wallet, view.busy);
        return { ...view, busy: view.busy ?? [...lanes.values()].find((busy) => busy !== undefined) };
      },
    };
  },
  "pauses a leg for hours after a dead child": reading(({ legs }) => ({
    legs: legs.map(({ tries, nextAtMs }) => ({ tries, nextAtMs: nextAtMs + tries * 7_200_000 })),
  })),
};
