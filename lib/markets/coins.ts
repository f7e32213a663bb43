import type { TradingChain } from "../core/chain-facts.ts";
import type { Decimal } from "../core/decimal.ts";
import type { Price } from "../prices/price.ts";
import { coinPriceOf } from "./coin-price.ts";
import { intervalStart } from "./core/candles.ts";
import { type CoinPrice, CoinSeries } from "./core/coin-series.ts";
import { coinOf } from "./items/keys.ts";
import type { TokenStore, TokenWriter } from "./runs/chain-markets.ts";
import { saveHours } from "./runs/token-store.ts";

/** Seconds to wait after the end of a minute before its candle is stored. */
const saveSecond = 2;

const minuteSeconds = 60;
const hourSeconds = 3600;

/** Length of the stored coin series, in seconds, that is read when a run begins. */
const restoredSeconds = 7200;

/**
 * The prices of coins in dollars: from an exchange, or from the coin's deepest pool while no exchange reports a price.
 */
export class Coins {
  readonly #series = new Map<TradingChain, Series>();
  readonly #deps: CoinDeps;

  constructor(deps: CoinDeps) {
    this.#deps = deps;
  }

  /** Returns the coin's price at the end of a minute, or the current price if the minute has not ended. */
  usdAt(chain: TradingChain, start: number): Decimal | undefined {
    return this.#series.get(chain)?.series.usdAt(start);
  }

  /** Takes the current prices of coins, for chains whose markets somebody wants. */
  async take(prices: readonly Price[], chains: readonly TradingChain[], nowMs: number): Promise<void> {
    await Promise.all(
      chains.map(async (chain) => {
        const { series } = await this.#seriesOf(chain, nowMs);
        const price = coinPriceOf(prices, chain, new Date(nowMs)) ?? (await this.#deps.poolPrice(chain));
        if (price !== undefined) series.add(price, Math.floor(nowMs / 1000));
      }),
    );
  }

  /** Stores the candles of the minutes that have ended. */
  async save(writer: TokenWriter, nowMs: number): Promise<void> {
    const now = Math.floor(nowMs / 1000) - saveSecond;
    for (const [chain, known] of this.#series) {
      const ended = known.series.ended(known.savedTo, now);
      const last = ended.at(-1);
      if (last === undefined) continue;
      await writer.saveCandles(coinOf(chain), "minutes", ended, 0);
      known.savedTo = last.start + minuteSeconds;
      for (const { start } of ended) known.openHours.add(intervalStart(start, "1h"));
      const starts = [...known.openHours].filter((start) => start + hourSeconds <= now);
      await saveHours(this.#deps.store, writer, coinOf(chain), { starts, revision: 0 });
      for (const start of starts) known.openHours.delete(start);
    }
  }

  async #seriesOf(chain: TradingChain, nowMs: number) {
    const known = this.#series.get(chain);
    if (known !== undefined) return known;
    const now = Math.floor(nowMs / 1000);
    const range = { from: now - restoredSeconds, to: now };
    const stored = await this.#deps.store.loadCandles(coinOf(chain), "minutes", range);
    const savedTo = (stored.at(-1)?.start ?? intervalStart(now, "1m") - minuteSeconds) + minuteSeconds;
    const openHours = new Set(stored.map(({ start }) => intervalStart(start, "1h")));
    const begun = this.#series.get(chain) ?? { series: new CoinSeries(stored), savedTo, openHours };
    this.#series.set(chain, begun);
    return begun;
  }
}

type Series = {
  series: CoinSeries;
  /** Time before which the candles of all minutes are stored. */
  savedTo: number;
  /** Starts of the hours with minute candles that are not folded and stored as an hour yet. */
  openHours: Set<number>;
};

export type CoinDeps = {
  store: Pick<TokenStore, "loadCandles">;
  /**
   * Reads the price of a chain's coin from its deepest pool with a stable token. Undefined if there is no such pool.
   */
  poolPrice: (chain: TradingChain) => Promise<CoinPrice | undefined>;
};
