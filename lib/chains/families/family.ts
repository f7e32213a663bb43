import type { Evm } from "../evm/rules/family.ts";
import type { Sol } from "../sol/rules/family.ts";

/** Maps each family of chains to its types. A new family is one line here. */
export type Families = {
  evm: Evm;
  sol: Sol;
};

export type Family = keyof Families;
