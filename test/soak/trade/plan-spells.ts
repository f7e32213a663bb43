import type { TradingChain } from "../../../lib/core/chain-facts.ts";
import type { Chance } from "../chance.ts";

/** Start or end of a spell, a period of faults, on a chain after a number of orders. */
export type SpellChange<Name extends string, Chain extends TradingChain> = {
  after: number;
  isEnd: boolean;
  spell: Name;
  chain: Chain;
};

export type SpellPlan<Name extends string, Chain extends TradingChain> = {
  /** Possible spells. Those without an end are momentary. */
  spells: Readonly<Record<Name, object>>;
  chainFor(spell: Name): Chain;
  /** Number of orders between the starts of two spells, unless the run is too short. */
  everyOrders: number;
  /** Returns the number of orders during which a spell lasts. */
  lengthOf(spell: Name, every: number): number;
};

/** Plans all spells one after another, each on some chain, and repeats them in a new random order. */
export function planSpells<Name extends string, Chain extends TradingChain>(
  orders: number,
  chance: Chance,
  { spells, chainFor, everyOrders, lengthOf }: SpellPlan<Name, Chain>,
): SpellChange<Name, Chain>[] {
  const names = Object.keys(spells) as Name[];
  const every = Math.max(1, Math.min(everyOrders, Math.floor(orders / (names.length + 2))));
  const changes: SpellChange<Name, Chain>[] = [];
  let coming: Name[] = [];
  for (let after = every; after + every <= orders; after += every) {
    if (coming.length === 0) coming = chance.shuffled(names);
    const spell = coming.shift() as Name;
    const chain = chainFor(spell);
    changes.push({ after, isEnd: false, spell, chain });
    if ("end" in spells[spell])
      changes.push({ after: after + lengthOf(spell, every), isEnd: true, spell, chain });
  }
  // Sorts the end of a spell before the start of another after the same number of orders.
  return changes.toSorted((a, b) => a.after - b.after || Number(b.isEnd) - Number(a.isEnd));
}
