import { multicall } from "../../chains/evm/calls/multicall.ts";
import { stateQuestion } from "../../chains/evm/calls/pool-state.ts";
import { blockCall } from "../../chains/evm/calls/rpc-call.ts";
import type { EvmReader } from "../../chains/evm/venues/reader.ts";
import { askInParts } from "../../chains/hosts/ask-in-parts.ts";
import { firstAnswer } from "../../chains/hosts/from-any-host.ts";
import { ChainUnavailable } from "../../chains/hosts/host-fault.ts";
import type { RpcHost } from "../../chains/hosts/rpc-host.ts";
import { lookAtPools, newPoolsMemory, wordsOf } from "./look-at-pools.ts";
import { readEvents } from "./read-events.ts";
import type { HostChoice, MarketHosts } from "./rules/look-round.ts";

/** The hosts of a chain, as used by the reader of its markets. */
export type ReaderHosts = MarketHosts & {
  /** Uses a different host for the next looks. */
  leaveHost(): void;
};

export type HostReports = {
  /** Receives the first error each time that all of the chain's hosts fail. */
  onSilence: (error: unknown) => void;
  /** Receives pools that have more events than can be read. */
  onFlood: (pools: ReadonlySet<string>) => void;
};

/** Time limit for requests for events, counted from the first of them. No request begins later. */
const longestReadMs = 15_000;

/** Maximum number of headers in a request, because hosts limit the number of calls in a batch. */
const headersPerRequest = 100;

export function marketHosts(reader: EvmReader, { onSilence, onFlood }: HostReports): ReaderHosts {
  const memory = newPoolsMemory();
  const names = new Map<RpcHost, string>();
  let isSilent = false;

  function nameOf(host: RpcHost): string {
    const name = names.get(host) ?? `host ${names.size}`;
    names.set(host, name);
    return name;
  }

  /** Lists the hosts to ask a question. If there is only one host, its answers are trusted. */
  function hostsFor(of: HostChoice): RpcHost[] {
    const hosts = reader.client.inOrder();
    if ("only" in of) return hosts.filter((host) => nameOf(host) === of.only);
    return hosts.length === 1 ? hosts : hosts.filter((host) => nameOf(host) !== of.not);
  }

  async function reported<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
    try {
      const given = await answer;
      isSilent = false;
      return given;
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error;
      if (!isSilent) onSilence(error);
      isSilent = true;
      return undefined;
    }
  }

  /** Ignores a failed question to one host, because others may answer. */
  const asked = <Answer>(of: HostChoice, ask: (request: RpcHost["request"]) => Promise<Answer>) =>
    firstAnswer(reader, hostsFor(of), ask).catch((error: unknown) => {
      if (error instanceof ChainUnavailable) return undefined;
      throw error;
    });

  return {
    leaveHost() {
      memory.host++;
    },
    async look(ask) {
      const look = await reported(lookAtPools(reader, memory, ask, Date.now()));
      return look && { ...look, host: nameOf(look.host) };
    },
    async events(of, range) {
      const untilMs = Date.now() + longestReadMs;
      const hosts = hostsFor(of);
      const read = await readEvents(reader, { ...range, hosts, untilMs, needsLast: true }).catch(
        (error: unknown) => {
          if (error instanceof ChainUnavailable) return undefined;
          throw error;
        },
      );
      if (read === undefined) return undefined;
      if (read.unread.size > 0) onFlood(read.unread);
      return read.unread.size > 0 ? undefined : read.events;
    },
    async headers(of, blocks) {
      const headers = await asked(of, (request) => askInParts(request, blocks, blockCall, headersPerRequest));
      return headers && new Map(headers.map(({ number, hash, time }) => [number, { hash, time }]));
    },
    async states(of, { block, pools }) {
      const states = await asked(of, async (request) => {
        const [answers] = await request([multicall(pools.map(stateQuestion), block)]);
        return answers;
      });
      return states && wordsOf(pools, states);
    },
  };
}
