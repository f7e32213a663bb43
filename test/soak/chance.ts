import { seededRandom } from "../../lib/local/src/random.ts";

/** A seeded source of choices. The same seed yields the same choices in the same order. */
export type Chance = {
  /** Returns a number from 0 to 1, excluding 1. */
  number(): number;
  /** Returns a whole number from 0 to `limit`, excluding `limit`. */
  below(limit: number): number;
  pick<Choice>(choices: readonly [Choice, ...Choice[]] | readonly Choice[]): Choice;
  shuffled<Choice>(choices: readonly Choice[]): Choice[];
  /** Picks a name with a probability proportional to its weight. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name;
};

export function createChance(seed: string): Chance {
  const number = seededRandom(seed);
  const below = (limit: number) => Math.floor(number() * limit);
  return {
    number,
    below,
    pick: <Choice>(choices: readonly Choice[]) => choices[below(choices.length)] as Choice,
    shuffled: <Choice>(choices: readonly Choice[]) =>
      choices
        .map((choice) => ({ choice, place: number() }))
        .toSorted((a, b) => a.place - b.place)
        .map(({ choice }) => choice),
    weighted<Name extends string>(weights: Readonly<Record<Name, number>>) {
      const entries = Object.entries(weights) as [Name, number][];
      let left = number() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      const found = entries.find(([, weight]) => {
        left -= weight;
        return left < 0;
      });
      return (found ?? (entries.at(-1) as [Name, number]))[0];
    },
  };
}
