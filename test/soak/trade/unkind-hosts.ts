import { setTimeout as pause } from "node:timers/promises";
import { type UnkindnessName, unkindnesses } from "../../../lib/tools/dev/chains/unkindnesses.ts";
import { type Chance, createChance } from "../chance.ts";
import type { ChainAccess } from "./chain-access.ts";

/** A time of kind hosts, and a time of unkind ones after it. */
export type Turn = {
  name: UnkindnessName;
  hosts: "first" | "second" | "both";
  kindMs: number;
  unkindMs: number;
};

export function nextTurn(chance: Chance): Turn {
  return {
    name: chance.pick(Object.keys(unkindnesses) as UnkindnessName[]),
    hosts: chance.pick(["first", "second", "both"] as const),
    kindMs: 500 + chance.below(2500),
    unkindMs: 2000 + chance.below(8000),
  };
}

/**
 * Makes the hosts of each chain unkind, in one way at a time, until it is disposed of.
 *
 * @returns how often each unkindness was on, by name and hosts
 */
export function beUnkind(
  chains: readonly ChainAccess[],
  seed: number,
): AsyncDisposable & { counts: ReadonlyMap<string, number> } {
  const counts = new Map<string, number>();
  const ending = new AbortController();
  const { signal } = ending;

  async function vex(access: ChainAccess): Promise<void> {
    const chance = createChance(`unkind ${access.chain} ${seed}`);
    // The runner may be down at the moment.
    const set = (first: object, second: object) => access.setUnkindness(first, second).catch(() => {});
    while (!signal.aborted) {
      const { name, hosts, kindMs, unkindMs } = nextTurn(chance);
      await pause(kindMs, undefined, { signal });
      const faults = unkindnesses[name];
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
