import { explorers } from "../../core/chain-facts.ts";

/**
 * Lists the explorers to which the console links: the given ones, and public explorers for chains that are not local.
 */
export const explorersFor = (
  localChains: readonly string[],
  given: Readonly<Record<string, string>>,
): Record<string, string> => ({
  ...Object.fromEntries(Object.entries(explorers).filter(([network]) => !localChains.includes(network))),
  ...given,
});
