import type { Effects, Question } from "../../orders/effects.ts";
import type { FamilyTypes } from "../../orders/family.ts";
import type { Ask } from "./ask-together.ts";
import { unlessHostFails } from "./host-fault.ts";
import type { RpcHost } from "./rpc-host.ts";

export type SendAnswer = Effects["send"]["answer"];

/** A run's access to the hosts of one chain. */
export type FamilyEffects<F extends FamilyTypes = FamilyTypes> = {
  /** Asks the first and the second host. The answer of a host is undefined if it is not clear. */
  snapshots(question: Question<F>): readonly Promise<F["snapshot"] | undefined>[];
  /** Sends a transaction to the relay. Undefined if none is configured. */
  relay: ((raw: string) => Promise<SendAnswer>) | undefined;
  /** Sends a transaction to each host. */
  publish: (raw: string) => readonly Promise<SendAnswer>[];
  /** Signs with the helper key of a route. Undefined if the key no longer exists. */
  signAsHelper(intent: F["intent"], message: F["helped"]): Promise<string | undefined> | string | undefined;
};

/** Asks one host after another until one answers. */
export async function firstSight<Sight>(
  hosts: readonly RpcHost[],
  see: (host: RpcHost) => Promise<Sight | undefined>,
): Promise<Sight | undefined> {
  for (const host of hosts) {
    const sight = await see(host);
    if (sight !== undefined) return sight;
  }
  return undefined;
}

/**
 * Asks the first and the second host. Each has its own reserve hosts, which replace it if it fails. If there is only
 * one host, its answer is used for both.
 */
export function inTwo<Sight>(
  hosts: readonly RpcHost[],
  see: (hosts: readonly RpcHost[]) => Promise<Sight>,
): [Promise<Sight>, Promise<Sight>] {
  const everySecond = (from: 0 | 1) => hosts.filter((_, index) => index % 2 === from);
  const even = see(everySecond(0));
  return [even, hosts.length === 1 ? even : see(everySecond(1))];
}

/** Asks as {@link inTwo} does. The answer is undefined where all hosts fail. */
export const askInTwo = <Answer>(
  hosts: readonly RpcHost[],
  question: (ask: Ask) => Promise<Answer>,
): Promise<[Answer | undefined, Answer | undefined]> =>
  Promise.all(
    inTwo(hosts, (own) =>
      firstSight(own, (host) => unlessHostFails(question((calls) => host.request(calls)))),
    ),
  );
