import { askTogether } from "../hosts/ask-together.ts";
import { HostFault, isHostError, unlessHostFails } from "../hosts/host-fault.ts";
import { type FamilyEffects, firstSight, inTwo, type SendAnswer } from "../hosts/look.ts";
import { type RpcHost, rpcHost } from "../hosts/rpc-host.ts";
import { exchangeBetween, knownBlockhash, knownCalls } from "./calls/blockhash-exchange.ts";
import { type RecentBlockhash, sendCall } from "./calls/transaction-call.ts";
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
      const { hosts } = reader.client;
      const offerFor = offers.forLook();
      const exchange = exchangeBetween(Math.min(hosts.length, 2));
      const seenBy = (hosts: readonly RpcHost[]): Promise<Seen | undefined> =>
        firstSight(hosts, async (host) => {
          // A reserve host comes too late for the exchange.
          const isFirst = host === hosts[0];
          const sight = await see(host, reader, question, offerFor, isFirst ? exchange : undefined);
          if (sight === undefined) exchange.leave();
          return sight && { host, sight };
        });
      const [even, odd] = inTwo(hosts, seenBy);
      const both = Promise.all([even, odd]).then(withBlockhash);
      return [both.then(([a]) => a), both.then(([, b]) => b)];
    },
    relay: relay && ((raw) => sendingTo(relay, raw)),
    publish: (raw) => reader.client.hosts.map((host) => sendingTo(host, raw)),
  };
}

/** Adds a blockhash that both hosts know. Each snapshot has its own host's answer on how long it remains valid. */
async function withBlockhash([a, b]: readonly (Seen | undefined)[]): Promise<
  readonly [SolSnapshot | undefined, SolSnapshot | undefined]
> {
  if (a === undefined || b === undefined) return [a?.sight.snapshot, b?.sight.snapshot];
  const { agreed: mine } = a.sight;
  const { agreed: other } = b.sight;
  const isShared = mine !== undefined && mine.hash === other?.hash;
  const [ofA, ofB] = isShared ? [mine, other] : await blockhashesOf(a, b);
  const withOwn = ({ sight: { snapshot } }: Seen, blockhash: RecentBlockhash | undefined) =>
    blockhash === undefined ? snapshot : { ...snapshot, blockhash };
  return [withOwn(a, ofA), withOwn(b, ofB)];
}

/**
 * Asks again about a blockhash, because the hosts did not exchange theirs in time. It comes from the host that is
 * behind, because the other host knows it too.
 */
async function blockhashesOf(
  a: Seen,
  b: Seen,
): Promise<readonly [RecentBlockhash, RecentBlockhash] | readonly []> {
  const isBehind = a.sight.snapshot.height.slot <= b.sight.snapshot.height.slot;
  const [namer, other] = isBehind ? [a, b] : [b, a];
  const { recent } = namer.sight;
  const known = recent && (await knownBy(other.host, recent));
  if (recent === undefined || known === undefined) return [];
  return isBehind ? [recent, known] : [known, recent];
}

/** Undefined if the host does not know the blockhash. */
async function knownBy(host: RpcHost, { hash }: RecentBlockhash): Promise<RecentBlockhash | undefined> {
  const answer = await unlessHostFails(askTogether((calls) => host.request(calls), knownCalls(hash)));
  return answer && knownBlockhash(hash, answer);
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
