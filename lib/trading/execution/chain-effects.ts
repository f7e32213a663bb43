import { childWordsOf } from "../../chains/families/child-words.ts";
import { effectsOn } from "../../chains/families/effects.ts";
import type { ChainReader } from "../../chains/families/open-chains.ts";
import type { FamilyEffects, SendAnswer } from "../../chains/hosts/look.ts";
import type { Network } from "../../core/network.ts";
import type { FamilyTypes } from "../../orders/family.ts";
import type { Performers } from "./run-procedure.ts";

type Snapshot = FamilyTypes["snapshot"];

/**
 * A run's effects on chains. On a chain whose trading is switched off, no host answers. Once trading is on again, runs
 * finish watching the transactions that were sent on this chain.
 */
export const chainEffects = (chains: ReadonlyMap<Network, ChainReader>) =>
  ({
    ...effectsOfChains(new Map([...chains].map(([chain, reader]) => [chain, effectsOn(reader)]))),
    ...childEffects(chains),
  }) satisfies Performers;

/** Asks the hosts of chains about the children of resting orders. */
export const childEffects = (chains: ReadonlyMap<Network, ChainReader>) =>
  ({
    async childWords({ chain, child }) {
      const reader = chains.get(chain);
      return reader === undefined ? [undefined, undefined] : childWordsOf(reader, child);
    },
  }) satisfies Performers;

/** Performs a run's effects on chains whose hosts are open. */
export function effectsOfChains(effects: ReadonlyMap<Network, FamilyEffects>) {
  let asked: { question: unknown; snapshots: readonly Promise<Snapshot | undefined>[] } | undefined;
  return {
    /** Asks both hosts as soon as the answer of the first one is requested. */
    async hostSnapshot({ host, question }) {
      const known = asked?.question === question ? asked.snapshots : undefined;
      const snapshots = known ?? effects.get(question.chain)?.snapshots(question) ?? [];
      asked = { question, snapshots };
      // Ignores errors at this point, because they are handled where each answer is awaited.
      for (const snapshot of snapshots) snapshot.catch(() => undefined);
      return snapshots[host];
    },
    signAsHelper: ({ intent, message }) => effects.get(intent.chain)?.signAsHelper(intent, message),
    /** Sends a transaction. If both the relay and the hosts get it, only the hosts' answers count. */
    async send({ chain, raw, to }) {
      const { relay, publish } = effects.get(chain) ?? {};
      const [relayed, published] = await Promise.all([
        Promise.all(to !== "hosts" && relay ? [relay(raw)] : []),
        Promise.all((to !== "relay" && publish?.(raw)) || []),
      ]);
      return jointAnswer(to === "relay" ? relayed : published);
    },
  } satisfies Performers;
}

/** Combines answers: one acceptance is enough. No single answer is trusted about the reason for a refusal. */
function jointAnswer(answers: readonly SendAnswer[]): SendAnswer {
  if (answers.includes("reached")) return "reached";
  const [first = "unreached"] = answers;
  return answers.every((each) => each === first) ? first : "unreached";
}
