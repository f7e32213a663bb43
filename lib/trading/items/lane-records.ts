import { isEnteredIn } from "../../chains/families/ledger.ts";
import { isOwnId } from "../../core/record-ids.ts";
import { epochSeconds } from "../../core/time.ts";
import type { SlotTerms } from "../../orders/family.ts";
import { clocksApartMs, type LaneKey } from "../../orders/intent.ts";
import type { Cutoff, Job, Ledger } from "../../orders/table-step.ts";
import type { AnyOrder } from "../../orders/trade-order.ts";
import { getItems } from "../../table/batch-get.ts";
import type { Write } from "../../table/step.ts";
import { type Item, queryPages, queryRange, readItem, type Table } from "../../table/table.ts";
import { contentOf, keysOfItems } from "./items.ts";
import { cutoffKey, isJob, jobsAndSlotsOf, jobsOf, ledgerKey } from "./keys.ts";

/** Reads the unsettled orders that all users of a wallet have placed, oldest first. */
export async function laneOrdersOf(table: Table, lane: LaneKey): Promise<AnyOrder[]> {
  const jobs = await queryRange<Job>(table, jobsOf(lane));
  const items = await getItems<object>(table, jobs.map(tradeKeyOf));
  return oldestFirst(items.map((item) => contentOf("order", item)));
}

export const tradeKeyOf = ({ userID, orderId }: Pick<Job, "userID" | "orderId">) =>
  keysOfItems.order({ intent: { userID, orderId } });

/** Sorts orders by the time when they were placed. */
export const oldestFirst = (orders: readonly AnyOrder[]): AnyOrder[] =>
  orders.toSorted((a, b) => (ageOf(a) < ageOf(b) ? -1 : 1));

const ageOf = ({ placed, intent }: AnyOrder) => `${placed.createdAt}#${intent.orderId}`;

/**
 * How long after its order's deadline a transaction may keep a wallet busy. Slow chains need minutes to make blocks
 * final.
 */
const holdingSeconds = 3600;

/** Maximum number of orders whose ledgers are read. It is far more than a lane ever has in flight. */
const mostLedgers = 100;

const laneFields = ["PK", "SK", "userID", "orderId", "place", "state"];

/**
 * Reads a user's open work in a lane: whether any order is unsettled, and whether the chain may still include or drop a
 * transaction. Lanes and slots are only hints. A transaction counts only if its signature is in the signer's own
 * ledger, and only until an hour after its order's deadline. So nothing that executeOrders writes can keep a wallet
 * busy for good, and a hidden slot only frees the wallet earlier. Makes at most two calls.
 */
export async function laneWorkOf(
  table: Table,
  lane: LaneKey,
  { userID, now }: { userID: string; now: Date },
): Promise<{ hasOrders: boolean; hasTransactions: boolean }> {
  const pages = queryPages<Partial<SlotTerms>>(table, jobsAndSlotsOf(lane), { attributes: laneFields });
  const { value: items = [] } = await pages.next();
  const own = (items as Item<Partial<SlotTerms>>[]).filter((item) => item.userID === userID);
  const signed = own.filter(({ orderId, state }) => underWay.includes(state) && isOwnId(String(orderId)));
  const orderIds = [...new Set(signed.map(({ orderId }) => String(orderId)))].slice(0, mostLedgers);
  const ledgers = await getItems<object>(table, orderIds.map(ledgerKey));
  const holding = ledgers
    .map((item) => contentOf("ledger", item))
    .filter((ledger) => isOf(ledger, lane, userID) && epochSeconds(now) < ledger.validUntil + holdingSeconds);
  return {
    hasOrders: own.some(isJob),
    hasTransactions: signed.some((slot) =>
      holding.some((ledger) => ledger.orderId === slot.orderId && isEnteredIn(ledger, slot as SlotTerms)),
    ),
  };
}

/**
 * Builds the write that cancels all of a user's orders of a wallet for good, including those from clocks that are
 * ahead. Takes part in the transaction that retires the wallet, so that no order is placed between the two.
 */
export async function cutoffOfRetired(
  table: Table,
  { chain, wallet }: LaneKey,
  { userID, now }: { userID: string; now: Date },
): Promise<Write> {
  const key = cutoffKey({ userID, chain, wallet });
  const known = (await readItem<Cutoff>(table, key))?.before;
  const before = Math.max(now.getTime() + clocksApartMs, typeof known === "number" ? known + 1 : 0);
  const when = known === undefined ? "absent" : { before: known };
  return { kind: "change", key, set: { userID, chain, wallet, before }, when };
}

/** States of slots whose transactions are on the chain or may still get there. */
const underWay: readonly unknown[] = ["signed", "mined", "lapsed"];

const isOf = (ledger: Ledger, { chain, wallet }: LaneKey, userID: string): boolean =>
  ledger.chain === chain && ledger.wallet === wallet && ledger.userID === userID;
