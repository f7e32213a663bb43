import { chainFacts, type EvmChain } from "../../../core/chain-facts.ts";

/** Maximum time by which a host may lag behind the others. */
const mostLagSeconds = 3;

/**
 * Computes how far apart the times of two hosts' newest blocks may be. A lagging host may also miss one more block, and
 * block times are whole seconds.
 */
export const mostApartSeconds = (chain: EvmChain): number =>
  Math.ceil(mostLagSeconds + chainFacts[chain].blockSeconds);
