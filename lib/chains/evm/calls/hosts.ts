import { setTimeout as delay } from "node:timers/promises";
import { chainFacts, type EvmChain } from "../../../core/chain-facts.ts";
import type { Block } from "../../../orders/block.ts";
import { ChainUnavailable, type HostError, RpcRefusal } from "../../hosts/host-fault.ts";
import { askHost, type HostGroup, hostGroup, unsupportedBy } from "../../hosts/host-group.ts";
import type { KeyedText } from "../../hosts/keyed-text.ts";
import type { RpcCall, ValuesOf } from "../../hosts/rpc-call.ts";
import { type RpcHost, rpcHost } from "../../hosts/rpc-host.ts";
import { mostApartSeconds } from "../rules/host-lag.ts";
import { blockCall, chainIdentity } from "./rpc-call.ts";

type Calls = readonly RpcCall<unknown>[];

/** Values that hosts agree on, and the block they refer to. */
export type Agreement<Asked extends Calls> = { block: Block; values: ValuesOf<Asked> };

/** The hosts of an EVM chain. */
export type EvmClient = HostGroup & {
  /**
   * Repeats the calls for up to two seconds, until two hosts return the same values at the same block. If only one host
   * responds, its values are accepted.
   *
   * @param callsAt Makes the calls for a block. Every honest host must return the same values for them.
   * @throws {ChainUnavailable} if no two hosts agree in time.
   * @throws {RpcRefusal} as `read` does.
   */
  agree<const Asked extends Calls>(callsAt: (block: Block) => Asked): Promise<Agreement<Asked>>;
};

export type EvmClientOptions = {
  chain: EvmChain;
  hosts: readonly KeyedText[];
  /** Time limit of a request to a host. */
  timeoutMs?: number;
  /** Time limit for hosts to agree. */
  agreeMs?: number;
  nowMs?: () => number;
};

/** Pause between two rounds. It is short because hosts that are one block apart soon agree. */
const pauseMs = 100;

/** Opens the hosts. The result remembers which hosts failed, so a function keeps it for its whole life. */
export function evmClient(options: EvmClientOptions): EvmClient {
  const { chain, timeoutMs = 2000, agreeMs = 2000, nowMs = Date.now } = options;
  const { chainId } = chainFacts[chain];
  const hosts = options.hosts.map((url) => rpcHost({ url, identity: chainIdentity(chainId), timeoutMs }));
  const group = hostGroup(chain, hosts, nowMs);

  /**
   * Runs one round: asks each host for its newest block, and then for the values at the newest block that two hosts
   * have, within the allowed lag.
   */
  async function round<Asked extends Calls>(
    asked: readonly RpcHost[],
    callsAt: (block: Block) => Asked,
    signal: AbortSignal,
  ): Promise<Agreement<Asked> | { errors: HostError[] }> {
    const needed = Math.min(2, hosts.length);
    const errors: HostError[] = [];
    const heads: { host: RpcHost; block: Block }[] = [];
    const askHead = async (host: RpcHost) => {
      const answer = await askHost(host, [blockCall("latest")], signal);
      if ("error" in answer) errors.push(answer.error);
      else heads.push({ host, block: answer.values[0] as Block });
    };
    await Promise.all(asked.map(askHead));
    const newest = heads.map(({ block }) => block);
    const common = commonBlock(newest, mostApartSeconds(chain), needed);
    if (common === undefined) return { errors };

    const calls = [blockCall(common.number), ...callsAt(common)] as const;
    const able = heads.filter(({ block }) => block.number >= common.number);
    const answers = await Promise.all(able.map(({ host }) => askHost(host, calls, signal)));
    const counts = new Map<string, number>();
    for (const answer of answers) {
      if ("error" in answer) {
        errors.push(answer.error);
        continue;
      }
      const [block, ...values] = answer.values as [Block, ...unknown[]];
      const text = textOf([block, values]);
      const count = (counts.get(text) ?? 0) + 1;
      counts.set(text, count);
      if (count === needed) return { block, values: values as ValuesOf<Asked> };
    }
    return { errors };
  }

  async function agree<const Asked extends Calls>(
    callsAt: (block: Block) => Asked,
  ): Promise<Agreement<Asked>> {
    const signal = AbortSignal.timeout(agreeMs);
    for (let isFirst = true; ; isFirst = false) {
      // Asks the other hosts only if the first two do not agree.
      const asked = isFirst ? group.inOrder().slice(0, 2) : group.inOrder();
      const half = AbortSignal.any([signal, AbortSignal.timeout(agreeMs / 2)]);
      const outcome = await round(asked, callsAt, half);
      if ("values" in outcome) return outcome;
      const refusals = outcome.errors.filter((error) => error instanceof RpcRefusal && error.kind === "call");
      if (refusals[0] !== undefined && refusals.length >= Math.min(2, hosts.length)) throw refusals[0];
      const known = asked.length === hosts.length ? unsupportedBy(hosts, outcome.errors) : undefined;
      if (known !== undefined) throw known;
      if (!(await paused(signal)))
        throw new ChainUnavailable(`No two hosts of ${chain} agree`, { cause: outcome.errors[0] });
    }
  }

  return { ...group, agree };
}

/**
 * Returns the newest block that this many hosts have. Hosts whose newest blocks are far apart do not count together:
 * one of the blocks is invented or old, and two old hosts would also agree on outdated prices. Consecutive blocks
 * always count, however late the second one arrived.
 *
 * @param heads The newest block of each host.
 */
export function commonBlock<Head extends Pick<Block, "number" | "time">>(
  heads: readonly Head[],
  apartSeconds: number,
  needed = 2,
): Head | undefined {
  const newestFirst = heads.toSorted((a, b) => b.number - a.number);
  return newestFirst.find(({ number, time }, index) => {
    const other = newestFirst[index + 1 - needed];
    return other !== undefined && (other.number - number <= 1 || other.time - time <= apartSeconds);
  });
}

/** Waits for the next round. Returns false if the time limit is reached. */
const paused = (signal: AbortSignal): Promise<boolean> => delay(pauseMs, true, { signal }).catch(() => false);

/**
 * Turns values into text so that they can be compared. Errors become equal, because nodes describe the same failure in
 * different words.
 */
const textOf = (values: unknown): string =>
  JSON.stringify(values, (_, value) => {
    if (typeof value === "bigint") return `${value}n`;
    return value instanceof RpcRefusal ? { refused: value.kind, data: value.revertData } : value;
  });
