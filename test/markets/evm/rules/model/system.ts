import { watchPool } from "../../../../../lib/markets/evm/rules/journal.ts";
import { lookRound, type MarketHosts } from "../../../../../lib/markets/evm/rules/look-round.ts";
import { addShown, takeChangedMinutes } from "../../../../../lib/markets/evm/rules/pool-book.ts";
import { proofRound } from "../../../../../lib/markets/evm/rules/proof-round.ts";

/** Parts of the core that a history of the journal uses. A mutant replaces one of them. */
export type JournalSystem = {
  /** Lets a mutant change the hosts' answers before the core sees them. */
  seen: (hosts: MarketHosts) => MarketHosts;
  watchPool: typeof watchPool;
  lookRound: typeof lookRound;
  proofRound: typeof proofRound;
  addShown: typeof addShown;
  takeChangedMinutes: typeof takeChangedMinutes;
};

export const theJournalSystem: JournalSystem = {
  seen: (hosts) => hosts,
  watchPool,
  lookRound,
  proofRound,
  addShown,
  takeChangedMinutes,
};
