import { getItems } from "../../table/batch-get.ts";
import { queryRange, type Table } from "../../table/table.ts";
import type { Slot } from "../core/evm/slot.ts";
import type { LaneKey } from "../core/intent.ts";
import type { Job } from "../core/table-step.ts";
import type { TradeOrder } from "../core/trade-order.ts";
import { contentOf, keysOfItems } from "./items.ts";
import { isJob, jobsAndSlotsOf, jobsOf } from "./keys.ts";

/** Reads the unsettled orders of a wallet, of all its users, oldest first. */
export async function laneOrdersOf(table: Table, lane: LaneKey): Promise<TradeOrder[]> {
  const jobs = await queryRange<Job>(table, jobsOf(lane));
  const items = await getItems<object>(table, jobs.map(tradeKeyOf));
  return oldestFirst(items.map((item) => contentOf("order", item)));
}

export const tradeKeyOf = ({ userID, orderId }: Pick<Job, "userID" | "orderId">) =>
  keysOfItems.order({ intent: { userID, orderId } });

/** Sorts orders by the time of placing. */
export const oldestFirst = (orders: readonly TradeOrder[]): TradeOrder[] =>
  orders.toSorted((a, b) => (ageOf(a) < ageOf(b) ? -1 : 1));

const ageOf = ({ placed, intent }: TradeOrder) => `${placed.createdAt}#${intent.orderId}`;

/**
 * Reads a user's open work in a lane with one call: whether any order is unsettled, and whether the chain may still
 * include or drop a transaction.
 */
export async function laneWorkOf(
  table: Table,
  lane: LaneKey,
  user: string,
): Promise<{ hasOrders: boolean; hasTransactions: boolean }> {
  const items = await queryRange<{ userID: string; state?: Slot["state"] }>(table, jobsAndSlotsOf(lane));
  const own = items.filter(({ userID }) => userID === user);
  return {
    hasOrders: own.some(isJob),
    hasTransactions: own.some(({ state }) => state === "signed" || state === "mined"),
  };
}
