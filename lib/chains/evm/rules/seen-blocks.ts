import type { Block, BlockName } from "../../../orders/block.ts";
import { bothAnswered, type EvmSnapshots } from "./host-snapshot.ts";

/** Maximum difference between the times of honest hosts' latest blocks. */
const mostApartSeconds = 200;

/** A number of blocks that no chain produces within the time between honest hosts' latest blocks. */
const mostApartBlocks = 1000;

/**
 * Returns the hosts' latest blocks, in which both observed something. Undefined if the blocks are too far apart,
 * because a block that a lying host invents far ahead would never become final.
 */
export function blocksSeen([a, b]: readonly [{ latest: Block }, { latest: Block }]): BlockName[] | undefined {
  if (Math.abs(a.latest.time - b.latest.time) > mostApartSeconds) return undefined;
  if (Math.abs(a.latest.number - b.latest.number) > mostApartBlocks) return undefined;
  return [a, b].map(({ latest: { number, hash } }) => ({ number, hash }));
}

/**
 * Checks whether the final chain contains these blocks or has replaced them. Undefined until both hosts say that blocks
 * with these numbers are final.
 */
export function areFinal(seen: readonly BlockName[], snapshots: EvmSnapshots): boolean | undefined {
  if (!bothAnswered(snapshots)) return undefined;
  const answers = snapshots.flatMap(({ finalized, blocks }) =>
    seen.map(({ number, hash }) => {
      const final = number <= finalized.number ? blocks.get(number) : undefined;
      return final && final === hash;
    }),
  );
  return answers.includes(undefined) ? undefined : answers.every((isSame) => isSame);
}
