import type { Network } from "../../core/network.ts";
import { RecentMap } from "../../core/recent-map.ts";

/** An order that is due to be handed over to fireOrders. */
export type DueOrder = {
  chain: Network;
  token: string;
  orderId: string;
  userID: string;
  wallet: string;
  /** Time since which it is due. */
  sinceMs: number;
};

/** Maximum number of orders that are handed over at once. */
const mostOrders = 48;

/** Maximum number of users that are remembered. */
const mostUsers = 20_000;

type UserTurns = { servedMs: number; isFutile: boolean };

/**
 * Gives each user a turn at the places of fireOrders, so that no crowd of orders that cannot fill keeps another user's
 * order waiting. Users whose last orders did not fire come after the others.
 */
export class Turns {
  readonly #users = new RecentMap<string, UserTurns>(mostUsers);

  /** Chooses the orders of one token for the next place. */
  next(due: readonly DueOrder[]): DueOrder[] {
    const inTurn = due.toSorted((a, b) => this.#byUser(a.userID, b.userID) || a.sinceMs - b.sinceMs);
    const [first] = inTurn;
    if (first === undefined) return [];
    const taken = new Map<string, number>();
    return inTurn
      .filter(({ chain, token }) => chain === first.chain && token === first.token)
      .map((order) => {
        const turn = taken.get(order.userID) ?? 0;
        taken.set(order.userID, turn + 1);
        return { order, turn };
      })
      .toSorted((a, b) => a.turn - b.turn)
      .slice(0, mostOrders)
      .map(({ order }) => order);
  }

  /** Notes that orders are handed over. */
  begin(orders: readonly DueOrder[], nowMs: number): void {
    for (const { userID } of orders) this.#users.set(userID, { ...this.#turnsOf(userID), servedMs: nowMs });
  }

  /** Notes which of a user's orders that were handed over are out now. */
  end(userID: string, areOut: readonly boolean[]): void {
    this.#users.set(userID, { ...this.#turnsOf(userID), isFutile: !areOut.includes(true) });
  }

  #turnsOf(userID: string): UserTurns {
    return this.#users.get(userID) ?? { servedMs: 0, isFutile: false };
  }

  #byUser(a: string, b: string): number {
    const [one, other] = [this.#turnsOf(a), this.#turnsOf(b)];
    return Number(one.isFutile) - Number(other.isFutile) || one.servedMs - other.servedMs;
  }
}
