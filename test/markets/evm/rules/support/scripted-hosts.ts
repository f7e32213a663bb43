import { decimalOf } from "../../../../../lib/core/decimal.ts";
import type { Header } from "../../../../../lib/markets/evm/rules/event-reading.ts";
import type { HostChoice, MarketHosts } from "../../../../../lib/markets/evm/rules/look-round.ts";
import {
  type PoolEvent,
  priceOf,
  type WatchedPool,
} from "../../../../../lib/markets/evm/rules/watched-pool.ts";

export const q96 = 1n << 96n;

export const v3Pool: WatchedPool = {
  pool: "0xv3",
  quote: "native",
  venue: "uniswap-v3",
  token: "0xtoken",
  decimals: 18,
  quoteDecimals: 18,
  isTokenFirst: true,
};

/** A block with swaps. Each swap leads to a state of the pool. */
export type ScriptedBlock = { hash: string; time: number; words: readonly bigint[] };

/** Makes a swap with a volume of one for each state in a block. */
export const eventsOf = (number: number, { hash, time, words }: ScriptedBlock): PoolEvent[] =>
  words.map((word, logIndex) => {
    const price = priceOf(v3Pool, word);
    const place = { block: number, blockHash: hash, time, logIndex, pool: v3Pool.pool };
    return { ...place, word, ...(price && { price }), volume: decimalOf(1n, 0), isSwap: true };
  });

/** Simulates two hosts with their own blocks. Tests change the blocks and the answers. */
export class ScriptedHosts implements MarketHosts {
  blocks: Record<string, ScriptedBlock[]> = { a: [], b: [] };
  /** Name of the host that answers looks. */
  first = "a";
  /** Changes the events that a host returns. */
  tamper: Record<string, (events: PoolEvent[]) => PoolEvent[] | undefined> = {};
  /** First block at which a host knows the pool. */
  bornAt: Record<string, number> = {};
  /** Hosts that return no states. */
  silent: string[] = [];
  /** Makes looks at a block return only its parent's hash, as for old blocks. */
  isForgetful = false;
  /** Requests so far, such as `events a 5-7`. */
  asked: string[] = [];

  get lastTime(): number {
    return this.blocks.a?.at(-1)?.time ?? 0;
  }

  /** Adds a block on both hosts. */
  mine(time: number, words: readonly bigint[] = [], fork = ""): void {
    for (const blocks of Object.values(this.blocks))
      blocks.push({ hash: `0x${blocks.length}${fork}`, time, words });
  }

  /** Replaces the last blocks on both hosts. */
  drop(count: number): void {
    for (const blocks of Object.values(this.blocks)) blocks.splice(-count);
  }

  #of(choice: HostChoice): string {
    return "only" in choice ? choice.only : choice.not === "a" ? "b" : "a";
  }

  #wordAfter(host: string, number: number): bigint {
    const words = (this.blocks[host] ?? []).slice(0, number + 1).flatMap((block) => block.words);
    return words.at(-1) ?? q96;
  }

  async look({ heights }: { heights: readonly number[] }) {
    const blocks = this.blocks[this.first] ?? [];
    const number = blocks.length - 1;
    this.asked.push(`look ${this.first}`);
    return {
      host: this.first,
      number,
      time: blocks[number]?.time ?? 0,
      parentHash: blocks[number - 1]?.hash ?? "",
      hashes: new Map(
        heights
          .filter((height) => height < number && !this.isForgetful)
          .map((height) => [height, blocks[height]?.hash ?? ""]),
      ),
      words: new Map([[v3Pool.pool, this.#wordAfter(this.first, number)]]),
    };
  }

  async events(of: HostChoice, { from, to }: { from: number; to: number }) {
    const host = this.#of(of);
    this.asked.push(`events ${host} ${from}-${to}`);
    const blocks = this.blocks[host] ?? [];
    const events = blocks.flatMap((block, number) =>
      number >= from && number <= to ? eventsOf(number, block) : [],
    );
    return (this.tamper[host] ?? ((all: PoolEvent[]) => all))(events);
  }

  async headers(of: HostChoice, numbers: readonly number[]): Promise<Map<number, Header>> {
    const host = this.#of(of);
    this.asked.push(`headers ${host} ${numbers.join()}`);
    const found = numbers.flatMap((number): [number, Header][] => {
      const block = this.blocks[host]?.[number];
      return block ? [[number, block]] : [];
    });
    return new Map(found);
  }

  async states(of: HostChoice, { block }: { block: number }): Promise<Map<string, bigint> | undefined> {
    const host = this.#of(of);
    if (this.silent.includes(host)) return undefined;
    if (block < (this.bornAt[host] ?? 0)) return new Map();
    return new Map([[v3Pool.pool, this.#wordAfter(host, block)]]);
  }
}
