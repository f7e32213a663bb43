import { chainFacts } from "../../../core/chain-facts.ts";
import { inPartsOf } from "../../../core/in-parts.ts";
import type { Look } from "../../../orders/block.ts";
import { type Ask, askTogether } from "../../hosts/ask-together.ts";
import { fromAnyHost } from "../../hosts/from-any-host.ts";
import { chainTimeCall } from "../calls/rpc-call.ts";
import { mostStatuses, statusesCall } from "../calls/transaction-call.ts";
import { blockOfSlot } from "../rules/host-snapshot.ts";
import type { SolReader } from "../venues/reader.ts";

/**
 * Looks at Solana. Uses the slot's number in place of the block's hash, because no RPC call returns the hash of a
 * slot's block. A replaced block is therefore noticed only when later blocks are final.
 */
export const lookAtSol = (
  reader: SolReader,
  host: number,
  heights: readonly number[],
  wantsFinal: boolean,
): Promise<Look> => fromAnyHost(reader, host, (ask) => askOnce(ask, heights, wantsFinal));

async function askOnce(ask: Ask, heights: readonly number[], wantsFinal: boolean): Promise<Look> {
  const { confirmed, final } = await askTogether(ask, {
    confirmed: chainTimeCall({ commitment: "confirmed" }),
    final: wantsFinal ? [chainTimeCall({ commitment: "finalized" })] : [],
  });
  const { slot } = confirmed;
  return {
    number: slot,
    time: timeOf(slot),
    parentHash: blockOfSlot(slot - 1).hash,
    hashes: new Map(
      heights.filter((height) => height <= slot).map((height) => [height, blockOfSlot(height).hash]),
    ),
    ...(final[0] && { final: { number: final[0].slot, time: timeOf(final[0].slot) } }),
  };
}

/** Estimates the times of slots. Only the differences between them are used. */
const timeOf = (slot: number): number => Math.floor(slot * chainFacts.sol.blockSeconds);

/** Returns the block of each transaction. Empty for transactions that are in no confirmed block. */
export async function solBlocksOf(ask: Ask, hashes: readonly string[]): Promise<Map<string, string>> {
  const blocks = new Map<string, string>();
  for (const part of inPartsOf(mostStatuses, hashes)) {
    const [statuses] = await ask([statusesCall(part)]);
    for (const [index, hash] of part.entries()) {
      const slot = statuses[index]?.slot;
      blocks.set(hash, slot === undefined ? "" : blockOfSlot(slot).hash);
    }
  }
  return blocks;
}
