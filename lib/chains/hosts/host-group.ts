import { ChainUnavailable, type HostError, HostFault, isHostError, RpcRefusal } from "./host-fault.ts";
import type { RpcCall, ValuesOf } from "./rpc-call.ts";
import type { RpcHost } from "./rpc-host.ts";

type Calls = readonly RpcCall<unknown>[];

/** The hosts of one chain. */
export type HostGroup = {
  /** The configured hosts, in order of preference. They may see different states of the chain. */
  hosts: readonly RpcHost[];
  /** Returns hosts whose failures are recorded. Hosts that failed recently come last. */
  inOrder: () => RpcHost[];
  /**
   * Returns the same host without a record of failures, for requests whose answers nobody may need: if Lambda freezes the
   * process meanwhile, they fail for no fault of the host.
   */
  unrecorded: (host: RpcHost) => RpcHost;
  /** Waits for the answer to an unrecorded request, and records whether the host failed. */
  recorded: <Answer>(host: RpcHost, answer: Promise<Answer>) => Promise<Answer>;
  /**
   * Asks one host after another until one answers.
   *
   * @throws {ChainUnavailable} if none does.
   * @throws {RpcRefusal} if a call fails on the chain, or no host knows the method.
   */
  read: <const Asked extends Calls>(calls: Asked) => Promise<ValuesOf<Asked>>;
};

/** How long a failed host comes last. Otherwise every request would first wait for it. */
const restMs = 10_000;

/** Remembers which hosts failed, so a function keeps one group for its whole life. */
export function hostGroup(
  chain: string,
  hosts: readonly RpcHost[],
  nowMs: () => number = Date.now,
): HostGroup {
  const failedMs = new Map<RpcHost, number>();
  const notedHosts = hosts.map(noting);

  /** Wraps a host so that its failures are recorded. */
  function noting(host: RpcHost): RpcHost {
    const noted: RpcHost = {
      request: async (calls, signal) => recorded(noted, host.request(calls, signal)),
    };
    return noted;
  }

  async function recorded<Answer>(host: RpcHost, answer: Promise<Answer>): Promise<Answer> {
    try {
      const values = await answer;
      failedMs.delete(host);
      return values;
    } catch (error) {
      const isOfHost = error instanceof HostFault || (error instanceof RpcRefusal && error.kind === "host");
      if (isOfHost) failedMs.set(host, nowMs());
      throw error;
    }
  }

  function inOrder(): RpcHost[] {
    const isResting = (host: RpcHost) => nowMs() - (failedMs.get(host) ?? Number.NEGATIVE_INFINITY) < restMs;
    const [resting = [], ready = []] = [true, false].map((rests) =>
      notedHosts.filter((host) => isResting(host) === rests),
    );
    return [...ready, ...resting];
  }

  async function read<const Asked extends Calls>(calls: Asked): Promise<ValuesOf<Asked>> {
    const errors: HostError[] = [];
    for (const host of inOrder()) {
      const answer = await askHost(host, calls);
      if ("values" in answer) return answer.values;
      if (answer.error instanceof RpcRefusal && answer.error.kind === "call") throw answer.error;
      errors.push(answer.error);
    }
    throw (
      unsupportedBy(hosts, errors) ??
      new ChainUnavailable(`No host of ${chain} answers`, { cause: errors[0] })
    );
  }

  const unrecorded = (host: RpcHost) => hosts[notedHosts.indexOf(host)] ?? host;

  return { hosts, inOrder, unrecorded, recorded, read };
}

/** Returns the host's values, or its error. */
export async function askHost<const Asked extends Calls>(
  host: RpcHost,
  calls: Asked,
  signal?: AbortSignal,
): Promise<{ values: ValuesOf<Asked> } | { error: HostError }> {
  try {
    return { values: await host.request(calls, signal) };
  } catch (error) {
    if (isHostError(error)) return { error };
    throw error;
  }
}

/** Returns a refusal if all hosts refused the calls as unsupported. */
export function unsupportedBy(
  hosts: readonly RpcHost[],
  errors: readonly HostError[],
): RpcRefusal | undefined {
  const refusals = errors.filter(
    (error): error is RpcRefusal => error instanceof RpcRefusal && error.kind === "unsupported",
  );
  return refusals.length === hosts.length ? refusals[0] : undefined;
}
