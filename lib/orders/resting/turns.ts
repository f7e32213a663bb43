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
  /**
   * Reason to hand it over: a leg may fire, only a mark may rise, its buy or its child may have an outcome, or its time
   * has come.
   */
  purpose: "fire" | "raise" | "look" | "check";
  /** How much the order asks for. An order that asks for less fills at prices at which others do not. */
  asks: number;
};

/** Maximum number of orders that are handed over to fireOrders at once. */
export const mostHandedOver = 48;

const mostUsers = 20_000;

type UserTurns = { servedMs: number; isFutile: boolean };

/**
 * Gives each user a turn at the places of fireOrders, so that no crowd of orders that cannot fill keeps another user's
 * order waiting. Users whose last orders did not fire come after the others, as do marks and checks.
 */
export class Turns {
  readonly #users = new RecentMap<string, UserTurns>(mostUsers);

  /**
   * Chooses the orders of one token for the next place: one of each user before a second one of any. Of those that may
   * fire, first takes the ones that ask least, and otherwise the ones that have been due for longest. Takes orders that
   * may fire, looks and checks in turns, so that no crowd of one kind keeps another kind waiting.
   */
  next(due: readonly DueOrder[]): DueOrder[] {
    const [first, ...others] = due;
    if (first === undefined) return [];
    const { chain, token } = others.reduce(
      (best, order) => (this.#isBefore(order, best) ? order : best),
      first,
    );
    const own = due.filter((order) => order.chain === chain && order.token === token);
    const byTime = (purpose: DueOrder["purpose"]) =>
      inTurn(own.filter((order) => order.purpose === purpose).toSorted((a, b) => a.sinceMs - b.sinceMs));
    const fires = inTurn(
      own
        .filter(({ purpose }) => purpose === "fire" || purpose === "raise")
        .toSorted((a, b) => a.asks - b.asks || a.sinceMs - b.sinceMs),
      (order) => this.#isFutile(order),
    );
    const kinds = [fires, byTime("look"), byTime("check")];
    return Array.from({ length: Math.max(...kinds.map(({ length }) => length)) }, (_, at) =>
      kinds.flatMap((orders) => orders[at] ?? []),
    )
      .flat()
      .slice(0, mostHandedOver);
  }

  begin(orders: readonly DueOrder[], nowMs: number): void {
    for (const { userID } of orders) this.#users.set(userID, { ...this.#turnsOf(userID), servedMs: nowMs });
  }

  /** Notes which of the user's orders handed over for firing now have a child out. */
  end(userID: string, areOut: readonly boolean[]): void {
    if (areOut.length === 0) return;
    this.#users.set(userID, { ...this.#turnsOf(userID), isFutile: !areOut.includes(true) });
  }

  #turnsOf(userID: string): UserTurns {
    return this.#users.get(userID) ?? { servedMs: 0, isFutile: false };
  }

  #isBefore(a: DueOrder, b: DueOrder): boolean {
    const isFutile = this.#isFutile(b);
    if (this.#isFutile(a) !== isFutile) return isFutile;
    const [one, other] = [this.#turnsOf(a.userID), this.#turnsOf(b.userID)];
    return one.servedMs !== other.servedMs ? one.servedMs < other.servedMs : a.sinceMs < b.sinceMs;
  }

  #isFutile({ userID, purpose }: DueOrder): boolean {
    return purpose === "raise" || purpose === "check" || this.#turnsOf(userID).isFutile;
  }
}

/** Puts one order of each user before a second one of any, and futile ones behind all others. */
function inTurn(
  orders: readonly DueOrder[],
  isFutile: (order: DueOrder) => boolean = () => false,
): DueOrder[] {
  const taken = new Map<string, number>();
  return orders
    .map((order) => {
      const turn = taken.get(order.userID) ?? 0;
      taken.set(order.userID, turn + 1);
      return { order, turn, late: Number(isFutile(order)) };
    })
    .toSorted((a, b) => a.late - b.late || a.turn - b.turn)
    .map(({ order }) => order);
}
