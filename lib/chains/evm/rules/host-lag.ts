import { chainFacts, type EvmChain } from "../../../core/chain-facts.ts";

/** Largest accepted lag of a host behind the others. */
const mostLagSeconds = 3;

/**
 * Computes how far the times of two hosts' newest blocks may be apart. A lag moves them by up to a block more, and blocks
 * state whole seconds.
 */
export const mostApartSeconds = (chain: EvmChain): number =>
  Math.ceil(mostLagSeconds + chainFacts[chain].blockSeconds);
