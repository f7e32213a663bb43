/** A seeded source of choices: the same seed makes the same choices in the same order. */
export type Chance = {
  /** From 0 to 1, 1 excluded. */
  number(): number;
  /** A whole number from 0 to `limit`, `limit` excluded. */
  below(limit: number): number;
  pick<Choice>(choices: readonly [Choice, ...Choice[]] | readonly Choice[]): Choice;
  /** Picks a name with a probability in proportion to its weight. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name;
};

export function createChance(seed: string): Chance {
  let state = 0x811c9dc5;
  for (const byte of Buffer.from(seed)) state = Math.imul(state ^ byte, 0x01000193);
  // Mulberry32.
  const number = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(number() * limit);
  return {
    number,
    below,
    pick: <Choice>(choices: readonly Choice[]) => choices[below(choices.length)] as Choice,
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
