import { unitsOf } from "../../lib/tools/documents/host-units.ts";

export type HostCall = { method: string; params: readonly unknown[] };

/** A request to a host and its arrival time. */
export type HostRequest = { calls: readonly HostCall[]; at: number };

/** Selector of `getLastBlockHash`. Only readers call it, when they look at the chain. */
const lastBlockHash = "27e86d6e";

export const isLook = ({ method, params }: HostCall) =>
  method === "eth_call" && JSON.stringify(params).includes(lastBlockHash);

const isHead = ({ method, params }: HostCall) => method === "eth_getBlockByNumber" && params[0] === "latest";

/**
 * True if the request serves all wallets of a chain: a reader's look at the chain, or the sweep's check that two hosts
 * agree. Ignores the calls for the chain's id that are added to requests now and then. On Solana, order runs look at
 * the chain in the same way as readers, so all requests count towards the order.
 */
export function isShared({ calls }: Pick<HostRequest, "calls">): boolean {
  const others = calls.filter(({ method }) => method !== "eth_chainId");
  return others.some(isLook) || (others.length > 0 && others.every(isHead));
}

/** True if the request may belong to the sweep's check, which compares two hosts' blocks every minute. */
export const isCheck = ({ calls }: Pick<HostRequest, "calls">): boolean =>
  calls.every(({ method }) => method === "eth_getBlockByNumber" || method === "eth_chainId");

export const sends = ({ calls }: HostRequest): boolean =>
  calls.some(({ method }) => method === "eth_sendRawTransaction" || method === "sendTransaction");

/** Counts of requests and calls, and the units of calls to EVM chains. */
export type HostCounts = { requests: number; calls: number; units: number };

const isOfEvm = (method: string) => method.startsWith("eth_");

export function countsOf(requests: readonly HostRequest[]): HostCounts {
  const methods = requests.flatMap(({ calls }) => calls.map(({ method }) => method));
  return { requests: requests.length, calls: methods.length, units: unitsOf(methods.filter(isOfEvm)) };
}

/** Phases of an order's life. */
export const phases = ["to the answer", "to the broadcast", "to the end"] as const;

export type Phase = (typeof phases)[number];

/**
 * Counts an order's requests to hosts in each phase of its life.
 *
 * @param requests All functions' requests from the placement until the outcome is final.
 * @param answeredAt Time of the response.
 */
export function countsByPhase(
  requests: readonly HostRequest[],
  answeredAt: number,
): Record<Phase | "shared", HostCounts> {
  const own = requests.filter((request) => !isShared(request));
  const sentAt = Math.min(...own.filter(sends).map(({ at }) => at));
  const phaseOf = ({ at }: HostRequest): Phase => {
    if (at > sentAt) return "to the end";
    return at < answeredAt ? "to the answer" : "to the broadcast";
  };
  const byPhase = Map.groupBy(own, phaseOf);
  const counts = phases.map((phase) => [phase, countsOf(byPhase.get(phase) ?? [])] as const);
  return {
    ...(Object.fromEntries(counts) as Record<Phase, HostCounts>),
    shared: countsOf(requests.filter(isShared)),
  };
}
