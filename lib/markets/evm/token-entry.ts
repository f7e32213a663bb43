import type { EvmChain } from "../../core/chain-facts.ts";
import { Attempts, historyPauses, mostPauseMs } from "../core/attempts.ts";
import type { TokenName } from "../core/market.ts";
import { noReference, type ReferenceChoice } from "../core/reference.ts";
import type { WantedToken } from "../runs/chain-markets.ts";
import { TokenSaving } from "../runs/token-saving.ts";
import type { Journal } from "./rules/journal.ts";
import type { PoolBook } from "./rules/pool-book.ts";
import type { TokenMarket } from "./rules/token-market.ts";

const beginningPauses = { leastMs: 5000, mostMs: mostPauseMs };

/** State of a wanted token during a run. */
export class TokenEntry {
  readonly name: TokenName;
  wanted: WantedToken;
  /** Market of the token. Undefined until it is found, or if the address is not a token. */
  market: TokenMarket | undefined;
  /** Time when it was found that the address is not a token. */
  unknownMs: number | undefined;
  /** True while a request about the token is in progress. */
  isBusy = false;
  /** Time of the next search for the token and its pools. */
  findAtMs = 0;
  isHistoryDue = false;
  /** Attempts to have the history read. */
  readonly histories = new Attempts(historyPauses);
  /** Attempts to read the part of the first base's minute that lies before the base. */
  readonly beginnings = new Attempts(beginningPauses);
  /** The last reference pool, and the hashes of its bases at the last refresh. */
  begun: { pool: string | undefined; bases: readonly string[] } = { pool: undefined, bases: [] };
  choice: ReferenceChoice = noReference;
  readonly saving: TokenSaving;

  constructor(chain: EvmChain, wanted: WantedToken) {
    this.name = { chain, token: wanted.token };
    this.saving = new TokenSaving(this.name);
    this.wanted = wanted;
  }
}

/** Returns the journal's book for a token's reference pool. */
export const bookOf = (journal: Journal, { market }: TokenEntry): PoolBook | undefined =>
  journal.books.get(market?.reference?.pool ?? "");
