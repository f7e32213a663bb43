import { Attempts, historyPauses } from "../core/attempts.ts";
import type { TokenName } from "../core/market.ts";
import type { MarketBook } from "../core/market-book.ts";
import { noReference, type ReferenceChoice } from "../core/reference.ts";
import type { WantedToken } from "../runs/chain-markets.ts";
import { TokenSaving } from "../runs/token-saving.ts";
import type { SolPool } from "./pools.ts";
import type { PoolSighting } from "./rules/witnesses.ts";

/** Part of a market that only the next run needs: its pools, and the last known state of the reference pool. */
export type SampledState = { pools: readonly SolPool[]; last?: PoolSighting };

/** State of a wanted token of sol during a run. */
export class SampledToken {
  readonly name: TokenName;
  wanted: WantedToken;
  /** Market of the token. Undefined until it is found, or if the address is not a token. */
  market: MarketBook<SolPool> | undefined;
  /** Time when it was found that the address is not a token. */
  unknownMs: number | undefined;
  /** Time of the last search for the token and its pools, and of the next one. */
  askedMs = 0;
  findAtMs = 0;
  choice: ReferenceChoice = noReference;
  isHistoryDue = false;
  /** Attempts to have the history read. */
  readonly histories = new Attempts(historyPauses);
  readonly saving: TokenSaving;

  constructor(wanted: WantedToken) {
    this.name = { chain: "sol", token: wanted.token };
    this.saving = new TokenSaving(this.name);
    this.wanted = wanted;
  }
}
