import type { Block } from "../../../../lib/orders/block.ts";
import type { Random } from "../random.ts";

/** A transaction of the wallet. Its bytes live for ever. */
export type Signed = {
  hash: string;
  kind: "swap" | "clear" | "foreign";
  nonce: number;
  /** Order of the swap, or of what the clear clears. */
  orderId: string;
  /** A swap fails in a later block. In seconds. */
  deadline: number;
  amount: bigint;
  minAmountOut: bigint;
};

export type Mined = { tx: Signed; status: "ok" | "failed"; out: bigint };

/** A block, with the price of a token and the wallet's next nonce after it. The price is in millionths of a coin. */
export type PricedBlock = Block & { price: bigint; nonce: number; mined: readonly Mined[] };

const blockSeconds = 12;
const whole = 1_000_000n;

export const outAtPrice = (price: bigint, amount: bigint): bigint => (amount * price) / whole;

/** A fill in the canonical chain. */
export type Fill = { orderId: string; amount: bigint; out: bigint; time: number; number: number };

/** A chain of one wallet, whose last blocks may be replaced. */
export class RestingChain {
  readonly #random: Random;
  blocks: readonly PricedBlock[];
  /** The chain before the last reorganisation. Some hosts still show it. */
  before: readonly PricedBlock[];
  readonly pool: Signed[] = [];
  price: bigint;
  /** Probability that a block leaves out a transaction that it could include. */
  delays = 0.3;
  #forks = 0;

  constructor(random: Random, startSeconds: number, price: bigint) {
    this.#random = random;
    this.price = price;
    const genesis = Array.from({ length: 8 }, (_, number) => ({
      number,
      hash: `b${number}`,
      time: startSeconds + (number - 7) * blockSeconds,
      price,
      nonce: 0,
      mined: [],
    }));
    this.blocks = genesis;
    this.before = genesis;
  }

  get head(): PricedBlock {
    return this.blocks.at(-1) as PricedBlock;
  }

  send(tx: Signed): void {
    if (!this.pool.includes(tx)) this.pool.push(tx);
  }

  /** Adds a block, which takes some of the transactions that are possible. */
  mine(): void {
    const random = this.#random;
    const { number, time } = this.head;
    // The chain misses some slots.
    const at = time + blockSeconds * (random.chance(0.05) ? 2 : 1);
    const mined: Mined[] = [];
    let { nonce } = this.head;
    for (;;) {
      const able = this.pool.filter((tx) => tx.nonce === nonce);
      const tx = random.pick(able);
      if (tx === undefined || random.chance(this.delays)) break;
      const out = outAtPrice(this.price, tx.amount);
      const isFilled = tx.kind !== "swap" || (at <= tx.deadline && out >= tx.minAmountOut);
      mined.push({ tx, status: isFilled ? "ok" : "failed", out: tx.kind === "swap" ? out : 0n });
      nonce++;
    }
    const block = {
      number: number + 1,
      hash: `b${number + 1}.${this.#forks}`,
      time: at,
      price: this.price,
      nonce,
      mined,
    };
    this.blocks = [...this.blocks, block];
  }

  /** Replaces the last blocks by as many others, or by one more. */
  reorganise(depth: number): void {
    this.before = this.blocks;
    this.#forks++;
    const { number } = this.head;
    this.blocks = this.blocks.slice(0, -depth);
    const height = number + (this.#random.chance(0.5) ? 0 : 1);
    while (this.head.number < height) this.mine();
  }

  /** Lists the fills in the canonical chain. */
  fills(): Fill[] {
    return this.blocks.flatMap(({ mined, time, number }) =>
      mined.flatMap(({ tx, status, out }) =>
        tx.kind === "swap" && status === "ok"
          ? [{ orderId: tx.orderId, amount: tx.amount, out, time, number }]
          : [],
      ),
    );
  }
}
