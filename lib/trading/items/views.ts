import type { Network } from "../../core/network.ts";
import type { Book, BookKey } from "../../orders/book.ts";
import { isCutOff } from "../../orders/cutoffs.ts";
import { mostOwners } from "../../orders/departures.ts";
import type { Effects, LaneChild, LaneView, PlacingView } from "../../orders/effects.ts";
import type { SlotTerms } from "../../orders/family.ts";
import type { LaneKey } from "../../orders/intent.ts";
import type { StoredResting } from "../../orders/resting/stored.ts";
import type { Job, JobName, Lane, MissedToken, Names } from "../../orders/table-step.ts";
import type { AnyOrder } from "../../orders/trade-order.ts";
import { type Filter, type Item, queryRange, type Table } from "../../table/table.ts";
import { ownersOfWallet } from "../../table/wallet-keys.ts";
import { readOwned } from "./automatic-view.ts";
import { find, findOnChain, keysOfProgram, keysOfUser, keyText, namesOfProgram } from "./found-items.ts";
import { contentOf, keysOfItems, type StoredOrder } from "./items.ts";
import {
  heldTokensAt,
  isJob,
  isLanePlace,
  isSlot,
  jobsAndSlotsOf,
  laneKey,
  lanePlaceKey,
  restingTurnOf,
  slotsInLane,
} from "./keys.ts";
import { homeShard, type LanePlace, lanesInShards } from "./lane-places.ts";
import { laneOrdersOf, oldestFirst, tradeKeyOf } from "./lane-records.ts";
import { readResting, restedIn } from "./resting-records.ts";

/**
 * Reads a lane with two calls: first its jobs and slots, then the items that belong to them. If a job is known from the
 * start, its items are read at once, so that both calls run in parallel if it is the only job.
 */
export async function readLane(
  table: Table,
  { lane, day, job, missed }: Effects["readLane"]["ask"],
): Promise<LaneView> {
  const { chain } = lane;
  const home = homeShard(lane, table);
  const keysOfJob = (each: JobName) => [
    ...keysOfUser(lane, each.userID, day),
    ...[tradeKeyOf(each), keysOfItems.cancellation(each), keysOfItems.book({ ...lane, ...each })],
  ];
  const [items, early] = await Promise.all([
    queryRange<object>(table, jobsAndSlotsOf(lane)),
    job && findOnChain(table, chain, [laneKey(lane, home), ...keysOfJob(job)]),
  ]);
  const jobs = items.filter(isJob).map((item) => contentOf("job", item));
  const slots = items.filter(isSlot).map((item) => contentOf("slot", item));
  const shard = (items.find(isLanePlace) as Item<LanePlace> | undefined)?.shard ?? home;
  const users = [...new Set(jobs.map(({ userID }) => userID))];
  const hashes = slots.flatMap(({ attempts }) => attempts.at(-1)?.hash ?? []);
  const bytes = hashes.map((hash) => keysOfItems.bytes({ ...lane, hash }));
  const keys = [laneKey(lane, shard), ...jobs.flatMap(keysOfJob), ...bytes];
  const found = await findOnChain(table, chain, keys, early);
  const books = new Map(jobs.map((job) => [keyText(keysOfItems.book(job)), job]));
  const held = found.lane(lane, shard);
  const orders = oldestFirst(found.all("order", jobs.map(orderNamed)));
  const children = await readChildren(table, orders);
  // Leaves orders of retired wallets to their own end, although retiring cuts them off, too.
  const isCancelled = ({ intent, mandate }: AnyOrder) =>
    found.has(keysOfItems.cancellation(intent)) ||
    children?.cancelled.has(intent.orderId) ||
    (!found.isRetired(lane, intent.userID) &&
      isCutOff(mandate ?? intent, found.cutoffs(lane, intent.userID)));
  const shared = await sharedBooks(table, lane, [
    ...(held?.watch?.departures ?? []).flatMap(({ token, revisions }) =>
      Object.keys(revisions).map((userID) => ({ userID, token })),
    ),
    ...(missed ? [missed] : []),
  ]);
  return {
    // Counts the jobs that were read, so that no run leaves the lane while an order placed in the meantime waits.
    lane: held && { ...held, jobs: jobs.length },
    jobs,
    slots,
    orders,
    books: [
      ...found.all("book", [...books.values()]).filter(({ token }) => !shared.tokens.includes(token)),
      ...shared.books,
    ],
    ...(shared.tokens.length > 0 && { missed: shared.tokens }),
    retired: new Set(users.filter((userID) => found.isRetired(lane, userID))),
    cancelled: new Set(orders.filter(isCancelled).map(({ intent }) => intent.orderId)),
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
    children: children?.records,
  };
}

/** Reads with one call what concerns only the children of resting orders. Most lanes have none. */
async function readChildren(
  table: Table,
  orders: readonly AnyOrder[],
): Promise<{ cancelled: ReadonlySet<string>; records: ReadonlyMap<string, LaneChild> } | undefined> {
  const children = orders.flatMap(({ intent: { orderId, userID, parent } }) =>
    parent === undefined ? [] : [{ orderId, parent: { userID, orderId: parent.orderId } }],
  );
  if (children.length === 0) return undefined;
  const found = await find(
    table,
    children.flatMap(({ orderId, parent }) => [
      keysOfItems.ledger({ orderId }),
      keysOfItems.ended(parent),
      keysOfItems.cancellation(parent),
    ]),
  );
  const isCancelled = ({ parent }: (typeof children)[0]) => found.has(keysOfItems.cancellation(parent));
  return {
    cancelled: new Set(children.filter(isCancelled).map(({ orderId }) => orderId)),
    records: new Map(
      children.map(({ orderId, parent }) => [
        orderId,
        { ledger: found.get("ledger", { orderId }), ended: found.get("ended", parent) },
      ]),
    ),
  };
}

/**
 * Reads all users' books of a wallet's missing tokens, with two calls. Most runs have no missing tokens. If too many
 * users share the wallet, no token counts as missing, and the positions stay unchanged.
 */
async function sharedBooks(
  table: Table,
  lane: LaneKey,
  missed: readonly MissedToken[],
): Promise<{ tokens: string[]; books: Book[] }> {
  const tokens = [...new Set(missed.map(({ token }) => token))];
  if (tokens.length === 0) return { tokens, books: [] };
  const range = ownersOfWallet(lane.chain, lane.wallet);
  const owners = await queryRange<{ userID: string }>(table, range, { limit: mostOwners + 1 });
  const users = [...new Set([...owners, ...missed].map(({ userID }) => userID))];
  if (users.length > mostOwners) return { tokens: [], books: [] };
  const names = users.flatMap((userID) => tokens.map((token) => ({ ...lane, userID, token })));
  const found = await find(table, names.map(keysOfItems.book));
  return { tokens, books: found.all("book", names) };
}

const orderNamed = ({ userID, orderId }: Pick<Job, "userID" | "orderId">): Names["order"] => ({
  intent: { userID, orderId },
});

/**
 * Reads the facts for placing an order with one call. Needs two more calls if the wallet has other orders, one more if
 * the key was used, and one more if the lane is not in its home shard or the preset adds exits. Automatic buys read what
 * the user has of the token, too: with five calls, and up to two for each wallet on the chain.
 */
export async function readPlacing(
  table: Table,
  { lane, day, userID, key, rests, automatic: token, lacksExits, by }: Effects["readPlacing"]["ask"],
): Promise<PlacingView> {
  const { chain } = lane;
  const named = key === undefined ? undefined : { userID, key };
  const turn = named && restingTurnOf(named);
  const bought = token === undefined ? undefined : { userID, chain: lane.chain, token };
  const program = namesOfProgram({ ...lane, userID }, by, day);
  const keysOfTurn = turn ? [keysOfItems.restingTurn(turn)] : [];
  const home = homeShard(lane, table);
  const found = await findOnChain(table, lane.chain, [
    ...(named ? [keysOfItems.key(named)] : []),
    ...(rests ? keysOfTurn : []),
    ...(bought ? [keysOfItems.automaticBuy(bought)] : []),
    ...(lacksExits ? [keysOfItems.preset({ userID, chain })] : []),
    laneKey(lane, home),
    lanePlaceKey(lane),
    ...keysOfUser(lane, userID, day),
    ...keysOfProgram(program),
  ]);
  const used = named && found.get("key", named);
  const exits = lacksExits ? found.presetExits(chain, userID) : undefined;
  const seesResting = rests || (exits?.length ?? 0) > 0;
  const shard = found.laneShard(lane) ?? home;
  // Reads the turn before the resting orders, so that nobody can add to these unseen.
  const withLane = await find(table, [laneKey(lane, shard), ...(seesResting ? keysOfTurn : [])], found);
  const jobs = withLane.lane(lane, shard)?.jobs;
  const [laneOrders, placed, all, held] = await Promise.all([
    jobs === undefined || jobs === 0 ? [] : laneOrdersOf(table, lane),
    used && find(table, [tradeKeyOf(used)]),
    seesResting ? readResting(table, userID) : [],
    bought && readOwned(table, bought),
  ]);
  return {
    used,
    order: used && placed?.get("order", orderNamed(used)),
    hasWallet: !found.isRetired(lane, userID),
    laneOrders,
    jobs,
    ...(exits && { exits }),
    ...(seesResting && {
      resting: {
        all,
        placed:
          all.find(({ mandate }) => mandate.orderId === used?.orderId) ??
          restedIn(used && placed?.stored("order", orderNamed(used))),
        turn: turn && (withLane.get("restingTurn", turn) ?? { ...turn, count: 0 }),
      },
    }),
    ...(held && { automatic: { ...held, atMs: bought && found.get("automaticBuy", bought)?.atMs } }),
    settings: found.settings(lane.chain, userID),
    isStopped: found.isStopped(lane.chain),
    cutoffs: found.cutoffs(lane, userID),
    limits: found.limits({ ...lane, userID }, day),
    program: found.program(program),
  };
}

/**
 * Reads an order placed through this API. Until the order has settled, a second call reads its slots. A resting order
 * that has ended is stored in the same place.
 */
export async function readOrder(
  table: Table,
  userID: string,
  orderId: string,
): Promise<{ order: StoredOrder | undefined; slots: SlotTerms[]; rested?: StoredResting }> {
  const found = await find(table, [tradeKeyOf({ userID, orderId })]);
  const rested = restedIn(found.stored("order", { intent: { userID, orderId } }));
  if (rested !== undefined) return { order: undefined, slots: [], rested };
  const order = found.get("order", { intent: { userID, orderId } });
  if (order === undefined || order.life.settled) return { order, slots: [] };
  const items = await queryRange<object>(table, slotsInLane(order.intent));
  const slots = items.map((item) => contentOf("slot", item));
  return { order, slots: slots.filter((slot) => slot.orderId === orderId) };
}

/** Maximum number of a chain's held tokens that the sweep reads at a time. */
const mostHeld = 20;

/** Reads the tokens to check in this minute, with one or two calls. */
export async function readHeld(table: Table, chain: Network, nowMs: number): Promise<BookKey[]> {
  const [first, rest] = heldTokensAt(chain, nowMs);
  const held = await queryRange<BookKey>(table, first, { limit: mostHeld });
  if (held.length === mostHeld) return held;
  return [...held, ...(await queryRange<BookKey>(table, rest, { limit: mostHeld - held.length }))];
}

/** States `mayHaveChanged` for DynamoDB, which then sends no other lanes. */
const changedSince = (sinceMs: number): Filter => ({
  parameters: {
    FilterExpression: "attribute_not_exists(#w.#s) OR #w.#s >= :since OR #w.#j <> #j",
    ExpressionAttributeNames: { "#w": "watch", "#s": "settlingSinceMs", "#j": "jobs" },
  },
  values: { ":since": sinceMs },
});

/** Reads the lanes of a chain: all, or those that may have changed since a given time. */
export async function readLanes(table: Table, chain: Network, sinceMs?: number): Promise<Lane[]> {
  const items = await lanesInShards(table, chain, sinceMs === undefined ? undefined : changedSince(sinceMs));
  return items.map((item) => contentOf("lane", item));
}
