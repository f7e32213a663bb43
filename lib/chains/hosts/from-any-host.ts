import type { Network } from "../../core/network.ts";
import type { Ask } from "./ask-together.ts";
import { ChainUnavailable, type HostError, isHostError } from "./host-fault.ts";
import type { HostGroup } from "./host-group.ts";
import type { RpcHost } from "./rpc-host.ts";

/** A chain and its hosts. */
export type ChainHosts = { chain: Network; client: Pick<HostGroup, "inOrder"> };

/** Lists the hosts of a chain, starting with the given number. Hosts that failed recently have the last numbers. */
export function hostsFrom({ client }: Pick<ChainHosts, "client">, number: number): RpcHost[] {
  const hosts = client.inOrder();
  const first = number % hosts.length;
  return [...hosts.slice(first), ...hosts.slice(0, first)];
}

/**
 * Asks one host after another, and returns the first answer.
 *
 * @throws {ChainUnavailable} if no host answers.
 */
export async function firstAnswer<Answer>(
  { chain }: Pick<ChainHosts, "chain">,
  hosts: readonly RpcHost[],
  ask: (request: Ask, host: RpcHost) => Promise<Answer>,
): Promise<Answer> {
  let failure: HostError | undefined;
  for (const host of hosts) {
    try {
      return await ask((calls) => host.request(calls), host);
    } catch (error) {
      if (!isHostError(error)) throw error;
      failure = error;
    }
  }
  throw new ChainUnavailable(`No host of ${chain} answers`, { cause: failure });
}

/**
 * Asks one host after another, starting with the given number.
 *
 * @throws {ChainUnavailable} if no host answers.
 */
export const fromAnyHost = <Answer>(
  reader: ChainHosts,
  number: number,
  ask: (request: Ask) => Promise<Answer>,
): Promise<Answer> => firstAnswer(reader, hostsFrom(reader, number), ask);
