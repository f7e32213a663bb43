import type { Random } from "../random.ts";

type Period = { fromMs: number; toMs: number };

/** Seconds between two trades of strangers on average, and how far one of them moves the price. */
const moods = {
  quiet: { everySeconds: 10_800, step: 0.002, pushes: 0.02, jumps: 0.005 },
  usual: { everySeconds: 1800, step: 0.005, pushes: 0.04, jumps: 0.005 },
  volatile: { everySeconds: 240, step: 0.008, pushes: 0.03, jumps: 0.002 },
};

const weekMs = 604_800_000;
const dayMs = 86_400_000;
const usualPrice = 1_000_000;

/** What strangers, hosts and the chain do in a year: quiet and volatile weeks, pushes, crashes, faults and halts. */
export class Weather {
  readonly #random: Random;
  readonly #startMs: number;
  #halt: Period;
  #fault: Period;
  /** Price before a push, and the number of blocks until it returns. */
  #pushed: { price: number; blocks: number } | undefined;
  /** Price in millionths of a coin. */
  price = usualPrice;
  /** Time of the next trade of a stranger. */
  nextMs: number;

  constructor(random: Random, startMs: number) {
    this.#random = random;
    this.#startMs = startMs;
    this.nextMs = startMs;
    this.#halt = this.#later(startMs, 14 * dayMs, 120 * 60_000);
    this.#fault = this.#later(startMs, 3 * dayMs, 20 * 60_000);
  }

  /** Makes a period that begins once in a while. */
  #later(afterMs: number, everyMs: number, mostMs: number): Period {
    const fromMs = afterMs + Math.floor(this.#random.next() * 2 * everyMs);
    return { fromMs, toMs: fromMs + 60_000 + this.#random.below(mostMs) };
  }

  isHalted(nowMs: number): boolean {
    if (nowMs >= this.#halt.toMs) this.#halt = this.#later(nowMs, 14 * dayMs, 120 * 60_000);
    return nowMs >= this.#halt.fromMs;
  }

  isFaulty(nowMs: number): boolean {
    if (nowMs >= this.#fault.toMs) this.#fault = this.#later(nowMs, 3 * dayMs, 20 * 60_000);
    return nowMs >= this.#fault.fromMs;
  }

  /** Time before which nothing changes. */
  get calmUntilMs(): number {
    return Math.min(this.nextMs, this.#halt.fromMs, this.#fault.fromMs);
  }

  #moodAt(nowMs: number): (typeof moods)["usual"] {
    const week = Math.floor((nowMs - this.#startMs) / weekMs);
    return week % 6 === 0 ? moods.volatile : week % 3 === 1 ? moods.quiet : moods.usual;
  }

  /** Moves the price for the next block. */
  blow(nowMs: number): void {
    const random = this.#random;
    if (this.#pushed !== undefined) {
      this.#pushed.blocks--;
      if (this.#pushed.blocks > 0) return;
      this.price = this.#pushed.price;
      this.#pushed = undefined;
      return;
    }
    if (nowMs < this.nextMs) return;
    const { everySeconds, step, pushes, jumps } = this.#moodAt(nowMs);
    // In a flurry, blocks with trades follow each other.
    const isFlurry = random.chance(0.3);
    this.nextMs = nowMs + (isFlurry ? 12_000 : Math.ceil(random.next() * 2 * everySeconds * 1000));
    if (random.chance(pushes)) {
      const { price } = this;
      this.#pushed = { price, blocks: random.chance(0.5) ? 1 : 2 };
      this.nextMs = nowMs;
      this.price = this.#moved((random.next() - 0.5) * 0.6);
    } else if (random.chance(jumps)) this.price = this.#moved(random.next() * 0.6 - 0.35);
    else this.price = this.#moved((random.next() + random.next() - 1) * 2.4 * step);
  }

  /** Moves the price by a share. Draws it back if it is far from the usual one. */
  #moved(share: number): number {
    const back = 0.002 * Math.log(usualPrice / this.price);
    return Math.max(100_000, Math.round(this.price * Math.exp(share + back)));
  }
}
