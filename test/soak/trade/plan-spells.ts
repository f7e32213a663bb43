import type { TradingChain } from "../../../lib/core/chain-facts.ts";
import type { Chance } from "../chance.ts";

/** Start or end of a spell on a chain after a number of orders. */
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
  /** Orders between two starts, unless the run is too short. */
  everyOrders: number;
  /** Returns the number of orders during a spell. */
  lengthOf(spell: Name, every: number): number;
};

/** Plans all spells in turn, in a new random order each time, each on some chain. */
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
  // Sorts an end before a start after equally many orders.
  return changes.toSorted((a, b) => a.after - b.after || Number(b.isEnd) - Number(a.isEnd));
}
