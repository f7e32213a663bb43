import type { TradingChain } from "../../core/chain-facts.ts";
import type { Candle } from "../core/candle.ts";
import type { ChunkKind } from "../core/candle-chunk.ts";
import type { Market, TokenName } from "../core/market.ts";
import type { ChangedRecord } from "../core/market-delivery.ts";
import type { MarketItem } from "../items/market-items.ts";

/** A token of a chain that somebody wants. */
export type WantedToken = {
  token: string;
  /** Time when somebody last wanted the token. */
  wantedMs: number;
  /** True if a user who follows the token has an open position in it. */
  isHeld: boolean;
  /** Users who want the token, those who have wanted it longest first. There may be thousands. */
  users?: Iterable<string>;
};

/** Selects records that are due, with the minute candles that have changed since a given time. */
export type WantedRecords = { sinceMs: number; isFull: boolean };

/** A run of readMarkets that has the lease. */
export type MarketRun = { readonly epoch: number; readonly isOver: boolean };

/**
 * Returns the first revision that a run uses. Revisions grow from run to run, even if the revisions of the previous run
 * are unknown.
 */
export const revisionFrom = (epoch: number): number => epoch * 1_000_000;

/** The markets of a chain as a run of readMarkets reads them. */
export type ChainMarkets = {
  readonly chain: TradingChain;
  /** Newest block that was read, with its time in epoch seconds. */
  readonly head: { block: number; time: number } | undefined;
  /** Replaces the tokens that are read. If there are none, no host is asked. */
  want(tokens: readonly WantedToken[]): void;
  /** Revision of the state that clients are currently shown. */
  readonly revision: number;
  readonly isWanted: boolean;
  /** Looks once without writing. Returns false if no host answers, and undefined if no token is wanted. */
  look(): Promise<boolean | undefined>;
  /** Reads until the run is over, and then stores its results. */
  read(run: MarketRun): Promise<void>;
  /**
   * Describes the wanted tokens that have changed, or all of the wanted tokens. Leaves out tokens that have not been
   * found yet.
   */
  records(tokens: readonly string[], wanted: WantedRecords, nowMs: number): ChangedRecord[];
  /** Returns all markets that are read. */
  markets(nowMs: number): Market[];
};

/** Reads the stored markets of tokens, with the state that a family needs for its next run. */
export type TokenStore<State = unknown> = {
  readMarket(name: TokenName): Promise<MarketItem<State> | undefined>;
  loadCandles: (
    name: TokenName,
    kind: ChunkKind,
    range: { from: number; to: number },
  ) => Promise<readonly Candle[]>;
  /** Opens the store for a run. */
  writer(epoch: number): TokenWriter<State>;
};

/** Stores tokens for a run. All methods fail with `Superseded` once another run has taken over. */
export type TokenWriter<State = unknown> = {
  saveMarket(item: MarketItem<State>, wantedAt: Date): Promise<void>;
  saveCandles: (
    name: TokenName,
    kind: ChunkKind,
    candles: readonly Candle[],
    revision: number,
  ) => Promise<void>;
};
