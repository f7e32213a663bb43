import { solBlockhashBlocks } from "../../core/network-facts.ts";
import { HostFault, isHostError } from "../hosts/host-fault.ts";
import { type FamilyEffects, firstSight, inTwo, type SendAnswer } from "../hosts/look.ts";
import { type RpcHost, rpcHost } from "../hosts/rpc-host.ts";
import { chainTimeCall, final } from "./calls/rpc-call.ts";
import { blockhashValidCall, type RecentBlockhash, sendCall } from "./calls/transaction-call.ts";
import { JupiterOffers } from "./looks/jupiter-offers.ts";
import { type SolSight, sightOfSol } from "./looks/snapshot-of-host.ts";
import type { Sol } from "./rules/family.ts";
import type { SolSnapshot } from "./rules/host-snapshot.ts";
import type { SolReader } from "./venues/reader.ts";

type Seen = { host: RpcHost; sight: SolSight };

/** The effects of a run on Solana. */
export function solEffects(reader: SolReader, see = sightOfSol): FamilyEffects<Sol> {
  const { configuration, keyed = (text) => text } = reader;
  const relay = configuration.relay && rpcHost({ url: keyed(configuration.relay.url) });
  const offers = new JupiterOffers(reader);
  return {
    signAsHelper: (intent, message) => offers.sign(intent, message),
    snapshots(question) {
      const offerFor = offers.forLook();
      const seenBy = (hosts: readonly RpcHost[]): Promise<Seen | undefined> =>
        firstSight(hosts, async (host) => {
          const sight = await see(host, reader, question, offerFor);
          return sight && { host, sight };
        });
      const [even, odd] = inTwo(reader.client.hosts, seenBy);
      const both = Promise.all([even, odd]).then(withBlockhash);
      return [both.then(([a]) => a), both.then(([, b]) => b)];
    },
    relay: relay && ((raw) => sendingTo(relay, raw)),
    publish: (raw) => reader.client.hosts.map((host) => sendingTo(host, raw)),
  };
}

/**
 * Adds a blockhash that both hosts know. It comes from the host that is behind, because the other host knows it too.
 * Each snapshot contains its own host's answer on how long the blockhash remains valid.
 */
async function withBlockhash([a, b]: readonly (Seen | undefined)[]): Promise<
  readonly [SolSnapshot | undefined, SolSnapshot | undefined]
> {
  const plain = [a?.sight.snapshot, b?.sight.snapshot] as const;
  if (a === undefined || b === undefined) return plain;
  const isBehind = a.sight.snapshot.height.slot <= b.sight.snapshot.height.slot;
  const [namer, other] = isBehind ? [a, b] : [b, a];
  const { recent } = namer.sight;
  if (recent === undefined) return plain;
  // If both snapshots come from the same host, asks nobody else.
  const checked = namer === other ? recent : await knownBy(other.host, recent);
  if (checked === undefined) return plain;
  const withOwn = ({ sight: { snapshot } }: Seen, blockhash: RecentBlockhash) => ({ ...snapshot, blockhash });
  return [withOwn(a, a === namer ? recent : checked), withOwn(b, b === namer ? recent : checked)];
}

/**
 * Asks whether a host knows a blockhash, and for the host's block height. The blockhash is valid for a limited number of
 * further blocks. Undefined if the host does not know it.
 */
async function knownBy(host: RpcHost, { hash }: RecentBlockhash): Promise<RecentBlockhash | undefined> {
  try {
    const [valid, time] = await host.request([blockhashValidCall(hash), chainTimeCall(final)]);
    if (!valid.isValid) return undefined;
    // The host may have read the height at an earlier slot. Each slot since then adds at most one block.
    const mostHeight = time.blockHeight + Math.max(0, valid.slot - time.slot);
    return { hash, lastValidBlockHeight: mostHeight + solBlockhashBlocks };
  } catch (error) {
    if (isHostError(error)) return undefined;
    throw error;
  }
}

/**
 * Sends a transaction to a host. Only an answer proves that it arrived: a host whose connection breaks may have
 * accepted it, and is sent it again.
 */
async function sendingTo(host: RpcHost, raw: string): Promise<SendAnswer> {
  try {
    await host.request([sendCall(raw)]);
    return "reached";
  } catch (error) {
    if (!isHostError(error)) throw error;
    return error instanceof HostFault || !error.says(isKnown) ? "unreached" : "reached";
  }
}

/** Nodes' messages for a transaction that is already in a block. */
const isKnown = /already (?:been )?processed/i;
