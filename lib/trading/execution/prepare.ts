import type { ChainReader } from "../../chains/families/open-chains.ts";
import type { Network } from "../../core/network.ts";

/** Event that announces to executeOrders that an order may follow, on a chain or on any. */
export type PrepareEvent = { prepare: Network | "any" };

export const isPrepareEvent = (event: object): event is PrepareEvent => "prepare" in event;

/** Time in which a call leaves this process. Lambda freezes the process once a run has ended. */
const leavingMs = 50;

/** Time after which a signer that has not started by then is called anyway. */
const startingMs = 2000;

/** A signer whose process may be starting. */
export type StartedSigner = {
  /** Starts the process. Resolves once it has started, and after failures. */
  start: () => Promise<void>;
  call: (payload: unknown) => Promise<unknown>;
};

/**
 * Lets calls of the signer wait for its start: a call meanwhile would make Lambda start a second process, which would
 * answer later than the first one.
 *
 * @param start Calls the signer with an event that it ignores, and returns once the signer has answered.
 */
export function startedSigner(start: () => Promise<unknown>, call: StartedSigner["call"]): StartedSigner {
  let starting: { ended: Promise<void>; untilMs: number } | undefined;
  return {
    start() {
      const ended = start().then(
        () => undefined,
        () => undefined,
      );
      starting = { ended, untilMs: Date.now() + startingMs };
      return ended;
    },
    async call(payload) {
      const leftMs = (starting?.untilMs ?? 0) - Date.now();
      if (starting && leftMs > 0) await endOf(starting.ended, leftMs);
      return call(payload);
    },
  };
}

type HostsByChain = ReadonlyMap<Network, Pick<ChainReader, "client">>;

/** Opens connections to a chain's hosts, and checks their chain, without waiting for either. */
export function connectHosts(chains: HostsByChain, chain: Network): void {
  // Ignores faults here, because the order's run asks the same hosts.
  for (const host of chains.get(chain)?.client.hosts ?? []) host.request([]).catch(() => undefined);
}

/**
 * Starts the signer's process, and opens connections to the hosts of the announced chain, without waiting for either: a
 * busy process would make Lambda start another one for the order. Writes and signs nothing.
 */
export async function prepareRun(
  chains: HostsByChain,
  startSigner: StartedSigner["start"],
  { prepare }: PrepareEvent,
): Promise<void> {
  if (prepare !== "any" && !chains.has(prepare)) return;
  const started = startSigner();
  if (prepare !== "any") connectHosts(chains, prepare);
  await endOf(started, leavingMs);
}

/** Waits until something has ended, but not for longer than this. */
async function endOf(promise: Promise<void>, longestMs: number): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, longestMs);
  await Promise.race([promise, late]);
  clearTimeout(timer);
}
