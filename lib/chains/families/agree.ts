import { familyOf } from "../../core/chain-facts.ts";
import type { EvmReader } from "../evm/venues/reader.ts";
import { agreeOnSlot } from "../sol/calls/hosts.ts";
import type { SolReader } from "../sol/venues/reader.ts";
import type { Family } from "./family.ts";

type EvmHosts = Pick<EvmReader, "chain" | "client">;
type SolHosts = Pick<SolReader, "chain" | "client">;

/** The hosts of a chain of any family. */
export type AgreeingHosts = EvmHosts | SolHosts;

type AgreeFamily = {
  agreeOnHead(hosts: AgreeingHosts): Promise<unknown>;
};

const families: Readonly<Record<Family, AgreeFamily>> = {
  evm: { agreeOnHead: ({ client }: EvmHosts) => client.agree(() => []) },
  sol: { agreeOnHead: ({ client }: SolHosts) => agreeOnSlot(client) },
};

/** @throws {ChainUnavailable} if no two hosts see the chain at about the same block */
export const agreeOnHead = (hosts: AgreeingHosts): Promise<unknown> =>
  families[familyOf(hosts.chain)].agreeOnHead(hosts);
