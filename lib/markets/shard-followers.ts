import type { TradingChain } from "../core/chain-facts.ts";
import type { TokenName } from "./core/market.ts";
import type { Follower } from "./demand.ts";

/** The followers in a shard, with the number of them that follow each token. */
export class ShardFollowers {
  readonly #ofUsers = new Map<string, Set<Follower>>();
  readonly #tokens = new Map<TradingChain, Map<string, number>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(follower: Follower): void {
    const own = this.#ofUsers.get(follower.userID) ?? new Set();
    this.#ofUsers.set(follower.userID, own.add(follower));
    this.#size++;
    for (const token of follower.tokens) this.#count(token, 1);
  }

  delete(follower: Follower): void {
    const own = this.#ofUsers.get(follower.userID);
    if (!own?.delete(follower)) return;
    if (own.size === 0) this.#ofUsers.delete(follower.userID);
    this.#size--;
    for (const token of follower.tokens) this.#count(token, -1);
  }

  ofUser(userID: string): Iterable<Follower> {
    return this.#ofUsers.get(userID) ?? [];
  }

  isFollowed({ chain, token }: TokenName): boolean {
    return this.#tokens.get(chain)?.has(token) ?? false;
  }

  #count({ chain, token }: TokenName, change: 1 | -1): void {
    const counts = this.#tokens.get(chain) ?? new Map<string, number>();
    const count = (counts.get(token) ?? 0) + change;
    if (count === 0) counts.delete(token);
    else counts.set(token, count);
    this.#tokens.set(chain, counts);
  }
}
