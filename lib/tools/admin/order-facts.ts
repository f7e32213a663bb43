import type { Family } from "../../chains/families/family.ts";
import { familyOf } from "../../core/chain-facts.ts";
import type { Network } from "../../core/network.ts";
import { evmOrderFacts } from "./evm-facts.ts";
import type { HiddenFacts } from "./hidden-facts.ts";
import { solOrderFacts } from "./sol-facts.ts";

const families: Readonly<Record<Family, HiddenFacts>> = {
  evm: evmOrderFacts,
  sol: solOrderFacts,
};

export const factsOf = (chain: Network): HiddenFacts => families[familyOf(chain)];
