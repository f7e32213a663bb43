/** How often a local chain makes blocks, and when they are final. */
export type ChainTimes = {
  /** The time between two blocks. */
  blockMs: number;
  /** How long a block takes to become final while blocks are made. */
  finalitySeconds: number;
};

export const usualTimes: ChainTimes = { blockMs: 1000, finalitySeconds: 2 };

/** Anvil takes a block for safe after an epoch, and for final after two. */
export const slotsInEpoch = ({ blockMs, finalitySeconds }: ChainTimes): number =>
  Math.max(1, Math.ceil((finalitySeconds * 1000) / (2 * blockMs)));

/** Computes how many blocks must follow a block until it is final. */
export const finalAfterBlocks = (times: ChainTimes): number => 2 * slotsInEpoch(times);
