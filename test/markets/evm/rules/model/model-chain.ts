import { v2ReservesOf, wordOfReserves } from "../../../../../lib/chains/evm/rules/pool-price.ts";
import { decimalOf, zero } from "../../../../../lib/core/decimal.ts";
import {
  type PoolEvent,
  priceOf,
  volumeOf,
  type WatchedPool,
} from "../../../../../lib/markets/evm/rules/watched-pool.ts";
import type { Chance } from "../../../../soak/chance.ts";

export type ModelBlock = {
  number: number;
  hash: string;
  time: number;
  events: readonly PoolEvent[];
  /** State of each pool after the block. */
  words: ReadonlyMap<string, bigint>;
};

const facts = { token: "0xtoken", decimals: 18, quoteDecimals: 18 };

export const modelPools: readonly WatchedPool[] = [
  { ...facts, pool: "0xv2", quote: "native", venue: "uniswap-v2", isTokenFirst: true },
  { ...facts, pool: "0xv3", quote: "0xstable", venue: "uniswap-v3", isTokenFirst: false },
  { ...facts, pool: "0xquiet", quote: "native", venue: "pancakeswap-v2", isTokenFirst: false },
];

const coin = 10n ** 18n;

/** Simulates a chain whose pools are traded at random, and whose blocks are sometimes replaced. */
export class ModelChain {
  /** Blocks from number 0 on. Each fork makes a new list. */
  blocks: readonly ModelBlock[];
  readonly #chance: Chance;
  readonly #blockSeconds: number;
  #hashes = 0;

  constructor(chance: Chance, blockSeconds: number) {
    this.#chance = chance;
    this.#blockSeconds = blockSeconds;
    const words = modelPools.map(({ pool, venue }): [string, bigint] => [
      pool,
      venue === "uniswap-v3" ? 2n ** 96n : wordOfReserves(1000n * coin, 10n * coin),
    ]);
    this.blocks = [{ number: 0, hash: "0x0", time: 1_800_000_000, events: [], words: new Map(words) }];
    this.mine(100);
  }

  get head(): ModelBlock {
    return this.blocks.at(-1) as ModelBlock;
  }

  mine(count = 1): void {
    const blocks = [...this.blocks];
    for (let left = count; left > 0; left--)
      blocks.push(this.#next(blocks.at(-1) as ModelBlock, blocks.length));
    this.blocks = blocks;
  }

  /** Replaces the newest blocks with as many others, and sometimes a few more. */
  fork(depth: number): void {
    this.blocks = this.blocks.slice(0, Math.max(2, this.blocks.length - depth));
    this.mine(depth + this.#chance.below(3));
  }

  #next(parent: ModelBlock, number: number): ModelBlock {
    const chance = this.#chance;
    const hash = `0x${++this.#hashes}`;
    // Several blocks may share a second.
    const time =
      this.#blockSeconds < 1
        ? parent.time + (chance.number() < this.#blockSeconds ? 1 : 0)
        : parent.time + this.#blockSeconds * (chance.number() < 0.05 ? 2 : 1);
    const words = new Map(parent.words);
    const events: PoolEvent[] = [];
    let logIndex = chance.below(3);
    const add = (event: Omit<PoolEvent, "block" | "blockHash" | "time" | "logIndex">) =>
      events.push({ block: number, blockHash: hash, time, logIndex: logIndex++, ...event });
    const trades = chance.number() < 0.5 * Math.min(1, this.#blockSeconds) ? 1 + chance.below(3) : 0;
    for (let left = trades; left > 0; left--) {
      logIndex += chance.below(3);
      const pool = chance.pick(chance.number() < 0.1 ? modelPools : modelPools.slice(0, 2)) as WatchedPool;
      const word = words.get(pool.pool) as bigint;
      const states =
        pool.venue === "uniswap-v3" ? this.#tradeV3(pool, word, add) : this.#tradeV2(pool, word, add);
      words.set(pool.pool, states);
    }
    return { number, hash, time, events, words };
  }

  #tradeV2(pool: WatchedPool, word: bigint, add: (event: Bare) => void): bigint {
    const chance = this.#chance;
    const [first, second] = v2ReservesOf(word);
    const part = BigInt(1 + chance.below(1000));
    // Adds or removes liquidity, or transfers tokens to the pool.
    if (chance.number() < 0.2) {
      const after = wordOfReserves(
        first + (first * part) / 10_000n,
        second + (chance.below(2) ? (second * part) / 10_000n : 0n),
      );
      add({ pool: pool.pool, ...stateOf(pool, after), volume: zero, isSwap: false });
      return after;
    }
    const amount = (first * part) / 10_000n;
    const isIn = chance.below(2) === 0;
    const change: [bigint, bigint] = isIn
      ? [amount, -((second * amount) / (first + amount))]
      : [-amount, (second * amount) / (first - amount) + 1n];
    const after = wordOfReserves(first + change[0], second + change[1]);
    add({ pool: pool.pool, ...stateOf(pool, after), volume: zero, isSwap: false });
    const quoted = pool.isTokenFirst ? change[1] : change[0];
    add({ pool: pool.pool, volume: volumeOf(quoted < 0n ? -quoted : quoted, 18), isSwap: true, change });
    return after;
  }

  #tradeV3(pool: WatchedPool, word: bigint, add: (event: Bare) => void): bigint {
    const chance = this.#chance;
    const volume = decimalOf(BigInt(1 + chance.below(100_000)), -3);
    const moved = (word * BigInt(9900 + chance.below(201))) / 10_000n;
    add({ pool: pool.pool, ...stateOf(pool, moved), volume, isSwap: true });
    if (chance.number() > 0.2) return moved;
    // A sale that restores the earlier price leaves no trace in the state.
    add({ pool: pool.pool, ...stateOf(pool, word), volume, isSwap: true });
    return word;
  }
}

type Bare = Omit<PoolEvent, "block" | "blockHash" | "time" | "logIndex">;

function stateOf(pool: WatchedPool, word: bigint): Pick<PoolEvent, "word" | "price"> {
  const price = priceOf(pool, word);
  return { word, ...(price && { price }) };
}
