import { ChainUnavailable, solRefusals } from "../../hosts/host-fault.ts";
import { askHost, type HostGroup, hostGroup } from "../../hosts/host-group.ts";
import type { KeyedText } from "../../hosts/keyed-text.ts";
import { rpcHost } from "../../hosts/rpc-host.ts";
import type { SolConfiguration } from "../rules/configuration.ts";
import { areSlotsNear } from "../rules/host-snapshot.ts";
import { chainTimeCall, clusterCall, final } from "./rpc-call.ts";

/**
 * The hosts of sol. They cannot read past slots, so two hosts can never be asked for values at exactly the same slot.
 */
export type SolClient = HostGroup;

/** Opens a host that must belong to this cluster. */
export const solHost = (url: KeyedText, cluster: string) =>
  rpcHost({ url, identity: { id: cluster, call: clusterCall() }, codes: solRefusals });

export const solClient = ({
  hosts,
  cluster,
}: Pick<SolConfiguration, "cluster"> & { hosts: readonly KeyedText[] }): SolClient =>
  hostGroup(
    "sol",
    hosts.map((url) => solHost(url, cluster)),
  );

/**
 * Makes sure that two hosts see the chain at about the same slot. If only one host responds, it is trusted.
 *
 * @throws {ChainUnavailable} if no two hosts do
 */
export async function agreeOnSlot({ hosts, inOrder }: SolClient): Promise<void> {
  const calls = [chainTimeCall(final)] as const;
  const answers = await Promise.all(inOrder().map((host) => askHost(host, calls)));
  const slots = answers.flatMap((answer) => ("values" in answer ? answer.values[0].slot : []));
  const others = (index: number) => slots.slice(index + 1);
  const isAgreed = slots.some((slot, index) => others(index).some((other) => areSlotsNear(slot, other)));
  if (isAgreed || (hosts.length === 1 && slots.length === 1)) return;
  const [cause] = answers.flatMap((answer) => ("error" in answer ? answer.error : []));
  throw new ChainUnavailable("No two hosts of sol agree", { cause });
}
