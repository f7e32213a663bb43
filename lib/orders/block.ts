/** A block of a chain, with its time in seconds. */
export type Block = { number: number; hash: string; time: number };

export type BlockName = Pick<Block, "number" | "hash">;

/**
 * One host's view of a chain, shared by all lanes. A block does not contain its own hash, so a look contains the hash
 * of the block's parent. The next look then reveals whether the block was replaced.
 */
export type Look = {
  /** The number of the latest block. */
  number: number;
  /** Time of the latest block, in seconds. */
  time: number;
  parentHash: string;
  /** Hashes of the blocks at the requested heights. Blocks that the host does not know have no entry. */
  hashes: ReadonlyMap<number, string>;
  /** The final block, with its time in seconds. */
  final?: Pick<Block, "number" | "time">;
};
