import type { TokenName } from "./core/market.ts";
import type { FollowedToken } from "./core/market-subscription.ts";
import type { FoundNews } from "./items/news.ts";

/** A connection that readMarkets serves. */
export type Follower = {
  userID: string;
  connectionId: string;
  shard: number;
  tokens: readonly FollowedToken[];
};

/** A token that somebody has requested over REST. */
export type AskedMarket = { userID: string; token: TokenName; askedMs: number };

export type DemandDeps = {
  /** Reads all connections that readMarkets serves, consistently. */
  readFollowers: () => Promise<readonly Follower[]>;
  /** Reads the news of markets since a given time, consistently. May return some items twice. */
  readNewsSince: (sinceMs: number) => Promise<readonly FoundNews[]>;
};

/**
 * Time after which all followers are read again. In between, news items show changes, but a follower that has
 * disconnected still counts until all followers are read again.
 */
const wholeMs = 60_000;

/** Time for which a market requested over REST is read. */
const askedForMs = 10 * 60_000;

/** Largest expected difference between the clocks of functions. */
const skewMs = 2000;

/** Tokens that clients want readMarkets to read. */
export class Demand {
  readonly #deps: DemandDeps;
  readonly #seen = new Map<string, number>();
  readonly #asked = new Map<string, AskedMarket>();
  #followers = new Map<string, Follower>();
  #arrivals = new Map<string, Follower>();
  #wholeMs = Number.NEGATIVE_INFINITY;
  #newsMs: number;

  constructor(deps: DemandDeps, nowMs: number) {
    this.#deps = deps;
    this.#newsMs = nowMs - askedForMs;
  }

  get followers(): readonly Follower[] {
    return [...this.#followers.values()];
  }

  /** Returns the requests over REST in the last ten minutes. */
  get asked(): readonly AskedMarket[] {
    return [...this.#asked.values()];
  }

  /** Returns the followers that have changed their tokens since the last call. */
  takeArrivals(): Follower[] {
    const arrivals = [...this.#arrivals.values()];
    this.#arrivals = new Map();
    return arrivals;
  }

  /** Updates the demand. Returns false if no client wants any token. */
  async read(nowMs: number, { isWhole = false } = {}): Promise<boolean> {
    const news = await this.#deps.readNewsSince(this.#newsMs);
    this.#newsMs = nowMs;
    if (isWhole || nowMs - this.#wholeMs >= wholeMs) {
      const followers = await this.#deps.readFollowers();
      this.#followers = new Map(followers.map((follower) => [follower.connectionId, follower]));
      this.#wholeMs = nowMs;
    }
    for (const each of news) {
      if (this.#seen.has(each.id)) continue;
      this.#seen.set(each.id, nowMs);
      this.#take(each);
    }
    for (const [id, seenMs] of this.#seen) if (nowMs - seenMs > askedForMs) this.#seen.delete(id);
    for (const [name, { askedMs }] of this.#asked) if (nowMs - askedMs > askedForMs) this.#asked.delete(name);
    return this.#followers.size + this.#asked.size > 0;
  }

  #take({ userID, connectionId, shard, tokens, atMs }: FoundNews): void {
    if (connectionId === undefined || shard === undefined) {
      for (const token of tokens)
        this.#asked.set(`${token.chain} ${token.token}`, { userID, token, askedMs: atMs });
      return;
    }
    // Ignores older news items: either they were known when all followers were last read, or the connection has closed
    // since.
    if (atMs < this.#wholeMs - skewMs) return;
    const known = this.#followers.get(connectionId)?.tokens ?? [];
    const isNew = ({ chain, token }: TokenName) =>
      !known.some((other) => other.chain === chain && other.token === token);
    const follower = { userID, connectionId, shard, tokens: [...known, ...tokens.filter(isNew)] };
    this.#followers.set(connectionId, follower);
    this.#arrivals.set(connectionId, follower);
  }
}
