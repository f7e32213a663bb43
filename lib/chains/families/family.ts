import type { Evm } from "../evm/rules/family.ts";
import type { Sol } from "../sol/rules/family.ts";

/** The types of each family of chains. */
export type Families = {
  evm: Evm;
  sol: Sol;
};

export type Family = keyof Families;
