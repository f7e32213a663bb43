import type { Candle } from "../core/candle.ts";
import type { PoolBooks } from "../core/market-book.ts";
import type { ShownPools } from "./look-at-pools.ts";
import { decimalsOfCoin, type SolPool } from "./pools.ts";
import {
  addSample,
  newSampleBook,
  priceIn,
  type SampleBook,
  takeSampledMinutes,
} from "./rules/sample-book.ts";
import { type PoolSighting, Witnesses } from "./rules/witnesses.ts";

/** A watched pool: its accounts, what hosts have shown of it, and what is known about it. */
export type PoolWatch = {
  readonly pool: SolPool;
  readonly book: SampleBook;
  readonly witnesses: Witnesses;
  /** Number of successive looks in which no host has shown that the pool trades. */
  missing: number;
};

/** Greatest difference of two hosts' times for which both show the same chain, in seconds. */
const nearSeconds = 10;

/** The pools that a run watches, and the newest slot that two hosts have shown. */
export class PoolWatches {
  readonly #isAlone: boolean;
  readonly #watches = new Map<string, PoolWatch>();
  #look: { number: number; time: number } | undefined;

  /** @param isAlone True if the chain has a single host, which is trusted. */
  constructor(isAlone: boolean) {
    this.#isAlone = isAlone;
  }

  /** The older one of the newest slots that two hosts have shown, with its time. */
  get look() {
    return this.#look;
  }

  get all(): PoolWatch[] {
    return [...this.#watches.values()];
  }

  get(pool: string): PoolWatch | undefined {
    return this.#watches.get(pool);
  }

  /**
   * Starts to watch a pool.
   *
   * @param last The last state that an earlier run knew, from which the candles continue.
   * @param minutes The minute candles that the earlier run has stored.
   */
  watch(pool: SolPool, decimals: number, last?: PoolSighting, minutes: readonly Candle[] = []): void {
    if (this.#watches.has(pool.pool)) return;
    const sampled = { pool: pool.pool, quote: pool.quote, decimals, quoteDecimals: decimalsOfCoin };
    const book = newSampleBook(sampled, last, minutes);
    this.#watches.set(pool.pool, { pool, book, witnesses: new Witnesses(this.#isAlone), missing: 0 });
  }

  /** Forgets all pools but these. */
  keep(pools: ReadonlySet<string>): void {
    for (const pool of this.#watches.keys()) if (!pools.has(pool)) this.#watches.delete(pool);
  }

  /** Takes the states that hosts show. A single host's answer changes nothing, unless the chain has no other. */
  take(looks: readonly ShownPools[]): void {
    const heads = looks.map(({ head }) => head).toSorted((a, b) => a.number - b.number);
    const [first, second = this.#isAlone ? first : undefined] = heads;
    const isAgreed = first && second && Math.abs(first.time - second.time) <= nearSeconds;
    if (isAgreed && first.number >= (this.#look?.number ?? 0)) this.#look = first;
    for (const [name, watch] of this.#watches) {
      const sightings = looks.flatMap(({ host, pools }) => {
        const sighting = pools.get(name);
        return sighting === undefined ? [] : [{ host, sighting }];
      });
      for (const { host, sighting } of sightings) watch.witnesses.note(host, sighting);
      watch.missing = sightings.length === 0 ? watch.missing + 1 : 0;
      for (const sighting of watch.witnesses.takeAgreed()) addSample(watch.book, sighting);
    }
  }

  readonly books: PoolBooks = {
    priceIn: (pool) => {
      const watch = this.#watches.get(pool);
      return watch && priceIn(watch.book);
    },
    knownFrom: (pool) => this.#watches.get(pool)?.book.from,
    takeMinutes: (pool) => {
      const watch = this.#watches.get(pool);
      return watch && takeSampledMinutes(watch.book);
    },
  };
}
