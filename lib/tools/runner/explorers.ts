import { explorers, tradingChains } from "../../core/chain-facts.ts";

/**
 * Lists the explorers to which the console links: the given ones, and public explorers for chains that are not local.
 */
export const explorersFor = (
  localChains: object,
  given: Readonly<Record<string, string>>,
): Record<string, string> => ({
  ...Object.fromEntries(
    tradingChains
      .filter((chain) => !(chain in localChains))
      .map((chain) => [chain, `https://${explorers[chain]}`]),
  ),
  ...given,
});
