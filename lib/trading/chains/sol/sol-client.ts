import type { SolConfiguration } from "../chain-configuration.ts";
import { type HostGroup, hostGroup } from "../host-group.ts";
import { rpcHost } from "../rpc-host.ts";
import { clusterCall } from "./sol-call.ts";

/**
 * The hosts of sol. None of them can read a past slot, so no two of them give the same values at the same slot.
 */
export type SolClient = HostGroup;

/** Opens hosts that must be of the configured cluster. Not all take batches, so each call is a request of its own. */
export function solClient({ hosts, cluster }: Pick<SolConfiguration, "hosts" | "cluster">): SolClient {
  const open = (url: string) => rpcHost({ url, chainId: cluster, chainCall: clusterCall(), mostCalls: 1 });
  return hostGroup("sol", hosts.map(open));
}
