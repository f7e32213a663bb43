import { isDeepStrictEqual } from "node:util";
import type { TradingChain } from "../core/chain-facts.ts";
import type { Price } from "../prices/price.ts";
import { DeliveryWindows } from "./core/delivery-windows.ts";
import type { TokenName } from "./core/market.ts";
import type { MarketDelivery } from "./core/market-delivery.ts";
import type { MarketHeads } from "./core/market-record.ts";
import { recordWithoutMarket } from "./core/record-of.ts";
import type { Follower } from "./demand.ts";
import type { ChainMarkets, ChangedRecord, WantedRecords } from "./runs/chain-markets.ts";

export type DeliverDeps = {
  chains: readonly ChainMarkets[];
  /** Invokes deliver and waits for its result. */
  deliver: (delivery: MarketDelivery) => Promise<{ isDelivered: boolean }>;
  /** Receives errors. Changes that were not delivered are sent again. */
  onFault: (error: unknown) => void;
};

type Shard = {
  windows: DeliveryWindows;
  followers: Follower[];
  isBusy: boolean;
  /** Time before which no delivery begins. */
  nextMs: number;
};

/** Pause after a delivery. Even its first messages may have been sent late in the delivery. */
const pauseMs = 1000;

/** Time for which a failed delivery may go on sending, counted from when it was assembled. */
export const failedMs = 4000;

/** Invokes deliver for each shard with changes, one delivery at a time. */
export class Deliveries {
  readonly #deps: DeliverDeps;
  readonly #shards = new Map<number, Shard>();
  readonly #running = new Set<Promise<void>>();
  /** Tokens that are not read because users want too many, each with the time of the first refusal. */
  #refused = new Map<string, TokenName & { sinceMs: number }>();
  #coins = new Map<TradingChain, { price: Price; changedAtMs: number }>();

  constructor(deps: DeliverDeps) {
    this.#deps = deps;
  }

  /** Replaces the connections that deliveries serve. New connections get everything. */
  serve(followers: readonly Follower[], arrivals: readonly Follower[], nowMs: number): void {
    const byShard = Map.groupBy(followers, ({ shard }) => shard);
    for (const [shard, state] of this.#shards) state.followers = byShard.get(shard) ?? [];
    for (const [shard, those] of byShard) {
      const state = this.#shards.get(shard);
      if (state === undefined)
        this.#shards.set(shard, {
          windows: new DeliveryWindows(),
          followers: those,
          isBusy: false,
          nextMs: 0,
        });
    }
    for (const [shard, those] of Map.groupBy(arrivals, (arrival) => arrival.shard))
      this.#shards.get(shard)?.windows.addConnections(
        those.map(({ connectionId }) => connectionId),
        nowMs,
      );
  }

  /** Replaces the tokens that are not read because users want too many. */
  refuse(tokens: readonly TokenName[], nowMs: number): void {
    const before = this.#refused;
    this.#refused = new Map(
      tokens.map(({ chain, token }) => {
        const name = `${chain} ${token}`;
        return [name, { chain, token, sinceMs: before.get(name)?.sinceMs ?? nowMs }];
      }),
    );
  }

  /** Takes the current prices of coins. */
  takeCoins(prices: readonly Price[], nowMs: number): void {
    for (const price of prices) {
      const chain = price.chain as TradingChain;
      if (!isDeepStrictEqual(this.#coins.get(chain)?.price, price))
        this.#coins.set(chain, { price, changedAtMs: nowMs });
    }
  }

  /** Begins a delivery to each shard that has none in progress. */
  begin(nowMs: number): void {
    for (const [shard, state] of this.#shards) {
      if (state.isBusy || nowMs < state.nextMs || state.followers.length === 0) continue;
      const run = this.#deliver(shard, state, nowMs).finally(() => {
        state.isBusy = false;
        this.#running.delete(run);
      });
      state.isBusy = true;
      this.#running.add(run);
    }
  }

  /** Waits until no delivery is in progress. */
  async emptied(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #deliver(shard: number, state: Shard, atMs: number): Promise<void> {
    const { windows, followers } = state;
    const due = windows.dueAt(atMs);
    const { fast, slow, newConnections } = due;
    const isFull = [fast, slow].some(({ least }) => least === "everything") || newConnections.length > 0;
    const sinceMs = Math.min(fast.sinceMs, slow.sinceMs);
    const isNew = ({ changedAtMs }: { changedAtMs: number }) => isFull || changedAtMs > sinceMs;
    const records = this.#records(followers, { sinceMs, isFull }, atMs);
    const coins = [...this.#coins.values()].filter(isNew);
    const isQuiet = [fast, slow].every(({ least }) => least === "changes");
    if (records.length + coins.length === 0 && isQuiet && !isFull) return;
    const markets = { atMs, heads: this.#heads(), coins, records, ...due };
    try {
      const { isDelivered } = await this.#deps.deliver({ shard, markets });
      state.nextMs = Date.now() + pauseMs;
      if (isDelivered) windows.delivered(due, atMs);
    } catch (error) {
      state.nextMs = atMs + failedMs;
      this.#deps.onFault(error);
    }
  }

  #records(followers: readonly Follower[], wanted: WantedRecords, nowMs: number): ChangedRecord[] {
    const read = this.#deps.chains.flatMap((markets) => {
      const names = followers.flatMap(({ tokens }) =>
        tokens.flatMap(({ chain, token }) => (chain === markets.chain ? [token] : [])),
      );
      return markets.records([...new Set(names)], wanted, nowMs);
    });
    return [...read, ...this.#refusals(followers, wanted, nowMs)];
  }

  #refusals(
    followers: readonly Follower[],
    { sinceMs, isFull }: WantedRecords,
    nowMs: number,
  ): ChangedRecord[] {
    const names = followers.flatMap(({ tokens }) => tokens.map(({ chain, token }) => `${chain} ${token}`));
    return [...new Set(names)].flatMap((name): ChangedRecord[] => {
      const refused = this.#refused.get(name);
      if (refused === undefined || (refused.sinceMs <= sinceMs && !isFull)) return [];
      const { chain, token } = refused;
      const { revision = 0, head } = this.#deps.chains.find((markets) => markets.chain === chain) ?? {};
      const record = recordWithoutMarket({ chain, token }, "TOO_MANY_TOKENS", { revision, head, nowMs });
      return [{ record, changedAtMs: refused.sinceMs }];
    });
  }

  #heads(): MarketHeads {
    return Object.fromEntries(
      this.#deps.chains.flatMap(({ chain, head }) =>
        head ? [[chain, { block: head.block, time: new Date(head.time * 1000).toISOString() }]] : [],
      ),
    );
  }
}
