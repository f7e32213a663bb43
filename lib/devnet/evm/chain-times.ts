/** Times at which a local chain makes blocks and finalizes them. */
export type ChainTimes = {
  /** Milliseconds between two blocks. */
  blockMs: number;
  /** Seconds until a block is final while blocks are being made. */
  finalitySeconds: number;
};

export const usualTimes: ChainTimes = { blockMs: 1000, finalitySeconds: 2 };

/** Computes the length of anvil's epochs. Anvil counts a block as safe after one epoch, and as final after two. */
export const slotsInEpoch = ({ blockMs, finalitySeconds }: ChainTimes): number =>
  Math.max(1, Math.ceil((finalitySeconds * 1000) / (2 * blockMs)));

/** Computes how many blocks must follow a block to make it final. */
export const finalAfterBlocks = (times: ChainTimes): number => 2 * slotsInEpoch(times);
