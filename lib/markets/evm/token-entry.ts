import type { EvmChain } from "../../core/chain-facts.ts";
import type { Candle } from "../core/candle.ts";
import { intervalStart } from "../core/candles.ts";
import type { TokenName } from "../core/market.ts";
import type { TokenStore, WantedToken } from "../runs/chain-markets.ts";
import type { Journal } from "./rules/journal.ts";
import type { PoolBook } from "./rules/pool-book.ts";
import { noReference, type ReferenceChoice } from "./rules/reference.ts";
import type { TokenMarket } from "./rules/token-market.ts";
import { TokenSaving } from "./token-saving.ts";

/** Attempts at something that may fail for long. The pause after each doubles. */
class Attempts {
  readonly #pauses: { leastMs: number; mostMs: number };
  #pauseMs: number;
  #nextMs = 0;

  constructor(pauses: { leastMs: number; mostMs: number }) {
    this.#pauses = pauses;
    this.#pauseMs = pauses.leastMs;
  }

  isDue(nowMs: number): boolean {
    return this.#nextMs <= nowMs;
  }

  begin(nowMs: number): void {
    this.#nextMs = nowMs + this.#pauseMs;
    this.#pauseMs = Math.min(2 * this.#pauseMs, this.#pauses.mostMs);
  }

  /** The next pause is the least one again. */
  succeed(): void {
    this.#pauseMs = this.#pauses.leastMs;
  }
}

/** The pauses before a beginning or a history that could not be read is asked for again. Some hosts never answer. */
const mostPauseMs = 10 * 60_000;
const beginningPauses = { leastMs: 5000, mostMs: mostPauseMs };
const historyPauses = { leastMs: 60_000, mostMs: mostPauseMs };

/** The state of a wanted token during a run. */
export class TokenEntry {
  readonly name: TokenName;
  wanted: WantedToken;
  /** Undefined until it is found, or if the address is not a token. */
  market: TokenMarket | undefined;
  /** When the address was found to be no token. */
  unknownMs: number | undefined;
  /** True while one of its questions is under way. */
  isBusy = false;
  /** When it is next asked for the token and its pools. */
  findAtMs = 0;
  isHistoryDue = false;
  /** Attempts to have the history read. */
  readonly histories = new Attempts(historyPauses);
  /** Attempts to read what came before the first base in its minute. */
  readonly beginnings = new Attempts(beginningPauses);
  /** The last reference pool, and the hashes of its bases when it was last refreshed. */
  begun: { pool: string | undefined; bases: readonly string[] } = { pool: undefined, bases: [] };
  choice: ReferenceChoice = noReference;
  readonly saving: TokenSaving;

  constructor(chain: EvmChain, wanted: WantedToken) {
    this.name = { chain, token: wanted.token };
    this.saving = new TokenSaving(this.name);
    this.wanted = wanted;
  }
}

/** Returns the journal's book of a token's reference pool. */
export const bookOf = (journal: Journal, { market }: TokenEntry): PoolBook | undefined =>
  journal.books.get(market?.reference?.pool ?? "");

const daySeconds = 86_400;

/** Reads the stored candles of the last day. */
export function lastDayOf(
  { loadCandles }: Pick<TokenStore, "loadCandles">,
  name: TokenName,
  kind: "minutes" | "hours",
): Promise<readonly Candle[]> {
  const now = Math.floor(Date.now() / 1000);
  return loadCandles(name, kind, { from: intervalStart(now - daySeconds, "1h"), to: now });
}
