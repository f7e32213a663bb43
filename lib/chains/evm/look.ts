import { HostFault, isHostError } from "../hosts/host-fault.ts";
import { type FamilyEffects, firstSight, inTwo, type SendAnswer } from "../hosts/look.ts";
import { type RpcHost, rpcHost } from "../hosts/rpc-host.ts";
import { publishCall } from "./calls/rpc-call.ts";
import { snapshotOfEvm } from "./looks/snapshot-of-host.ts";
import type { Evm } from "./rules/family.ts";
import type { EvmReader } from "./venues/reader.ts";

/** The effects of a run on an EVM chain. */
export function evmEffects(reader: EvmReader, see = snapshotOfEvm): FamilyEffects<Evm> {
  const { configuration, keyed = (text) => text } = reader;
  const { relay: url } = configuration;
  const relay = url === undefined ? undefined : rpcHost({ url: keyed(url) });
  return {
    snapshots: (question) =>
      inTwo(reader.client.hosts, (hosts) => firstSight(hosts, (host) => see(host, reader, question))),
    relay: relay && ((raw) => sendingTo(relay, raw)),
    /** Signs nothing, because no route on an EVM chain has a helper key. */
    signAsHelper: () => undefined,
    publish: (raw) => reader.client.hosts.map((host) => sendingTo(host, raw)),
  };
}

/**
 * Nodes' messages for a transaction that they already know, or whose nonce is used. In both cases the node counts as
 * reached.
 */
const isKnown = /already ?(?:known|imported|exists|in)|known ?transaction|nonce ?(?:is )?too ?low/i;

/** Nodes' messages for fees that are below the minimum of their pool, or too low to replace another transaction. */
const isUnderpriced =
  /underpriced|fee ?too ?low|(?:gas price|fee|tip)\b.*\b(?:too low|below|less|minimum)|replacement ?not ?allowed/i;

const isUnfunded =
  /insufficient ?(?:funds|balance)|exceeds? (?:account )?balance|not enough (?:funds|balance)/i;

/**
 * Sends a transaction to a host. Only an answer proves that it arrived: a host whose connection breaks may have
 * accepted it, and says so when the transaction is sent again.
 */
async function sendingTo(host: RpcHost, raw: string): Promise<SendAnswer> {
  try {
    await host.request([publishCall(raw)]);
    return "reached";
  } catch (error) {
    if (!isHostError(error)) throw error;
    if (error instanceof HostFault) return "unreached";
    if (error.says(isKnown)) return "reached";
    if (error.says(isUnderpriced)) return "underpriced";
    return error.says(isUnfunded) ? "unfunded" : "unreached";
  }
}
