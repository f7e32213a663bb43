import type { TradingChain } from "../core/chain-facts.ts";
import { nameOf, type TokenName } from "./core/market.ts";
import { isSameToken, mostKeptTokens } from "./core/market-subscription.ts";
import type { Wish } from "./core/wanted-tokens.ts";
import type { FoundNews } from "./items/news.ts";

/** A connection that readMarkets serves. A follower whose tokens have not changed is the same object. */
export type Follower = {
  userID: string;
  connectionId: string;
  shard: number;
  tokens: readonly TokenName[];
};

/** The chains that a run reads. */
export type ChainChoice = {
  reads: (chain: TradingChain) => boolean;
  /** True if followers who follow no token of these chains are left out. */
  isAlone: boolean;
};

const allChains: ChainChoice = { reads: () => true, isAlone: false };

export type DemandDeps = {
  /** Reads all connections that readMarkets serves, consistently, in portions that are read when they are needed. */
  readFollowers: () => AsyncIterable<readonly Follower[]>;
  /** Reads the news of markets since a given time, consistently. May return some items twice. */
  readNewsSince: (sinceMs: number) => Promise<readonly FoundNews[]>;
};

/**
 * Time after which all followers are read again. In between, news items show changes, but a follower that has
 * disconnected still counts until all followers have been read again.
 */
const wholeMs = 60_000;

/** Number of rounds over which many portions are spread, and the minimum number of portions in a round. */
const roundsOfPass = 45;
const leastPortions = 6;

/** Time for which a market requested over REST is read. */
const askedForMs = 10 * 60_000;

/** Largest expected difference between the clocks of functions. */
const skewMs = 2000;

/** Time for which news items are remembered, because reads of the news overlap. */
const seenMs = 60_000;

/**
 * Maximum number of times per minute that a connection counts as new. Beyond that, its tokens still count, but it gets
 * their state with the other connections.
 */
const mostArrivals = 10;

/** A reading of all followers, portion by portion. */
type Pass = {
  startMs: number;
  portions: AsyncIterator<readonly Follower[]>;
  count: number;
  found: Set<string>;
};

/** Tokens that clients want readMarkets to read. */
export class Demand {
  readonly #deps: DemandDeps;
  readonly #choice: ChainChoice;
  readonly #seen = new Map<string, number>();
  /** Requests over REST, by user and token, in the order of their times. */
  readonly #asked = new Map<string, Wish>();
  readonly #followers = new Map<string, Follower>();
  /** Times of the news that connections have last caused. */
  readonly #newsOf = new Map<string, number>();
  readonly #arrivalsOf = new Map<string, number>();
  #arrivals = new Map<string, Follower>();
  #pass: Pass | undefined;
  /** Start and number of portions of the last complete pass. */
  #last = { startMs: Number.NEGATIVE_INFINITY, count: 0, connections: 0 };
  #newsMs: number;
  #revision = 0;

  constructor(deps: DemandDeps, nowMs: number, choice = allChains) {
    this.#deps = deps;
    this.#choice = choice;
    this.#newsMs = nowMs - askedForMs;
  }

  /** Number that grows when the tokens that anybody wants have changed. */
  get revision(): number {
    return this.#revision;
  }

  /** Number of connections that follow tokens of any chain, when all were last read. */
  get connections(): number {
    return this.#last.connections;
  }

  /** Counts the followers of each chain. */
  byChain(): ReadonlyMap<TradingChain, number> {
    const counts = new Map<TradingChain, number>();
    for (const { tokens } of this.#followers.values())
      for (const chain of new Set(tokens.map((token) => token.chain)))
        counts.set(chain, (counts.get(chain) ?? 0) + 1);
    return counts;
  }

  /** Returns the followers by their connection ids. */
  get followers(): ReadonlyMap<string, Follower> {
    return this.#followers;
  }

  /** Returns the wishes of followers, and the requests over REST in the last ten minutes. */
  get wishes(): readonly Wish[] {
    return [...this.#followers.values(), ...this.#asked.values()];
  }

  /** Returns the followers that have changed their tokens since the last call. */
  takeArrivals(): Follower[] {
    const arrivals = [...this.#arrivals.keys()].flatMap((id) => this.#followers.get(id) ?? []);
    this.#arrivals = new Map();
    return arrivals;
  }

  /** Updates the demand. Returns false if no client wants any token. */
  async read(nowMs: number, { isWhole = false } = {}): Promise<boolean> {
    const news = await this.#deps.readNewsSince(this.#newsMs);
    this.#newsMs = nowMs;
    // Takes the news first, because the followers that are read after it are newer.
    for (const each of news) {
      if (this.#seen.has(each.id)) continue;
      this.#seen.set(each.id, nowMs);
      this.#take(each);
    }
    this.#forget(nowMs);
    await this.#readFollowers(nowMs, isWhole);
    return this.#followers.size + this.#asked.size > 0;
  }

  #forget(nowMs: number): void {
    for (const [id, takenMs] of this.#seen) {
      if (nowMs - takenMs <= seenMs) break;
      this.#seen.delete(id);
    }
    for (const [key, { wantedMs = nowMs }] of this.#asked) {
      if (nowMs - wantedMs <= askedForMs) break;
      this.#asked.delete(key);
      this.#revision++;
    }
  }

  #take({ userID, connectionId, shard, tokens: named, atMs }: FoundNews): void {
    const tokens = this.#chosen(named);
    if (connectionId === undefined || shard === undefined) {
      for (const token of tokens) this.#ask(userID, token, atMs);
      return;
    }
    // Ignores older news items: either they were known when all followers were last read, or the connection has closed
    // since.
    if (atMs < this.#last.startMs - skewMs) return;
    const known = this.#followers.get(connectionId)?.tokens ?? [];
    const kept = known.filter((other) => !includes(tokens, other));
    // Prefers the new tokens, because the connection may have left old ones.
    const all = [...tokens, ...kept].slice(0, mostKeptTokens);
    this.#follow({ userID, connectionId, shard, tokens: all });
    this.#newsOf.set(connectionId, atMs);
    this.#arrive(connectionId);
  }

  #ask(userID: string, token: TokenName, askedMs: number): void {
    const key = `${userID} ${nameOf(token)}`;
    if (!this.#asked.delete(key)) this.#revision++;
    this.#asked.set(key, { userID, tokens: [token], wantedMs: askedMs });
  }

  /** Leaves out tokens of chains that others read. Returns the same list if there are none. */
  #chosen(tokens: readonly TokenName[]): readonly TokenName[] {
    const { reads } = this.#choice;
    return tokens.every(({ chain }) => reads(chain)) ? tokens : tokens.filter(({ chain }) => reads(chain));
  }

  /** Notes a follower. Keeps the known one if it is the same. */
  #follow(follower: Follower): void {
    const known = this.#followers.get(follower.connectionId);
    if (this.#choice.isAlone && follower.tokens.length === 0) {
      if (this.#followers.delete(follower.connectionId)) this.#revision++;
      return;
    }
    if (known !== undefined && isSameFollower(known, follower)) return;
    this.#followers.set(follower.connectionId, follower);
    this.#revision++;
  }

  #arrive(connectionId: string): void {
    const count = (this.#arrivalsOf.get(connectionId) ?? 0) + 1;
    this.#arrivalsOf.set(connectionId, count);
    const follower = this.#followers.get(connectionId);
    if (follower !== undefined && count <= mostArrivals) this.#arrivals.set(connectionId, follower);
  }

  async #readFollowers(nowMs: number, isWhole: boolean): Promise<void> {
    if (!isWhole && this.#pass === undefined && nowMs - this.#last.startMs < wholeMs) return;
    if (isWhole || this.#pass === undefined) {
      const portions = this.#deps.readFollowers()[Symbol.asyncIterator]();
      this.#pass = { startMs: nowMs, portions, count: 0, found: new Set() };
    }
    // The first pass is read at once, because nobody else is known.
    const isFirst = this.#last.count === 0;
    const most =
      isWhole || isFirst
        ? Number.POSITIVE_INFINITY
        : Math.max(leastPortions, Math.ceil(this.#last.count / roundsOfPass));
    const pass = this.#pass;
    try {
      for (let index = 0; index < most; index++) {
        const next = await pass.portions.next();
        if (next.done) {
          this.#complete(pass);
          return;
        }
        pass.count++;
        for (const follower of next.value) {
          const { connectionId } = follower;
          const tokens = this.#chosen(follower.tokens);
          pass.found.add(connectionId);
          const known = this.#followers.get(connectionId)?.tokens ?? [];
          this.#follow(tokens === follower.tokens ? follower : { ...follower, tokens });
          // Finds connections whose news could not be written.
          if (!isWhole && !isFirst && !includesAll(known, tokens)) this.#arrive(connectionId);
        }
      }
    } catch (error) {
      this.#pass = undefined;
      throw error;
    }
  }

  /** Drops the followers that were not found and have caused no news since the pass began. */
  #complete({ startMs, count, found }: Pass): void {
    for (const connectionId of this.#followers.keys()) {
      const newsMs = this.#newsOf.get(connectionId) ?? Number.NEGATIVE_INFINITY;
      if (found.has(connectionId) || newsMs >= startMs - skewMs) continue;
      this.#followers.delete(connectionId);
      this.#revision++;
    }
    for (const [connectionId, newsMs] of this.#newsOf)
      if (newsMs < startMs - skewMs) this.#newsOf.delete(connectionId);
    this.#arrivalsOf.clear();
    this.#last = { startMs, count, connections: found.size };
    this.#pass = undefined;
  }
}

const includes = (tokens: readonly TokenName[], token: TokenName): boolean =>
  tokens.some((other) => isSameToken(token, other));

/** True if a list has all of these tokens. Compares the same places first, because most lists are equal. */
const includesAll = (all: readonly TokenName[], tokens: readonly TokenName[]): boolean =>
  tokens.every((token, index) => {
    const other = all[index];
    return (other !== undefined && isSameToken(token, other)) || includes(all, token);
  });

const isSameFollower = (one: Follower, other: Follower): boolean =>
  one.shard === other.shard &&
  one.userID === other.userID &&
  one.tokens.length === other.tokens.length &&
  includesAll(one.tokens, other.tokens);
