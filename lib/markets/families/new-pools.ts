import type { Family } from "../../chains/families/family.ts";
import type { FamilyReader } from "../../chains/families/open-chains.ts";
import type { ReadNewPools } from "../core/new-tokens.ts";
import { openEvmNewPools } from "../evm/read-new-pools.ts";

type Registry = {
  readonly [F in Family]: {
    /** Absent for families whose programs keep no events that a host could be asked for by a range. */
    open?: (reader: FamilyReader<F>) => ReadNewPools;
  };
};

const families: Registry = { evm: { open: openEvmNewPools }, sol: {} };

/** Makes the function that reads a chain's new pools. Undefined if its family has no events of new pools. */
export const newPoolsOf = <F extends Family>(reader: FamilyReader<F>): ReadNewPools | undefined =>
  families[reader.family].open?.(reader);
