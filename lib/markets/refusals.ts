import { nameOf, type TokenName } from "./core/market.ts";
import type { MarketDelivery } from "./core/market-delivery.ts";
import type { RefusedTokens } from "./core/wanted-tokens.ts";
import type { Follower } from "./demand.ts";
import type { ShardFollowers } from "./shard-followers.ts";

/** Tokens that a user is told are not read, each with the time of the first refusal. */
type OfUser = {
  list: readonly TokenName[];
  sinceMs: Map<string, number>;
  latestMs: number;
};

/** Selects refusals: those after a time, all of new connections, or all. */
export type WantedRefusals = { sinceMs: number; newcomers: ReadonlySet<string>; isFull: boolean };

type Told = NonNullable<MarketDelivery["markets"]["refusals"]>[number];

/** Maximum number of refusals in a delivery. Each has about 200 bytes. */
const mostInDelivery = 2000;

/** The refusals of all users. Each connection is told only those of its own tokens. */
export class Refusals {
  readonly #users = new Map<string, OfUser>();
  readonly #recordOf: (name: TokenName) => Told["records"][number]["record"];

  /** @param recordOf Describes a refused token for clients. */
  constructor(recordOf: (name: TokenName) => Told["records"][number]["record"]) {
    this.#recordOf = recordOf;
  }

  /** Replaces the refusals. Users whose list is the same object as before stay as they are. */
  replace(refused: RefusedTokens, nowMs: number): void {
    for (const userID of this.#users.keys()) if (!refused.has(userID)) this.#users.delete(userID);
    for (const [userID, list] of refused) {
      const known = this.#users.get(userID);
      if (known?.list === list) continue;
      const sinceMs = new Map(list.map(nameOf).map((name) => [name, known?.sinceMs.get(name) ?? nowMs]));
      this.#users.set(userID, { list, sinceMs, latestMs: Math.max(...sinceMs.values()) });
    }
  }

  /**
   * Lists the refusals for a delivery to a shard. If there are too many, new ones come first, and those that are left
   * out count as new in the next delivery.
   */
  for(followers: ShardFollowers, wanted: WantedRefusals, nowMs: number): Told[] {
    const told: Told[] = [];
    let count = 0;
    const tell = (own: OfUser, follower: Follower, isAll: boolean): boolean => {
      const records = follower.tokens.flatMap((token) => {
        const sinceMs = own.sinceMs.get(nameOf(token));
        if (sinceMs === undefined || !(isAll || sinceMs > wanted.sinceMs)) return [];
        return [{ record: this.#recordOf(token), changedAtMs: sinceMs }];
      });
      if (records.length === 0) return true;
      if (count + records.length > mostInDelivery) return false;
      count += records.length;
      told.push({ connectionId: follower.connectionId, records });
      return true;
    };
    const repeated: [OfUser, Follower][] = [];
    for (const [userID, own] of this.#users) {
      const isNew = own.latestMs > wanted.sinceMs;
      if (!isNew && !wanted.isFull && wanted.newcomers.size === 0) continue;
      for (const follower of followers.ofUser(userID)) {
        const isNewcomer = wanted.newcomers.has(follower.connectionId);
        if (isNew || isNewcomer) {
          if (!tell(own, follower, isNewcomer || wanted.isFull)) this.#repeat(own, nowMs);
        } else if (wanted.isFull) repeated.push([own, follower]);
      }
    }
    for (const [own, follower] of repeated) if (!tell(own, follower, true)) break;
    return told;
  }

  /** Makes a user's refusals new again. */
  #repeat(own: OfUser, nowMs: number): void {
    for (const name of own.sinceMs.keys()) own.sinceMs.set(name, nowMs);
    own.latestMs = nowMs;
  }
}
