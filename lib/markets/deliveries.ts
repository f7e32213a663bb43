import { isDeepStrictEqual } from "node:util";
import type { TradingChain } from "../core/chain-facts.ts";
import type { Price } from "../prices/price.ts";
import { fitting } from "./core/delivery-size.ts";
import { DeliveryWindows, type Due } from "./core/delivery-windows.ts";
import type { TokenName } from "./core/market.ts";
import type { ChangedRecord, MarketDelivery } from "./core/market-delivery.ts";
import type { MarketHeads } from "./core/market-record.ts";
import { recordWithoutMarket } from "./core/record-of.ts";
import type { RefusedTokens } from "./core/wanted-tokens.ts";
import type { Follower } from "./demand.ts";
import { Refusals } from "./refusals.ts";
import type { ChainMarkets } from "./runs/chain-markets.ts";
import { ShardFollowers } from "./shard-followers.ts";

export type DeliverDeps = {
  chains: readonly ChainMarkets[];
  /** Invokes deliver and waits for its result. */
  deliver: (delivery: MarketDelivery) => Promise<{ isDelivered: boolean }>;
  /** Receives errors. Changes that were not delivered are sent again. */
  onFault: (error: unknown) => void;
};

type Shard = {
  windows: DeliveryWindows;
  followers: ShardFollowers;
  isBusy: boolean;
  /** Time before which no delivery begins. */
  nextMs: number;
};

/** Pause after a delivery. Even its first messages may have been sent late in the delivery. */
const pauseMs = 1000;

/** Time for which a failed delivery may continue to send, counted from when it was assembled. */
export const failedMs = 4000;

/** Invokes deliver for each shard with changes, one delivery at a time. */
export class Deliveries {
  readonly #deps: DeliverDeps;
  readonly #shards = new Map<number, Shard>();
  readonly #known = new Map<string, Follower>();
  readonly #running = new Set<Promise<void>>();
  readonly #refusals: Refusals;
  #wanted: ReadonlyMap<TradingChain, readonly TokenName[]> = new Map();
  #coins = new Map<TradingChain, { price: Price; changedAtMs: number }>();

  constructor(deps: DeliverDeps) {
    this.#deps = deps;
    this.#refusals = new Refusals((name) => this.#refusalOf(name));
  }

  /** Replaces the connections that deliveries serve. Arrivals are new connections, which get everything. */
  serve(followers: ReadonlyMap<string, Follower>, arrivals: readonly Follower[], nowMs: number): void {
    for (const [connectionId, known] of this.#known) {
      if (followers.get(connectionId) === known) continue;
      this.#shards.get(known.shard)?.followers.delete(known);
      this.#known.delete(connectionId);
    }
    for (const [connectionId, follower] of followers) {
      if (this.#known.has(connectionId)) continue;
      this.#shard(follower.shard).followers.add(follower);
      this.#known.set(connectionId, follower);
    }
    for (const [shard, those] of Map.groupBy(arrivals, (arrival) => arrival.shard))
      this.#shard(shard).windows.addConnections(
        those.map(({ connectionId }) => connectionId),
        nowMs,
      );
  }

  /** Replaces the tokens that are read, and each user's tokens that are refused. */
  want(tokens: readonly TokenName[], refused: RefusedTokens, nowMs: number): void {
    this.#wanted = Map.groupBy(tokens, ({ chain }) => chain);
    this.#refusals.replace(refused, nowMs);
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
      if (state.isBusy || nowMs < state.nextMs || state.followers.size === 0) continue;
      const run = this.#deliver(shard, state, nowMs).finally(() => {
        state.isBusy = false;
        this.#running.delete(run);
      });
      state.isBusy = true;
      this.#running.add(run);
    }
  }

  /** Waits until no delivery is in progress. Returns the time from which others may begin deliveries. */
  async emptied(): Promise<number> {
    await Promise.all(this.#running);
    return Math.max(0, ...[...this.#shards.values()].map(({ nextMs }) => nextMs));
  }

  #shard(shard: number): Shard {
    const state = this.#shards.get(shard) ?? {
      windows: new DeliveryWindows(),
      followers: new ShardFollowers(),
      isBusy: false,
      nextMs: 0,
    };
    this.#shards.set(shard, state);
    return state;
  }

  async #deliver(shard: number, state: Shard, atMs: number): Promise<void> {
    const { windows, followers } = state;
    const due = windows.dueAt(atMs);
    const { fast, slow } = due;
    const newcomers = new Set(due.newConnections);
    const isFull = [fast, slow].some(({ least }) => least === "everything");
    const sinceMs = Math.min(fast.sinceMs, slow.sinceMs);
    const coins = [...this.#coins.values()].filter(
      ({ changedAtMs }) => isFull || newcomers.size > 0 || changedAtMs > sinceMs,
    );
    const records = fitting(
      this.#records(followers, due, { sinceMs, isFull, atMs }),
      Math.floor(atMs / 1000),
    );
    const refusals = this.#refusals.for(followers, { sinceMs, newcomers, isFull }, atMs);
    const isQuiet = [fast, slow].every(({ least }) => least === "changes");
    if (records.length + refusals.length + coins.length + newcomers.size === 0 && isQuiet) return;
    const markets = {
      atMs,
      heads: this.#heads(),
      coins,
      records,
      ...(refusals.length > 0 && { refusals }),
      ...due,
    };
    try {
      const { isDelivered } = await this.#deps.deliver({ shard, markets });
      state.nextMs = Date.now() + pauseMs;
      if (isDelivered) windows.delivered(due, atMs);
    } catch (error) {
      state.nextMs = atMs + failedMs;
      this.#deps.onFault(error);
    }
  }

  /** Describes the changed tokens that the shard follows, and all tokens of its new connections. */
  #records(
    followers: ShardFollowers,
    { newConnections }: Pick<Due, "newConnections">,
    { sinceMs, isFull, atMs }: { sinceMs: number; isFull: boolean; atMs: number },
  ): ChangedRecord[] {
    const ofNew = new ShardFollowers();
    if (!isFull)
      for (const each of newConnections.flatMap((id) => this.#known.get(id) ?? [])) ofNew.add(each);
    return this.#deps.chains.flatMap((markets) => {
      const followed = (this.#wanted.get(markets.chain) ?? []).filter((name) => followers.isFollowed(name));
      const [whole, others] = [[] as string[], [] as string[]];
      for (const name of followed) (isFull || ofNew.isFollowed(name) ? whole : others).push(name.token);
      return [
        ...markets.records(whole, { sinceMs, isFull: true }, atMs),
        ...markets.records(others, { sinceMs, isFull: false }, atMs),
      ];
    });
  }

  #refusalOf({ chain, token }: TokenName) {
    const { revision = 0, head } = this.#deps.chains.find((markets) => markets.chain === chain) ?? {};
    const nowMs = Date.now();
    return recordWithoutMarket({ chain, token }, "TOO_MANY_TOKENS", { revision, head, nowMs });
  }

  #heads(): MarketHeads {
    return Object.fromEntries(
      this.#deps.chains.flatMap(({ chain, head }) =>
        head ? [[chain, { block: head.block, time: new Date(head.time * 1000).toISOString() }]] : [],
      ),
    );
  }
}
