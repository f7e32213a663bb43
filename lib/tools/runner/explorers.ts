import { explorers, tradingChains } from "../../core/chain-facts.ts";

/** Names the sites that the console links to: of chains that are not on this machine, and those that were given. */
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
