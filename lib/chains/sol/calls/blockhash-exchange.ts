import { solBlockhashBlocks } from "../../../core/network-facts.ts";
import type { ValuesIn } from "../../hosts/ask-together.ts";
import { attemptQuietly } from "../../hosts/rpc-call.ts";
import { chainTimeCall, final } from "./rpc-call.ts";
import { blockhashValidCall, type RecentBlockhash } from "./transaction-call.ts";

/** Longest time for which a host's answers wait for the blockhash of a slower host. */
const patienceMs = 300;

/** Exchanges the newest blockhashes of hosts that are asked at the same time, between two rounds of requests. */
export type BlockhashExchange = {
  /**
   * Gives a host's newest blockhash. Returns the oldest of all hosts' blockhashes, because the other hosts know it too.
   * Undefined if a host fails or is late.
   */
  give(recent: RecentBlockhash): Promise<RecentBlockhash | undefined>;
  /** Reports that a host has failed, so that no other host waits for it. */
  leave(): void;
};

/** Opens an exchange between this many hosts. */
export function exchangeBetween(hosts: number): BlockhashExchange {
  const given: RecentBlockhash[] = [];
  const { promise, resolve } = Promise.withResolvers<RecentBlockhash | undefined>();
  let timer: NodeJS.Timeout | undefined;
  const end = (oldest?: RecentBlockhash): void => {
    clearTimeout(timer);
    resolve(oldest);
  };
  return {
    give(recent) {
      given.push(recent);
      timer ??= setTimeout(end, patienceMs);
      const [oldest] = given.toSorted((a, b) => a.lastValidBlockHeight - b.lastValidBlockHeight);
      if (given.length === hosts) end(oldest);
      return promise;
    },
    leave: () => end(),
  };
}

/** Asks whether a host knows a blockhash, and for the host's block height. */
export const knownCalls = (hash: string) => ({
  valid: blockhashValidCall(hash),
  time: chainTimeCall(final),
});

/**
 * Computes how long a blockhash remains valid at most, from a host's own height, not from what the host that named it
 * says. Undefined if the host does not know the blockhash.
 */
export function knownBlockhash(
  hash: string,
  { valid, time }: ValuesIn<ReturnType<typeof knownCalls>>,
): RecentBlockhash | undefined {
  if (!valid.isValid) return undefined;
  // The host may have read the height at an earlier slot. Each slot since then adds at most one block.
  const mostHeight = time.blockHeight + Math.max(0, valid.slot - time.slot);
  return { hash, lastValidBlockHeight: mostHeight + solBlockhashBlocks };
}

/**
 * Prepares a host's second round: the calls about the exchanged blockhash, and how to read their answers. A host need
 * not be asked about its own newest blockhash. If it refuses these calls, its other answers still count.
 */
export function confirming(named: RecentBlockhash | undefined, own: RecentBlockhash | undefined) {
  const isOwn = named?.hash === own?.hash;
  const callsAbout = (hash: string) => {
    const { valid, time } = knownCalls(hash);
    return { valid: attemptQuietly(valid), time: attemptQuietly(time) };
  };
  const calls = named === undefined || isOwn ? [] : [callsAbout(named.hash)];
  return {
    calls,
    agreed([{ valid, time } = {}]: readonly Partial<ValuesIn<(typeof calls)[number]>>[]) {
      if (named === undefined || isOwn) return named && own;
      return valid && time && knownBlockhash(named.hash, { valid, time });
    },
  };
}
