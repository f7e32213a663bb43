import type { Evm } from "../evm/rules/family.ts";
import type { Sol } from "../sol/rules/family.ts";

/** Maps each family of chains to its types. To add a family, add one line. */
export type Families = {
  evm: Evm;
  sol: Sol;
};

export type Family = keyof Families;
