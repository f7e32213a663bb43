/** A block. Its time is in seconds. */
export type Block = { number: number; hash: string; time: number };

export type BlockName = Pick<Block, "number" | "hash">;

/**
 * One host's view of a chain, for all lanes. A block cannot know its own hash, so a look knows its parent's: a replaced
 * block shows in the next look.
 */
export type Look = {
  /** The number of the latest block. */
  number: number;
  /** Its time, in seconds. */
  time: number;
  parentHash: string;
  /** The hashes of the blocks at the requested heights, without those that the host does not know. */
  hashes: ReadonlyMap<number, string>;
  /** The final block. Its time is in seconds. */
  final?: Pick<Block, "number" | "time">;
};
