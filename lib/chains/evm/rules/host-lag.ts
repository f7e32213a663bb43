import { chainFacts, type EvmChain } from "../../../core/chain-facts.ts";

/** Hosts that lag further behind others do not count as seeing the same chain. */
const mostLagSeconds = 3;

/**
 * Computes how far the times of two hosts' newest blocks may be apart. A lag moves them by up to a block more, and blocks
 * state whole seconds.
 */
export const mostApartSeconds = (chain: EvmChain): number =>
  Math.ceil(mostLagSeconds + chainFacts[chain].blockSeconds);
