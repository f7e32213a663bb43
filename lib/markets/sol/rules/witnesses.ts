/** The amounts of a pool: those that set its price, in units of the coin and the token, and the coins that it holds. */
export type PoolAmounts = {
  coins: bigint;
  tokens: bigint;
  /** Coins in the pool's account, with fees that it owes to others. */
  held: bigint;
};

/** A pool at a slot, as one host shows it. The time is in epoch seconds. */
export type PoolSighting = PoolAmounts & { slot: number; time: number };

/** Greatest difference of two hosts' times for which one counts as a witness of the other, in seconds. */
const nearSeconds = 10;

/** Number of sightings of a host that are kept. A host shows one each second. */
const mostKept = 30;

export const isSameAmounts = (one: PoolAmounts, other: PoolAmounts): boolean =>
  one.coins === other.coins && one.tokens === other.tokens && one.held === other.held;

const amounts = ["coins", "tokens", "held"] as const;

/** True if each amount is between those of two states. Equal prices would allow any depth and any volume. */
const isBetween = (state: PoolAmounts, one: PoolAmounts, other: PoolAmounts): boolean =>
  amounts.every((name) => (state[name] - one[name]) * (state[name] - other[name]) <= 0n);

/**
 * Sightings of a pool by hosts. No host can be asked for a past slot, so two hosts rarely show the same slot. A
 * sighting counts once another host confirms it: with the same state right before or after it, or with amounts on both
 * sides of its own. The other host must have reached its slot, since slots after a false one would never count.
 */
export class Witnesses {
  readonly #isAlone: boolean;
  readonly #shown = new Map<string, PoolSighting[]>();
  #agreedSlot = -1;

  /** @param isAlone True if the chain has a single host, which is trusted. */
  constructor(isAlone: boolean) {
    this.#isAlone = isAlone;
  }

  /** Notes what a host shows. Ignores slots before its last one, which another server behind its address may show. */
  note(host: string, sighting: PoolSighting): void {
    const shown = this.#shown.get(host) ?? [];
    if (sighting.slot <= (shown.at(-1)?.slot ?? -1)) return;
    this.#shown.set(host, [...shown.slice(1 - mostKept), sighting]);
  }

  /** Takes the sightings that have come to count, in the order of their slots. */
  takeAgreed(): PoolSighting[] {
    const fresh = [...this.#shown].flatMap(([host, shown]) =>
      shown.filter(({ slot }) => slot > this.#agreedSlot).map((sighting) => ({ host, sighting })),
    );
    const agreed = fresh
      .filter(({ host, sighting }) => this.#isAlone || this.#isBorneOut(host, sighting))
      .map(({ sighting }) => sighting)
      .toSorted((a, b) => a.slot - b.slot)
      .filter(({ slot }, index, all) => slot !== all[index - 1]?.slot);
    this.#agreedSlot = agreed.at(-1)?.slot ?? this.#agreedSlot;
    return agreed;
  }

  #isBorneOut(host: string, sighting: PoolSighting): boolean {
    const isNear = (other: PoolSighting | undefined) =>
      other !== undefined && Math.abs(other.time - sighting.time) <= nearSeconds;
    return [...this.#shown].some(([other, shown]) => {
      if (other === host) return false;
      const before = shown.findLast(({ slot }) => slot <= sighting.slot);
      const after = shown.find(({ slot }) => slot >= sighting.slot);
      if (after === undefined) return false;
      const near = [before, after].filter((each) => each !== undefined && isNear(each)) as PoolSighting[];
      const [first, second] = near;
      if (near.some((each) => isSameAmounts(each, sighting))) return true;
      return first !== undefined && second !== undefined && isBetween(sighting, first, second);
    });
  }
}
