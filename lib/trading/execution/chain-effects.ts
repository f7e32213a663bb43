import type { Network } from "../../core/network.ts";
import { publishCall } from "../chains/evm/rpc-call.ts";
import { HostFault, RpcRefusal } from "../chains/host-fault.ts";
import type { EvmReader } from "../chains/open-chains.ts";
import { type RpcHost, rpcHost } from "../chains/rpc-host.ts";
import type { Effects, Question } from "../core/effects.ts";
import type { HostSnapshot } from "../core/evm/host-snapshot.ts";
import { evmChains } from "../core/trading-chain.ts";
import type { Performers } from "./run-procedure.ts";
import { snapshotOf } from "./snapshot-of-host.ts";

type Chains = ReadonlyMap<Network, EvmReader>;

/**
 * The effects of a run on chains. A chain on which trading is off has no answering hosts; when it is on again, runs
 * finish watching the transactions sent there.
 */
export function chainEffects(chains: Chains, see: typeof snapshotOf = snapshotOf) {
  const relays = new Map<Network, RpcHost>(
    evmChains.flatMap((chain) => {
      const url = chains.get(chain)?.configuration.relay;
      return url === undefined ? [] : [[chain, rpcHost({ url })] as const];
    }),
  );
  async function snapshotBy(
    hosts: readonly RpcHost[],
    question: Question,
  ): Promise<HostSnapshot | undefined> {
    const reader = chains.get(question.chain);
    for (const host of hosts) {
      const snapshot = reader && (await see(host, reader, question));
      if (snapshot !== undefined) return snapshot;
    }
    return undefined;
  }

  /** Asks the first and the second host, each with different hosts in reserve. A lone host is believed. */
  function bothSnapshots(question: Question): Promise<HostSnapshot | undefined>[] {
    const hosts = chains.get(question.chain)?.client.hosts ?? [];
    const even = snapshotBy(everySecond(hosts, 0), question);
    return [even, hosts.length === 1 ? even : snapshotBy(everySecond(hosts, 1), question)];
  }

  let asked: { question: unknown; snapshots: readonly Promise<HostSnapshot | undefined>[] } | undefined;
  return {
    /** Asks both hosts when the first is wanted. */
    async hostSnapshot({ host, question }) {
      const known = asked?.question === question ? asked.snapshots : undefined;
      const snapshots = known ?? bothSnapshots(question as Question);
      asked = { question, snapshots };
      // An error of the second host is handled when its answer is awaited.
      for (const snapshot of snapshots) snapshot.catch(() => undefined);
      return snapshots[host];
    },
    /** Freeing a nonce takes a block, so only the hosts' answers count then. */
    async send({ chain, raw, to }) {
      const relay = relays.get(chain);
      const publicHosts = chains.get(chain)?.client.hosts ?? [];
      const sendTo = (hosts: readonly RpcHost[]) => Promise.all(hosts.map((host) => sendingTo(host, raw)));
      const [relayed, published] = await Promise.all([
        sendTo(to !== "hosts" && relay ? [relay] : []),
        sendTo(to !== "relay" ? publicHosts : []),
      ]);
      return jointAnswer(to === "relay" ? relayed : published);
    },
  } satisfies Performers;
}

const everySecond = (hosts: readonly RpcHost[], from: 0 | 1) =>
  hosts.filter((_, index) => index % 2 === from);

type SendAnswer = Effects["send"]["answer"];

/** One taker is enough. Nobody is believed alone about the reason for a refusal. */
function jointAnswer(answers: readonly SendAnswer[]): SendAnswer {
  if (answers.includes("reached")) return "reached";
  const [first = "unreached"] = answers;
  return answers.every((each) => each === first) ? first : "unreached";
}

/** Nodes' messages for a transaction that they know, or whose nonce is used. Both mean that one has arrived. */
const isKnown = /already ?(?:known|imported|exists|in)|known ?transaction|nonce ?(?:is )?too ?low/i;

/** Nodes' messages for fees below their pool's minimum, or too low to replace another transaction. */
const isUnderpriced =
  /underpriced|fee ?too ?low|(?:gas price|fee|tip)\b.*\b(?:too low|below|less|minimum)|replacement ?not ?allowed/i;

const isUnfunded =
  /insufficient ?(?:funds|balance)|exceeds? (?:account )?balance|not enough (?:funds|balance)/i;

/** Only an answer counts: a host that breaks off may have taken the transaction, and says so when asked again. */
async function sendingTo(host: RpcHost, raw: string): Promise<SendAnswer> {
  try {
    await host.request([publishCall(raw)]);
    return "reached";
  } catch (error) {
    if (error instanceof HostFault) return "unreached";
    if (!(error instanceof RpcRefusal)) throw error;
    if (error.says(isKnown)) return "reached";
    if (error.says(isUnderpriced)) return "underpriced";
    return error.says(isUnfunded) ? "unfunded" : "unreached";
  }
}
