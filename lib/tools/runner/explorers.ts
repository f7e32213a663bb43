import { explorers, tradingChains } from "../../core/chain-facts.ts";

/** Lists the explorers that the console links to: the given ones, and public ones for chains that are not local. */
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
