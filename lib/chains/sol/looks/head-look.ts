import { chainFacts } from "../../../core/chain-facts.ts";
import { inPartsOf } from "../../../core/in-parts.ts";
import type { Look } from "../../../orders/block.ts";
import type { Ask } from "../../hosts/ask-together.ts";
import { fromAnyHost } from "../../hosts/from-any-host.ts";
import { chainTimeCall, final } from "../calls/rpc-call.ts";
import { mostStatuses, statusesCall } from "../calls/transaction-call.ts";
import { blockOfSlot } from "../rules/host-snapshot.ts";
import type { SolReader } from "../venues/reader.ts";

/**
 * Looks at the newest final block of Solana. Uses the slot's number in place of the block's hash, because no RPC call
 * returns the hash of a slot's block.
 */
export const lookAtSol = (
  reader: SolReader,
  host: number,
  heights: readonly number[],
  wantsFinal: boolean,
): Promise<Look> => fromAnyHost(reader, host, (ask) => askOnce(ask, heights, wantsFinal));

async function askOnce(ask: Ask, heights: readonly number[], wantsFinal: boolean): Promise<Look> {
  const [{ slot }] = await ask([chainTimeCall(final)]);
  const number = slot;
  const time = timeOf(slot);
  return {
    number,
    time,
    parentHash: blockOfSlot(slot - 1).hash,
    hashes: new Map(
      heights.filter((height) => height <= slot).map((height) => [height, blockOfSlot(height).hash]),
    ),
    ...(wantsFinal && { final: { number, time } }),
  };
}

/** Estimates the times of slots. Only the differences between them are used. */
const timeOf = (slot: number): number => Math.floor(slot * chainFacts.sol.blockSeconds);

/** Returns the block of each transaction. Empty for transactions that are in no final block. */
export async function solBlocksOf(ask: Ask, hashes: readonly string[]): Promise<Map<string, string>> {
  const blocks = new Map<string, string>();
  for (const part of inPartsOf(mostStatuses, hashes)) {
    const [statuses] = await ask([statusesCall(part)]);
    for (const [index, hash] of part.entries()) {
      const slot = statuses[index];
      blocks.set(hash, slot === undefined ? "" : blockOfSlot(slot).hash);
    }
  }
  return blocks;
}
