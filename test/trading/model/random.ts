import { mulberry32 } from "../../../lib/local/src/random.ts";

/** Generates random numbers from a seed, so that every history can be replayed. */
export class Random {
  /** Returns a number from 0 up to, but not including, 1. */
  readonly next: () => number;

  constructor(seed: number) {
    this.next = mulberry32(Math.imul(seed, 0x9e3779b1) | 0);
  }

  /** Returns a whole number from 0 up to, but not including, the limit. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<Item>(items: readonly Item[]): Item | undefined {
    return items[this.below(items.length)];
  }
}
