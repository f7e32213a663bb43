/** A block of a chain, with its time in seconds. */
export type Block = { number: number; hash: string; time: number };

export type BlockName = Pick<Block, "number" | "hash">;

/**
 * One host's view of a chain, shared by all lanes. A block cannot contain its own hash, so a look has its parent's: the
 * next look then reveals a replaced block.
 */
export type Look = {
  /** The number of the latest block. */
  number: number;
  /** Time of the latest block, in seconds. */
  time: number;
  parentHash: string;
  /** Hashes of the blocks at the requested heights, except blocks unknown to the host. */
  hashes: ReadonlyMap<number, string>;
  /** The final block, with its time in seconds. */
  final?: Pick<Block, "number" | "time">;
};
