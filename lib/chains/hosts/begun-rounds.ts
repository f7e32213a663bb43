import { hostsOfFirstRound } from "./ask-in-rounds.ts";
import type { Ask } from "./ask-together.ts";
import type { HostGroup } from "./host-group.ts";
import type { RpcHost } from "./rpc-host.ts";

/** Maximum age of a first request that a quote uses. Older ones are made again, because prices change. */
const mostEarlyMs = 1000;

/** Each host's first request of a quote, made before all terms of the quote are known. */
export type BegunRounds<Answer> = {
  /** Returns a host's answer for its first quote, if it was begun and is fresh. */
  take(host: RpcHost): Promise<Answer> | undefined;
};

/**
 * Makes the first request of a quote to the hosts that a quote asks first. A failure counts against the host only if the
 * answer is taken.
 */
export function beginRounds<Answer>(
  group: Omit<HostGroup, "read">,
  begin: (ask: Ask, host: RpcHost) => Promise<Answer>,
  nowMs: () => number = Date.now,
): BegunRounds<Answer> {
  const begunMs = nowMs();
  const begun = new Map<RpcHost, Promise<Answer>>();
  for (const host of hostsOfFirstRound(group)) {
    const unrecorded = group.unrecorded(host);
    const answer = begin((calls) => unrecorded.request(calls), host);
    answer.catch(() => undefined);
    begun.set(host, answer);
  }
  return {
    take(host) {
      const answer = nowMs() - begunMs > mostEarlyMs ? undefined : begun.get(host);
      begun.delete(host);
      return answer && group.recorded(host, answer);
    },
  };
}
