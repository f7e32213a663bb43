import { unitsOf } from "../../lib/tools/documents/host-units.ts";

export type HostCall = { method: string; params: readonly unknown[] };

/** A request to a host, and the time at which it arrived there. */
export type HostRequest = { calls: readonly HostCall[]; at: number };

/** The selector of `getLastBlockHash`, which only a look at the chain asks for. */
const lastBlockHash = "27e86d6e";

export const isLook = ({ method, params }: HostCall) =>
  method === "eth_call" && JSON.stringify(params).includes(lastBlockHash);

const isHead = ({ method, params }: HostCall) => method === "eth_getBlockByNumber" && params[0] === "latest";

/**
 * True if all wallets of a chain share the request: it is a reader's look, or the sweep's check that two hosts agree.
 * Hosts ask for the chain's id only now and then, so it may be there or not. On sol, a look is one of the requests that runs make,
 * too, so all count as the order's.
 */
export function isShared({ calls }: Pick<HostRequest, "calls">): boolean {
  const others = calls.filter(({ method }) => method !== "eth_chainId");
  return others.some(isLook) || (others.length > 0 && others.every(isHead));
}

/** True if the sweep's check may ask this: it compares blocks of two hosts each minute, whatever clients do. */
export const isCheck = ({ calls }: Pick<HostRequest, "calls">): boolean =>
  calls.every(({ method }) => method === "eth_getBlockByNumber" || method === "eth_chainId");

export const sends = ({ calls }: HostRequest): boolean =>
  calls.some(({ method }) => method === "eth_sendRawTransaction" || method === "sendTransaction");

/** The units are those of EVM chains. */
export type HostCounts = { requests: number; calls: number; units: number };

const isOfEvm = (method: string) => method.startsWith("eth_");

export function countsOf(requests: readonly HostRequest[]): HostCounts {
  const methods = requests.flatMap(({ calls }) => calls.map(({ method }) => method));
  return { requests: requests.length, calls: methods.length, units: unitsOf(methods.filter(isOfEvm)) };
}

/** The parts of an order's life. */
export const phases = ["to the answer", "to the broadcast", "to the end"] as const;

export type Phase = (typeof phases)[number];

/**
 * Counts what an order asks hosts in each part of its life.
 *
 * @param requests All requests from the order's placing until its outcome is final, by any function.
 * @param answeredAt The time of the response.
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
