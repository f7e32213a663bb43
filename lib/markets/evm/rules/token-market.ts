import type { MarketPool } from "../../core/market.ts";
import { MarketBook, type PoolBooks, type ReaderTime, type TokenWithPools } from "../../core/market-book.ts";
import type { Journal } from "./journal.ts";
import { basesToKeep, type PoolBase, takeChangedMinutes } from "./pool-book.ts";
import type { WatchedPool } from "./watched-pool.ts";

/** A pool that could be a token's reference pool. */
export type FoundPool = WatchedPool & MarketPool;

export type FoundMarket = TokenWithPools<FoundPool>;

/** Part of a market that only the next run needs. */
export type MarketState = {
  pools: readonly FoundPool[];
  /** States from which the minute candles of the reference pool can be continued, the oldest first. */
  bases: readonly PoolBase[];
};

/** The market of a token whose pools log each swap. */
export class TokenMarket extends MarketBook<FoundPool> {
  /** Takes the journal's events of the reference pools. */
  refresh(journal: Pick<Journal, "books">, time: ReaderTime): void {
    this.refreshFrom(booksOf(journal), time);
  }

  /** Returns the state on which two hosts agree and from which the next run can continue. */
  state({ books }: Pick<Journal, "books">, blockTime: number): MarketState {
    const pool = this.poolAt(blockTime);
    const book = pool && books.get(pool.pool);
    return { pools: this.pools, bases: book ? basesToKeep(book) : [] };
  }
}

const booksOf = ({ books }: Pick<Journal, "books">): PoolBooks => ({
  priceIn: (pool) => books.get(pool)?.price,
  knownFrom: (pool) => books.get(pool)?.bases[0]?.time,
  takeMinutes(pool, time) {
    const book = books.get(pool);
    return book && takeChangedMinutes(book, time);
  },
});
