import type { Network } from "../../core/network.ts";
import { queryRange, type Table } from "../../table/table.ts";
import type { Effects, LaneView, PlacingView } from "../core/effects.ts";
import { newestAttempt, type Slot } from "../core/evm/slot.ts";
import type { Job, JobName, Lane, Names } from "../core/table-step.ts";
import type { TradeOrder } from "../core/trade-order.ts";
import { find, findOnChain, keysOfUser, keyText } from "./found-items.ts";
import { contentOf, keysOfItems } from "./items.ts";
import { isJob, jobsAndSlotsOf, lanesOf, slotsInLane } from "./keys.ts";
import { laneOrdersOf, oldestFirst, tradeKeyOf } from "./lane-records.ts";

/**
 * Reads a lane with two calls: its jobs and slots, then the items that belong to them. Those of a known job are read at
 * once. If they are all, both calls run beside each other.
 */
export async function readLane(
  table: Table,
  { lane, day, job }: Effects["readLane"]["ask"],
): Promise<LaneView> {
  const { chain } = lane;
  const keysOfJob = (each: JobName) => [
    ...keysOfUser(lane, each.userID, day),
    ...[tradeKeyOf(each), keysOfItems.cancellation(each), keysOfItems.book({ ...lane, ...each })],
  ];
  const [items, early] = await Promise.all([
    queryRange<object>(table, jobsAndSlotsOf(lane)),
    job && findOnChain(table, chain, [keysOfItems.lane(lane), ...keysOfJob(job)]),
  ]);
  const jobs = items.filter(isJob).map((item) => contentOf("job", item));
  const slots = items.filter((item) => !isJob(item)).map((item) => contentOf("slot", item));
  const users = [...new Set(jobs.map(({ userID }) => userID))];
  const hashes = slots.flatMap((slot) => newestAttempt(slot)?.hash ?? []);
  const bytes = hashes.map((hash) => keysOfItems.bytes({ ...lane, hash }));
  const keys = [keysOfItems.lane(lane), ...jobs.flatMap(keysOfJob), ...bytes];
  const found = await findOnChain(table, chain, keys, early);
  const books = new Map(jobs.map((job) => [keyText(keysOfItems.book(job)), job]));
  const held = found.get("lane", lane);
  return {
    // Counts the jobs that were read. So no run leaves the lane while an order placed in between waits.
    lane: held && { ...held, jobs: jobs.length },
    jobs,
    slots,
    orders: oldestFirst(found.all("order", jobs.map(orderNamed))),
    books: found.all("book", [...books.values()]),
    retired: new Set(users.filter((userID) => found.isRetired(lane, userID))),
    cancelled: new Set(
      jobs.filter((job) => found.has(keysOfItems.cancellation(job))).map(({ orderId }) => orderId),
    ),
    maxGasPrices: new Map(users.map((userID) => [userID, found.maxGasPrice(chain, userID)])),
    limits: new Map(users.map((userID) => [userID, found.limits({ ...lane, userID }, day)])),
    bytes: new Map(
      found
        .all(
          "bytes",
          hashes.map((hash) => ({ ...lane, hash })),
        )
        .map(({ hash, raw }) => [hash, raw]),
    ),
    isStopped: found.isStopped(chain),
  };
}

const orderNamed = ({ userID, orderId }: Pick<Job, "userID" | "orderId">): Names["order"] => ({
  intent: { userID, orderId },
});

/** Reads the facts for placing with one call, two more if the wallet has other orders, and one if the key was used. */
export async function readPlacing(
  table: Table,
  { lane, day, userID, key }: Effects["readPlacing"]["ask"],
): Promise<PlacingView> {
  const named = key === undefined ? undefined : { userID, key };
  const found = await findOnChain(table, lane.chain, [
    ...(named ? [keysOfItems.key(named)] : []),
    keysOfItems.lane(lane),
    ...keysOfUser(lane, userID, day),
  ]);
  const used = named && found.get("key", named);
  const jobs = found.get("lane", lane)?.jobs;
  const [laneOrders, placed] = await Promise.all([
    jobs === undefined || jobs === 0 ? [] : laneOrdersOf(table, lane),
    used && find(table, [tradeKeyOf(used)]),
  ]);
  return {
    used,
    order: used && placed?.get("order", orderNamed(used)),
    hasWallet: !found.isRetired(lane, userID),
    laneOrders,
    jobs,
    settings: found.settings(lane.chain, userID),
    isStopped: found.isStopped(lane.chain),
    limits: found.limits({ ...lane, userID }, day),
  };
}

/** Reads an order placed here, and its slots until it has settled. Makes one call, and a second until then. */
export async function readOrder(
  table: Table,
  userID: string,
  orderId: string,
): Promise<{ order: TradeOrder | undefined; slots: Slot[] }> {
  const found = await find(table, [tradeKeyOf({ userID, orderId })]);
  const order = found.get("order", { intent: { userID, orderId } });
  if (order === undefined || order.life.settled) return { order, slots: [] };
  const items = await queryRange<object>(table, slotsInLane(order.intent));
  const slots = items.map((item) => contentOf("slot", item));
  return { order, slots: slots.filter((slot) => slot.orderId === orderId) };
}

/** Reads every lane of a chain with a call for each shard. */
export async function readLanes(table: Table, chain: Network): Promise<Lane[]> {
  const shards = await Promise.all(lanesOf(chain).map((range) => queryRange<object>(table, range)));
  return shards.flat().map((item) => contentOf("lane", item));
}
