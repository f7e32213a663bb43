import { chainFacts, type EvmChain } from "../../../core/chain-facts.ts";

/** Largest accepted lag of a host behind the others. */
const mostLagSeconds = 3;

/**
 * Computes how far apart the times of two hosts' newest blocks may be. A lag can shift them by another block, and
 * blocks state whole seconds.
 */
export const mostApartSeconds = (chain: EvmChain): number =>
  Math.ceil(mostLagSeconds + chainFacts[chain].blockSeconds);
