import { hashedId } from "../../../../lib/core/record-ids.ts";
import { deviceAddressKey, deviceCountKey, deviceKey } from "../../../../lib/devices/item-keys.ts";
import { marketHistoriesKey, marketLooksKey } from "../../../../lib/markets/items/keys.ts";
import { writeNews } from "../../../../lib/markets/items/news.ts";
import { restingStep } from "../../../../lib/orders/resting/resting-step.ts";
import { retiredKeyKey } from "../../../../lib/plans/item-keys.ts";
import type { MirrorDeps } from "../../../../lib/plans/mirror.ts";
import { mirrorUser } from "../../../../lib/plans/mirror.ts";
import { earnedKey, standingKey } from "../../../../lib/rewards/item-keys.ts";
import { setStock } from "../../../../lib/rewards/stock-records.ts";
import type { Item, Table } from "../../../../lib/table/table.ts";
import { walletOwnerKey } from "../../../../lib/table/wallet-keys.ts";
import {
  automaticBuyKey,
  cancellationKey,
  cutoffKey,
  keyDayKey,
  laneKey,
  openExecutionKey,
  presetKey,
  programKeyTurnKey,
  restingTurnKey,
  usedTokenKey,
} from "../../../../lib/trading/items/keys.ts";
import { writeStep } from "../../../../lib/trading/items/write-step.ts";
import { progressKey } from "../../../../lib/users/item-keys.ts";
import {
  announcedDayKey,
  announcedExportKey,
  endedLockKey,
  exportedKeyKey,
  exportKey,
  lockKey,
  looseningKey,
  shownPolicyKey,
  unlockingKey,
  unlockRequestKey,
} from "../../../../lib/wallets/item-keys.ts";
import { storedOrder } from "../../../orders/resting/fixtures.ts";
import type { World } from "../../../plans/support/world.ts";
import type { Engine } from "../../../support/dynamodb.ts";
import { itemsNamed, putItems } from "../../../support/items.ts";
import { programKey, programKeyItem } from "../../../support/program-keys.ts";
import { LaneBench } from "../../../trading/execution/support/lane-bench.ts";
import { now } from "./admin.ts";
import { targetWith } from "./custody.ts";
import { whole, writeWholeUser } from "./whole-user.ts";

/** Wallet with which the user has traded. */
export const tradingWallet = "0x7e57C0de000000000000000000000000000000Aa";

/** Makes a function that fills a new table with items of every kind that names the user. Writes them only once. */
export function tablesWithEveryItem(db: Pick<Engine, "newTable">, world: Pick<World, "deps">) {
  let written: Promise<Item[]> | undefined;
  return async (): Promise<{ table: Table; items: Item[] }> => {
    written ??= db.newTable().then((first) => everyItem(first, world.deps()));
    const [items, table] = await Promise.all([written, db.newTable()]);
    await putItems(table, items);
    return { table, items };
  };
}

/**
 * Writes items of every kind that names a user, a wallet or both, and returns them. Services write what takes part in a
 * deletion; the rest has only the fields that name the user.
 */
async function everyItem(table: Table, plans: Omit<MirrorDeps, "table" | "now">): Promise<Item[]> {
  const { userID } = whole;
  await setStock(table, "mug", 3);
  const [first] = await writeWholeUser(targetWith(table));
  await mirrorUser({ ...plans, table, now: () => now }, userID);
  const bench = await tradedOnce(table);
  const walletId = first?.wallet._id ?? "";
  const named = { userID, walletId };
  const wallet = { userID, chain: "eth", wallet: tradingWallet } as const;
  const resting = { ...wallet, token: "0x1", orderId: "o" };
  const orderId = hashedId(["a resting order of", userID]);
  await writeStep(table, restingStep(storedOrder({ ...resting, orderId }), "absent"));
  const ended = { ...storedOrder(resting), state: "done", end: cancelled } as const;
  await writeStep(table, [{ kind: "put", of: "rested", item: ended }]);
  await putItems(table, [
    { ...walletOwnerKey(userID, "eth", tradingWallet), userID },
    { ...deviceCountKey(userID), deviceIds: new Set(["d"]) },
    { ...deviceKey(userID, "d"), userID, deviceId: "d" },
    { ...deviceAddressKey(userID, "d"), url: "https://hooks.example/1", secret: "whsec_1" },
    { ...retiredKeyKey(now, `${userID}/0badcafe`), name: `${userID}/0badcafe`, plan: standard },
    { ...looseningKey(now.toISOString(), userID, "LOCK"), userID, lockId: "l" },
    { ...shownPolicyKey(wallet), ...named },
    { ...endedLockKey(userID), userID },
    { ...exportKey(userID, walletId), ...named },
    { ...announcedExportKey(userID, walletId), ...named },
    { ...exportedKeyKey(userID, "another wallet"), walletId: "another wallet" },
    { ...announcedDayKey(userID, "2026-11-18"), count: 1 },
    { ...unlockingKey(userID), userID },
    { ...unlockRequestKey(userID), userID },
    { ...lockKey(userID), userID },
    { ...cancellationKey({ userID, orderId: "o" }), userID, orderId: "o" },
    { ...cutoffKey({ userID, lane: wallet }), userID, before: 1 },
    { ...cutoffKey(wallet), ...wallet, before: 1 },
    { ...laneKey({ chain: "eth", wallet: "0xother" }, 1), watch: departed(userID) },
    { ...presetKey({ userID, chain: "eth" }), userID },
    { ...automaticBuyKey(resting), userID },
    { ...restingTurnKey({ userID, part: 0 }), userID },
    programKeyItem(programKey({ userID })),
    { ...programKeyTurnKey(userID), revision: 1 },
    { ...usedTokenKey({ userID, keyId: "pk_1" }, "token"), expiresAt: 1 },
    { ...keyDayKey({ userID, keyId: "pk_1", chain: "eth", day: "2026-11-18" }), userID },
    { ...standingKey("weekly", "2026-11-16", 5, userID), userID, publicName: whole.username, xp: 5 },
    { ...openExecutionKey({ ...resting, kind: "order", id: "elsewhere" }), userID },
    { ...marketLooksKey(userID, 1), count: 1 },
    { ...marketHistoriesKey(userID, 1), histories: 1 },
    { ...earnedKey(userID, now.toISOString(), "o"), userID },
    { ...progressKey(userID), userID },
  ]);
  await writeNews(table, { userID, tokens: [] });
  const items = await itemsNamed(table, "");
  const rewritten = items
    .filter(({ PK, SK }) => `${PK}#${SK}` !== `WALLETS#${bench.userID}#WALLET#eth#${bench.lane.wallet}`)
    .map((item) => replacedIn(item, [bench.lane.wallet, tradingWallet], [bench.userID, userID]));
  return rewritten as Item[];
}

const standard = { name: "Standard", requestsPerMinute: 100 };

const cancelled = { status: "cancelled", reasonCode: "CANCELLED_BY_USER" } as const;

const departed = (userID: string) => ({
  jobs: 1,
  blocks: {},
  departures: [{ token: "MOON", held: "0", revisions: { [userID]: 1 }, seenIn: [] }],
});

/** Lets a user of a bench buy once, until the order has settled. */
async function tradedOnce(table: Table): Promise<LaneBench> {
  const bench = await new LaneBench(table).open();
  await bench.place(bench.request());
  for (let blocks = 0; blocks < 40 && !bench.isDone; blocks++) {
    await bench.work();
    bench.mine();
  }
  if (!bench.isDone) throw new Error("The order has not settled");
  return bench;
}

/** Replaces texts within all texts, including keys of maps. */
function replacedIn(value: unknown, ...texts: [string, string][]): unknown {
  const replaced = (text: string) => texts.reduce((all, [from, to]) => all.replaceAll(from, to), text);
  if (typeof value === "string") return replaced(value);
  if (Array.isArray(value)) return value.map((part) => replacedIn(part, ...texts));
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [replaced(name), replacedIn(part, ...texts)]),
  );
}
