import { setTimeout as delay } from "node:timers/promises";
import { chainFacts, type EvmChain } from "../../../core/chain-facts.ts";
import type { Block } from "../../../orders/block.ts";
import { ChainUnavailable, type HostError, RpcRefusal } from "../../hosts/host-fault.ts";
import { askHost, type HostGroup, hostGroup, unsupportedBy } from "../../hosts/host-group.ts";
import type { RpcCall, ValuesOf } from "../../hosts/rpc-call.ts";
import { type RpcHost, rpcHost } from "../../hosts/rpc-host.ts";
import { mostApartSeconds } from "../rules/host-lag.ts";
import { blockCall, chainIdentity } from "./rpc-call.ts";

type Calls = readonly RpcCall<unknown>[];

/** Values that hosts agree on, and their block. */
export type Agreement<Asked extends Calls> = { block: Block; values: ValuesOf<Asked> };

/** The hosts of a chain of Ethereum's family. */
export type EvmClient = HostGroup & {
  /**
   * Repeats the calls for up to two seconds, until two hosts give the same values at the same block. A lone host is
   * believed.
   *
   * @param callsAt The calls for a block. Their values must be the same for every honest host.
   * @throws {ChainUnavailable} if no two agree in time.
   * @throws {RpcRefusal} as `read` does.
   */
  agree<const Asked extends Calls>(callsAt: (block: Block) => Asked): Promise<Agreement<Asked>>;
};

export type EvmClientOptions = {
  chain: EvmChain;
  hosts: readonly string[];
  /** Time limit of a request to a host. */
  timeoutMs?: number;
  /** Time limit for hosts to agree. */
  agreeMs?: number;
  nowMs?: () => number;
};

/** Pause between two rounds. Hosts that are a block apart soon agree. */
const pauseMs = 100;

/** Remembers which hosts failed, so a function keeps one client for its whole life. */
export function evmClient(options: EvmClientOptions): EvmClient {
  const { chain, timeoutMs = 2000, agreeMs = 2000, nowMs = Date.now } = options;
  const { chainId } = chainFacts[chain];
  const hosts = options.hosts.map((url) => rpcHost({ url, identity: chainIdentity(chainId), timeoutMs }));
  const group = hostGroup(chain, hosts, nowMs);

  /**
   * Runs one round: asks for the newest blocks, and then at the newest block that two hosts have, within the allowed
   * lag.
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
 * Returns the newest block that this many hosts have. If two heads are far apart, one is invented or old, and hosts
 * would also agree on outdated prices. Neighbours always count, however late the second arrived.
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

/** Waits for the next round. Returns false if the time is up. */
const paused = (signal: AbortSignal): Promise<boolean> => delay(pauseMs, true, { signal }).catch(() => false);

/** Turns values into text for comparison. Nodes word the same failure differently. */
const textOf = (values: unknown): string =>
  JSON.stringify(values, (_, value) => {
    if (typeof value === "bigint") return `${value}n`;
    return value instanceof RpcRefusal ? { refused: value.kind, data: value.revertData } : value;
  });
