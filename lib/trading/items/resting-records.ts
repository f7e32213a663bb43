import type { Network } from "../../core/network.ts";
import type { LaneKey } from "../../orders/intent.ts";
import type { FireRequest } from "../../orders/resting/hand-over.ts";
import type { StoredResting } from "../../orders/resting/stored.ts";
import { type Item, queryRange, readItem, type Table } from "../../table/table.ts";
import { contentOf } from "./items.ts";
import { restingOf, tradeKey } from "./keys.ts";

/** Reads a user's resting orders, on all chains or on one, with one or two calls. */
export async function readResting(table: Table, userID: string, chain?: Network): Promise<StoredResting[]> {
  const items = await queryRange<object>(table, restingOf(userID, chain));
  return items.map((item) => contentOf("resting", item));
}

/** Reads a user's resting orders of a wallet, as fireOrders takes them, by token. */
export async function readHandOvers(
  table: Table,
  userID: string,
  { chain, wallet }: LaneKey,
): Promise<FireRequest[]> {
  const own = (await readResting(table, userID))
    .map(({ mandate }) => mandate)
    .filter((each) => each.chain === chain && each.wallet === wallet);
  return [...Map.groupBy(own, ({ token }) => token)].map(([token, orders]) => ({
    chain,
    token,
    orders: orders.map(({ orderId }) => ({ orderId, userID, wallet })),
  }));
}

/** Returns the ended resting order that is stored in the place of an order, or undefined for any other item. */
export const restedIn = (item: Item<object> | undefined): StoredResting | undefined =>
  item !== undefined && "legs" in item && !("intent" in item) ? contentOf("rested", item) : undefined;

/** Reads a resting order that has not ended. Reads all of its user's, because a key contains more than the id. */
export async function readRestingOrder(
  table: Table,
  userID: string,
  orderId: string,
): Promise<StoredResting | undefined> {
  const all = await readResting(table, userID);
  return all.find(({ mandate }) => mandate.orderId === orderId);
}

/** Reads a resting order, even if it has ended. */
export async function readParent(
  table: Table,
  userID: string,
  orderId: string,
): Promise<StoredResting | undefined> {
  const ended = restedIn(await readItem<object>(table, tradeKey(userID, orderId)));
  return ended ?? readRestingOrder(table, userID, orderId);
}
