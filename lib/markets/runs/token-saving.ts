import type { Candle } from "../core/candle.ts";
import { intervalStart } from "../core/candles.ts";
import type { TokenName } from "../core/market.ts";
import type { MarketItem } from "../items/market-items.ts";
import type { TokenStore, TokenWriter } from "./chain-markets.ts";
import { rowMs, saveHours } from "./token-store.ts";

/**
 * Seconds of the next minute at which minute candles are stored. Tokens are spread over them, so that not all are
 * stored at once.
 */
const saveSeconds = { from: 3, count: 6 };

/** Delay between the end of an hour and its folding. The last minutes of the hour are final by then. */
const hourGraceSeconds = 120;

const hourSeconds = 3600;

/** Gives minute candles that are not stored yet, and takes them back if they cannot be stored. */
type Minutes = { takeUnsaved(): Candle[]; giveBack(minutes: readonly Candle[]): void };

/** Parts of a token that an earlier run has stored. */
type Restored = {
  minutes: readonly Candle[];
  hours: readonly Candle[];
  row: Pick<MarketItem, "market"> | undefined;
};

type Unsaved<State> = {
  market: Minutes;
  /** The token's current row. */
  row: MarketItem<State>;
  revision: number;
  wantedMs: number;
  /** True if nothing is stored after this, so that the row and hours that have not ended are stored as well. */
  isLast: boolean;
};

/** Stores the candles and the row of a token when they are due. */
export class TokenSaving {
  readonly #name: TokenName;
  #rowAtMs = 0;
  /** The reference pool when candles or the row were last stored. */
  #pool: string | undefined;
  #savedMinute = 0;
  /** Starts of the hours with minute candles that are not folded and stored as an hour yet. */
  readonly #openHours = new Set<number>();

  constructor(name: TokenName) {
    this.#name = name;
  }

  /** Continues from the candles and the row that an earlier run stored. */
  restore({ minutes, hours, row }: Restored, nowMs: number): void {
    this.#pool = row?.market.pool?.pool;
    const known = new Set(hours.map(({ start }) => start));
    for (const { start } of minutes) {
      const hour = intervalStart(start, "1h");
      if (!known.has(hour)) this.#openHours.add(hour);
    }
    this.#rowAtMs = nowMs + rowMs;
  }

  /** Makes the row due at once. */
  hasten(): void {
    this.#rowAtMs = 0;
  }

  isDue(nowMs: number): boolean {
    const second = Math.floor(nowMs / 1000) % 60;
    return (
      this.#rowAtMs <= nowMs ||
      (this.#savedMinute < minuteOf(nowMs) && second >= saveSecondOf(this.#name.token))
    );
  }

  async save<State>(
    store: Pick<TokenStore, "loadCandles">,
    writer: TokenWriter<State>,
    unsaved: Unsaved<State>,
    nowMs: number,
  ): Promise<void> {
    const { market, row, revision, wantedMs, isLast } = unsaved;
    this.#savedMinute = minuteOf(nowMs);
    const minutes = market.takeUnsaved();
    for (const { start } of minutes) this.#openHours.add(intervalStart(start, "1h"));
    try {
      await writer.saveCandles(this.#name, "minutes", minutes, revision);
    } catch (error) {
      market.giveBack(minutes);
      throw error;
    }
    const isOver = (start: number) => nowMs / 1000 >= start + hourSeconds + hourGraceSeconds;
    const starts = [...this.#openHours].filter((start) => isLast || isOver(start));
    await saveHours(store, writer, this.#name, { starts, revision });
    for (const start of starts) this.#openHours.delete(start);
    // A new reference pool is stored with its first minute, because looks without a run take it from the row.
    const { pool } = row.market;
    const hasNewPool = this.#pool !== pool?.pool;
    this.#pool = pool?.pool;
    if (!isLast && !hasNewPool && this.#rowAtMs > nowMs) return;
    this.#rowAtMs = nowMs + rowMs;
    await writer.saveMarket(row, new Date(wantedMs));
  }
}

const minuteOf = (timeMs: number) => Math.floor(timeMs / 60_000);

/** Spreads tokens over the seconds at which minutes are stored. */
function saveSecondOf(token: string): number {
  let hash = 0;
  for (let index = 0; index < token.length; index++) hash = (hash * 31 + token.charCodeAt(index)) % 1_000_003;
  return saveSeconds.from + (hash % saveSeconds.count);
}
