import type { Block } from "../../../../lib/orders/block.ts";
import type { Random } from "../random.ts";

/** A transaction of a wallet. Its bytes live forever. */
export type Signed = {
  hash: string;
  kind: "swap" | "clear" | "foreign";
  wallet: string;
  nonce: number;
  /** Order of the swap, or of what the clear clears. */
  orderId: string;
  /** Deadline in seconds. A swap fails in a later block. */
  deadline: number;
  amount: bigint;
  minAmountOut: bigint;
};

export type Mined = { tx: Signed; status: "ok" | "failed"; out: bigint };

/** A block, with the price of a token and the next nonces of wallets after it. The price is in millionths of a coin. */
export type PricedBlock = Block & {
  price: bigint;
  nonces: ReadonlyMap<string, number>;
  mined: readonly Mined[];
};

/** The wallet of histories that have only one. */
export const usualWallet = "0xf39F";

/** Returns the next nonce of a wallet after a block. */
export const nonceOf = ({ nonces }: PricedBlock, wallet: string): number => nonces.get(wallet) ?? 0;

const blockSeconds = 12;
const whole = 1_000_000n;

export const outAtPrice = (price: bigint, amount: bigint): bigint => (amount * price) / whole;

/** A fill in the canonical chain. */
export type Fill = {
  orderId: string;
  amount: bigint;
  out: bigint;
  time: number;
  number: number;
  /** Hash of the fill's block, where it need not be final. */
  block?: string;
};

/** A chain of some wallets, whose last blocks may be replaced. */
export class RestingChain {
  readonly #random: Random;
  readonly wallets: readonly string[];
  blocks: readonly PricedBlock[];
  /** The chain before the last reorganisation. Some hosts still show it. */
  before: readonly PricedBlock[];
  readonly pool: Signed[] = [];
  price: bigint;
  /** Probability that a block omits a transaction that it could include. */
  delays = 0.3;
  #forks = 0;

  constructor(
    random: Random,
    startSeconds: number,
    price: bigint,
    wallets: readonly string[] = [usualWallet],
  ) {
    this.#random = random;
    this.price = price;
    this.wallets = wallets;
    const nonces = new Map(wallets.map((wallet) => [wallet, 0]));
    const genesis = Array.from({ length: 8 }, (_, number) => ({
      number,
      hash: `b${number}`,
      time: startSeconds + (number - 7) * blockSeconds,
      price,
      nonces,
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
    const mined = this.wallets.flatMap((wallet) => this.#minedOf(wallet, at));
    const nonces = new Map(this.head.nonces);
    for (const { tx } of mined) nonces.set(tx.wallet, tx.nonce + 1);
    const block = {
      number: number + 1,
      hash: `b${number + 1}.${this.#forks}`,
      time: at,
      price: this.price,
      nonces,
      mined,
    };
    this.blocks = [...this.blocks, block];
  }

  #minedOf(wallet: string, at: number): Mined[] {
    const random = this.#random;
    const mined: Mined[] = [];
    for (let nonce = nonceOf(this.head, wallet); ; nonce++) {
      const tx = random.pick(this.pool.filter((each) => each.wallet === wallet && each.nonce === nonce));
      if (tx === undefined || random.chance(this.delays)) return mined;
      const out = outAtPrice(this.price, tx.amount);
      const isFilled = tx.kind !== "swap" || (at <= tx.deadline && out >= tx.minAmountOut);
      mined.push({ tx, status: isFilled ? "ok" : "failed", out: tx.kind === "swap" ? out : 0n });
    }
  }

  /** Replaces the last blocks with as many others, or by one more. */
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
    return this.blocks
      .filter(({ mined }) => mined.length > 0)
      .flatMap(({ mined, time, number, hash: block }) =>
        mined.flatMap(({ tx, status, out }) =>
          tx.kind === "swap" && status === "ok"
            ? [{ orderId: tx.orderId, amount: tx.amount, out, time, number, block }]
            : [],
        ),
      );
  }
}
