import { setTimeout as pause } from "node:timers/promises";
import { unkindnesses } from "trading-terminal-devnet/evm/unkindnesses";
import type { TradingChain } from "../../../lib/core/chain-facts.ts";
import { type Chance, createChance } from "../chance.ts";
import type { ChainFaults } from "./chain-faults.ts";
import { solUnkindnesses } from "./sol/sol-weather.ts";

/** A period in which hosts are reliable, followed by one in which they are not. */
export type Turn = {
  name: string;
  hosts: "first" | "second" | "both";
  kindMs: number;
  unkindMs: number;
};

/** Returns the ways in which hosts can be unreliable, each with its faults. */
export const unkindnessesOf = (chain: TradingChain): Readonly<Record<string, object>> =>
  chain === "sol" ? solUnkindnesses : unkindnesses;

export function nextTurn(chance: Chance, ways: Readonly<Record<string, object>>): Turn {
  return {
    name: chance.pick(Object.keys(ways)),
    hosts: chance.pick(["first", "second", "both"] as const),
    kindMs: 500 + chance.below(2500),
    unkindMs: 2000 + chance.below(8000),
  };
}

/**
 * Makes each chain's hosts unreliable in one way at a time until disposed.
 *
 * @returns how often hosts were unreliable in each way, by its name and the affected hosts
 */
export function beUnkind(
  chains: readonly ChainFaults[],
  seed: number,
): AsyncDisposable & { counts: ReadonlyMap<string, number> } {
  const counts = new Map<string, number>();
  const ending = new AbortController();
  const { signal } = ending;

  async function vex(access: ChainFaults): Promise<void> {
    const chance = createChance(`unkind ${access.chain} ${seed}`);
    const ways = unkindnessesOf(access.chain);
    // Ignores errors, because the runner may be down.
    const set = (first: object, second: object) => access.setUnkindness(first, second).catch(() => {});
    while (!signal.aborted) {
      const { name, hosts, kindMs, unkindMs } = nextTurn(chance, ways);
      await pause(kindMs, undefined, { signal });
      const faults = ways[name] ?? {};
      await set(hosts === "second" ? {} : faults, hosts === "first" ? {} : faults);
      const what = `${name}, ${hosts}`;
      counts.set(what, (counts.get(what) ?? 0) + 1);
      await pause(unkindMs, undefined, { signal });
      await set({}, {});
    }
  }

  const vexing = Promise.allSettled(chains.map(vex));
  return {
    counts,
    async [Symbol.asyncDispose]() {
      ending.abort();
      await vexing;
      for (const access of chains) await access.setUnkindness({}, {});
    },
  };
}
