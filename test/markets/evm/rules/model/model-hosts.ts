import type { Header } from "../../../../../lib/markets/evm/rules/event-reading.ts";
import type { HostChoice, MarketHosts } from "../../../../../lib/markets/evm/rules/look-round.ts";
import type {
  MarketLook,
  PoolEvent,
  WatchedPool,
} from "../../../../../lib/markets/evm/rules/watched-pool.ts";
import { isBehind, type LookMemory } from "../../../../../lib/trading/procedures/reading.ts";
import type { Chance } from "../../../../soak/chance.ts";
import type { ModelBlock, ModelChain } from "./model-chain.ts";

export const eventLies = [
  "hides the newest",
  "hides one",
  "hides all",
  "invents a swap",
  "changes a volume",
  "shows another fork",
  "changes a hash",
  "changes a time",
] as const;

export const lookLies = [
  "false parent",
  "false hashes",
  "old hashes",
  "false state",
  "false time",
  "far ahead",
] as const;

/** Simulates a host that may lag behind the chain and may lie. */
class ModelHost {
  readonly name: string;
  /** Number of changes of the chain that this host has not seen yet. */
  lag = 0;
  isAway = false;
  isLying = false;
  /** True if the host leaves out the times of logs. */
  isTimeless = false;

  constructor(name: string) {
    this.name = name;
  }
}

/** Simulates two hosts of a chain, which may change between any two of their answers. */
export class ModelHosts implements MarketHosts {
  readonly hosts: readonly [ModelHost, ModelHost] = [new ModelHost("a"), new ModelHost("b")];
  readonly memory: LookMemory<MarketLook> = { host: 0 };
  readonly told = new Map<string, number>();
  nowMs = 0;
  /** Blocks that the host showed in the last look, and whether it hid that they were replaced. */
  lastView: { blocks: readonly ModelBlock[]; isHidden: boolean } | undefined;
  /** Called between any two answers. */
  onAnswer: () => void = () => {};
  readonly #chain: ModelChain;
  readonly #chance: Chance;
  readonly #views: (readonly ModelBlock[])[] = [];
  /** Hashes that hosts have reported so far. Lies repeat them to hide a fork. */
  readonly #toldHashes = new Map<number, string>();

  constructor(chain: ModelChain, chance: Chance) {
    this.#chain = chain;
    this.#chance = chance;
    this.noteView();
  }

  noteView(): void {
    if (this.#views.at(-1) !== this.#chain.blocks) this.#views.push(this.#chain.blocks);
    if (this.#views.length > 12) this.#views.shift();
  }

  #viewOf({ lag }: ModelHost): readonly ModelBlock[] {
    return this.#views[Math.max(0, this.#views.length - 1 - lag)] as readonly ModelBlock[];
  }

  #isLie(host: ModelHost, share = 0.5): boolean {
    return host.isLying && this.#chance.number() < share;
  }

  #tell<Lie extends string>(lies: readonly Lie[]): Lie {
    const lie = this.#chance.pick(lies);
    this.told.set(lie, (this.told.get(lie) ?? 0) + 1);
    return lie;
  }

  async #ask<Answer>(of: HostChoice, answer: (host: ModelHost) => Answer): Promise<Answer | undefined> {
    for (let left = this.#chance.below(3); left > 0; left--) await undefined;
    this.onAnswer();
    const isMeant = ({ name }: ModelHost) => ("only" in of ? name === of.only : name !== of.not);
    const host = this.hosts.find(isMeant);
    return host === undefined || host.isAway ? undefined : answer(host);
  }

  async look({ heights, pools }: { heights: readonly number[]; pools: readonly WatchedPool[] }) {
    this.onAnswer();
    await undefined;
    const first = this.memory.host % this.hosts.length;
    const host = [...this.hosts.slice(first), ...this.hosts.slice(0, first)].find(({ isAway }) => !isAway);
    if (host === undefined) return undefined;
    const blocks = this.#viewOf(host);
    const { look, isHidden } = this.#lookAt(host, blocks, heights, pools);
    if (isBehind(look, this.memory, this.nowMs)) return undefined;
    this.memory.look = look;
    this.lastView = { blocks, isHidden };
    return { host: host.name, ...look };
  }

  #lookAt(
    host: ModelHost,
    blocks: readonly ModelBlock[],
    heights: readonly number[],
    pools: readonly WatchedPool[],
  ): { look: MarketLook; isHidden: boolean } {
    const head = blocks.at(-1) as ModelBlock;
    const known = heights.filter((height) => height < head.number && height >= 0);
    const look = {
      number: head.number,
      time: head.time,
      parentHash: blocks[head.number - 1]?.hash ?? "",
      hashes: new Map(known.map((height) => [height, blocks[height]?.hash ?? ""])),
      words: new Map(pools.map(({ pool }) => [pool, head.words.get(pool) as bigint])),
    };
    let isHidden = false;
    if (this.#isLie(host, 0.1)) {
      const lie = this.#tell(lookLies);
      if (lie === "false parent") look.parentHash = "0xfalse";
      if (lie === "false hashes") for (const height of known) look.hashes.set(height, `0xfalse${height}`);
      if (lie === "old hashes") {
        isHidden = true;
        for (const height of known) look.hashes.set(height, this.#toldHashes.get(height) ?? "");
        for (const [height, hash] of look.hashes) if (hash === "") look.hashes.delete(height);
        look.parentHash = this.#toldHashes.get(look.number - 1) ?? look.parentHash;
      }
      if (lie === "false state") for (const [pool, word] of look.words) look.words.set(pool, word + 1n);
      if (lie === "false time") look.time += 60 - this.#chance.below(120);
      if (lie === "far ahead") look.number += 1000;
    } else {
      for (const [height, hash] of look.hashes) this.#toldHashes.set(height, hash);
      this.#toldHashes.set(look.number - 1, look.parentHash);
    }
    return { look, isHidden };
  }

  events(of: HostChoice, { from, to, pools }: { from: number; to: number; pools: readonly WatchedPool[] }) {
    return this.#ask(of, (host): readonly PoolEvent[] => {
      const names = new Set(pools.map(({ pool }) => pool));
      const within = (blocks: readonly ModelBlock[]) =>
        blocks
          .slice(Math.max(0, from), to + 1)
          .flatMap(({ events }) => events.filter(({ pool }) => names.has(pool)));
      const events = this.#isLie(host)
        ? this.#falsified(within(this.#viewOf(host)), within)
        : within(this.#viewOf(host));
      const untimed = host.isTimeless ? events.map((event) => ({ ...event, time: 0 })) : events;
      if (this.#chance.number() > 0.05) return untimed;
      // Hosts repeat logs, and send them in any order.
      return this.#chance.shuffled([...untimed, ...untimed.slice(0, 2)]);
    });
  }

  #falsified(
    events: readonly PoolEvent[],
    within: (blocks: readonly ModelBlock[]) => PoolEvent[],
  ): readonly PoolEvent[] {
    const chance = this.#chance;
    const place = chance.below(Math.max(1, events.length));
    const changed = (change: (event: PoolEvent) => Partial<PoolEvent>) =>
      events.map((event, index) => (index === place ? { ...event, ...change(event) } : event));
    switch (this.#tell(eventLies)) {
      case "hides the newest":
        return events.slice(0, -1 - chance.below(2));
      case "hides one": {
        // Hides a v2 swap together with its Sync, so that only the reserves reveal it.
        const hidden = events[place];
        const isPair = hidden?.change !== undefined;
        return events.filter((_, index) => index !== place && !(isPair && index === place - 1));
      }
      case "hides all":
        return [];
      case "invents a swap":
        return events.flatMap((event, index) =>
          index === place ? [event, { ...event, logIndex: event.logIndex + 1000 }] : [event],
        );
      case "changes a volume":
        return changed(({ volume }) => ({ volume: { ...volume, exponent: volume.exponent + 1 } }));
      case "shows another fork":
        return within(this.#views[0] ?? []);
      case "changes a hash":
        return changed(() => ({ blockHash: "0xfalse" }));
      case "changes a time":
        return changed(({ time }) => ({ time: time + 60 - chance.below(120) }));
    }
  }

  headers(of: HostChoice, numbers: readonly number[]) {
    return this.#ask(of, (host): ReadonlyMap<number, Header> => {
      const blocks = this.#viewOf(host);
      const headers = numbers.flatMap((number): [number, Header][] => {
        const block = blocks[number];
        if (block === undefined) return [];
        if (!this.#isLie(host, 0.05)) return [[number, { hash: block.hash, time: block.time }]];
        return [
          [
            number,
            this.#chance.below(2) ? { ...block, hash: "0xfalse" } : { ...block, time: block.time + 60 },
          ],
        ];
      });
      return new Map(headers);
    });
  }

  states(of: HostChoice, { block, pools }: { block: number; pools: readonly WatchedPool[] }) {
    return this.#ask(of, (host): ReadonlyMap<string, bigint> => {
      const words = this.#viewOf(host)[block]?.words;
      const change = this.#isLie(host) ? 1n : 0n;
      return new Map(words && pools.map(({ pool }) => [pool, (words.get(pool) as bigint) + change]));
    });
  }
}
