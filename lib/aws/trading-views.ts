import type { Network } from "../domain/network.ts";
import { chains, type SettingsPatch } from "../domain/settings.ts";
import type { Effects, LaneView, PlacingView, SigningView } from "../domain/trading/effects.ts";
import { weiOfGwei } from "../domain/trading/fees.ts";
import type { LaneKey } from "../domain/trading/intent.ts";
import type { Slot } from "../domain/trading/slot.ts";
import type { Items, Job, Kind, Lane, Names } from "../domain/trading/table-step.ts";
import type { TradeOrder } from "../domain/trading/trade-order.ts";
import { type OrderSettings, orderSettingsOf, tradingChains } from "../domain/trading/trading-chain.ts";
import type { Limits, PolicyKey } from "../domain/trading/wallet-policy.ts";
import { getItems } from "./batch-get.ts";
import { laneOrdersOf, oldestFirst, tradeKeyOf } from "./lane-records.ts";
import { type Item, queryRange, type Table } from "./table.ts";
import { type Key, settingsKey } from "./table-keys.ts";
import { contentOf, keysOfItems } from "./trading-items.ts";
import { isJob, jobsAndSlotsOf, lanesOf, slotsInLane, tradingStopKey } from "./trading-keys.ts";

type Known = Exclude<Kind, "wallet">;

/** Items that were read together. */
class Found {
  readonly #items: ReadonlyMap<string, Item<object>>;

  constructor(items: readonly Item<object>[]) {
    this.#items = new Map(items.map((item) => [textOf(item), item]));
  }

  has = (key: Key): boolean => this.#items.has(textOf(key));

  get<K extends Known>(kind: K, name: Names[K]): Items[K] | undefined {
    const item = this.#items.get(textOf(keysOfItems[kind](name)));
    return item && contentOf(kind, item);
  }

  all<K extends Known>(kind: K, names: readonly Names[K][]): Items[K][] {
    return names.flatMap((name) => this.get(kind, name) ?? []);
  }

  /** Whether the user no longer has the wallet. */
  isRetired({ chain, wallet }: LaneKey, userID: string): boolean {
    const item = this.#items.get(textOf(keysOfItems.wallet({ chain, wallet, userID })));
    return item === undefined || "retiredAt" in item;
  }

  sealedWallet({ chain, wallet }: LaneKey, userID: string): SealedWallet | undefined {
    const item = this.#items.get(textOf(keysOfItems.wallet({ chain, wallet, userID })));
    const { _id, encryptedPrivateKey } = (item ?? {}) as { _id?: string; encryptedPrivateKey?: Uint8Array };
    const isWhole = typeof _id === "string" && encryptedPrivateKey instanceof Uint8Array;
    return isWhole ? { walletID: _id, encryptedPrivateKey } : undefined;
  }

  /** The wallet's policy, and what was spent on that day. */
  limits = (wallet: PolicyKey, day: string): Limits => ({
    stored: this.get("policy", wallet),
    count: this.get("day", { ...wallet, day }),
  });

  isStopped = (chain: Network): boolean => this.has(tradingStopKey(chain));

  /** The user's settings for orders. Undefined for a network on which none can be executed. */
  settings(chain: Network, userID: string): OrderSettings | undefined {
    const [key] = settingsKeysOf(chain, userID);
    const stored = key && (this.#items.get(textOf(key)) as SettingsPatch | undefined);
    const trading = tradingChains.find((each) => each === chain);
    return trading && orderSettingsOf(trading, stored);
  }

  /** In wei for a unit of gas. */
  maxGasPrice = (chain: Network, userID: string): bigint =>
    weiOfGwei(this.settings(chain, userID)?.maxGasPrice ?? 0);
}

const textOf = ({ PK, SK }: Key) => JSON.stringify([PK, SK]);

/** Reads items with one call for each hundred. */
async function find(table: Table, keys: readonly Key[]): Promise<Found> {
  const different = new Map(keys.map((key) => [textOf(key), key]));
  return new Found(await getItems<object>(table, [...different.values()]));
}

/** None for a chain that has no settings. */
const settingsKeysOf = (chain: Network, userID: string): Key[] =>
  chains.filter((each) => each === chain).map((each) => settingsKey(userID, each));

/** Whether a user may still trade with a wallet, what they allow, and what they have spent on that day. */
const keysOfUser = ({ chain, wallet }: LaneKey, userID: string, day: string): Key[] => [
  keysOfItems.wallet({ chain, wallet, userID }),
  keysOfItems.policy({ chain, wallet, userID }),
  keysOfItems.day({ chain, wallet, userID, day }),
  ...settingsKeysOf(chain, userID),
];

/** Two calls: what the lane has, and what belongs to it elsewhere. */
export async function readLane(table: Table, lane: LaneKey, day: string): Promise<LaneView> {
  const { chain } = lane;
  const items = await queryRange<object>(table, jobsAndSlotsOf(lane));
  const jobs = items.filter(isJob).map((item) => contentOf("job", item));
  const slots = items.filter((item) => !isJob(item)).map((item) => contentOf("slot", item));
  const users = [...new Set(jobs.map(({ userID }) => userID))];
  const found = await find(table, [
    keysOfItems.lane(lane),
    tradingStopKey(chain),
    ...users.flatMap((userID) => keysOfUser(lane, userID, day)),
    ...jobs.flatMap((job) => [tradeKeyOf(job), keysOfItems.book(job)]),
  ]);
  const books = new Map(jobs.map((job) => [textOf(keysOfItems.book(job)), job]));
  const held = found.get("lane", lane);
  return {
    // Counts what was read. So no run leaves the lane without a look at an order that was placed in between.
    lane: held && { ...held, jobs: jobs.length },
    jobs,
    slots,
    orders: oldestFirst(found.all("order", jobs.map(orderNamed))),
    books: found.all("book", [...books.values()]),
    retired: new Set(users.filter((userID) => found.isRetired(lane, userID))),
    maxGasPrices: new Map(users.map((userID) => [userID, found.maxGasPrice(chain, userID)])),
    limits: new Map(users.map((userID) => [userID, found.limits({ ...lane, userID }, day)])),
    isStopped: found.isStopped(chain),
  };
}

const orderNamed = ({ userID, orderId }: Pick<Job, "userID" | "orderId">): Names["order"] => ({
  intent: { userID, orderId },
});

/** A wallet's private key as it is stored. */
export type SealedWallet = { walletID: string; encryptedPrivateKey: Uint8Array };

/** One call. The key is not part of what the core sees. */
export async function readSigning(
  table: Table,
  { request, day }: Effects["readSigning"]["ask"],
): Promise<{ view: SigningView; sealed: SealedWallet | undefined }> {
  const { chain, userID } = request;
  const found = await find(table, [
    tradeKeyOf(request),
    keysOfItems.slot(request),
    keysOfItems.ledger(request),
    keysOfItems.cancellation(request),
    tradingStopKey(chain),
    ...keysOfUser(request, userID, day),
  ]);
  const view = {
    order: found.get("order", orderNamed(request)),
    slot: found.get("slot", request),
    ledger: found.get("ledger", request),
    isRetired: found.isRetired(request, userID),
    isStopped: found.isStopped(chain),
    isCancelled: found.has(keysOfItems.cancellation(request)),
    maxGasPrice: found.maxGasPrice(chain, userID),
    limits: found.limits(request, day),
  };
  return { view, sealed: found.sealedWallet(request, userID) };
}

/**
 * One call. Two more if the wallet has other orders, and one if the key was used.
 *
 * @param maxOrder The most that a buy may spend.
 */
export async function readPlacing(
  table: Table,
  { lane, day, userID, key }: Effects["readPlacing"]["ask"],
  maxOrder?: bigint,
): Promise<PlacingView> {
  const named = key === undefined ? undefined : { userID, key };
  const found = await find(table, [
    ...(named ? [keysOfItems.key(named)] : []),
    keysOfItems.lane(lane),
    tradingStopKey(lane.chain),
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
    maxOrder,
    limits: found.limits({ ...lane, userID }, day),
  };
}

/** An order placed here, and its slots until it has settled. One call, and a second until then. */
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

/** Every lane of the chain. A call for each shard. */
export async function readLanes(table: Table, chain: Network): Promise<Lane[]> {
  const shards = await Promise.all(lanesOf(chain).map((range) => queryRange<object>(table, range)));
  return shards.flat().map((item) => contentOf("lane", item));
}
