import { beforeEach, describe, expect, it } from "vitest";
import type { Evm } from "../../../lib/chains/evm/rules/family.ts";
import { emptyEvmLedger } from "../../../lib/chains/evm/rules/ledger.ts";
import { evmOrderSettingsOf } from "../../../lib/chains/evm/rules/order-settings.ts";
import { mostOwners } from "../../../lib/orders/departures.ts";
import type { LaneKey } from "../../../lib/orders/intent.ts";
import { mayHaveChanged } from "../../../lib/orders/lane-watch.ts";
import type { Lane, TradeStep } from "../../../lib/orders/table-step.ts";
import type { TradeOrder } from "../../../lib/orders/trade-order.ts";
import { counted, type Limits, openPolicy, type PolicyKey } from "../../../lib/orders/wallet-policy.ts";
import { walletOwnerKey } from "../../../lib/table/wallet-keys.ts";
import { packed } from "../../../lib/trading/items/items.ts";
import {
  cancellationKey,
  cutoffKey,
  jobKey,
  laneKey,
  signedBytesKey,
  tradeKey,
  tradingStopKey,
} from "../../../lib/trading/items/keys.ts";
import { homeShard } from "../../../lib/trading/items/lane-places.ts";
import { laneOrdersOf } from "../../../lib/trading/items/lane-records.ts";
import { readSigning } from "../../../lib/trading/items/signing-view.ts";
import { readLane, readLanes, readOrder, readPlacing } from "../../../lib/trading/items/views.ts";
import { writeStep } from "../../../lib/trading/items/write-step.ts";
import { settingsKey } from "../../../lib/users/item-keys.ts";
import { child, mandate } from "../../orders/resting/fixtures.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { interceptedTable } from "../../support/intercepted-table.ts";
import { putItems } from "../../support/items.ts";
import { attempt } from "../../support/lane-states.ts";
import {
  jobOf,
  laneOf,
  newOrder,
  placing,
  putKey,
  putPolicy,
  putWallet,
} from "../../support/placed-orders.ts";
import { signedFee, slot } from "../../support/trading.ts";

const db = tableForTests();

/** Creates an order of a separate wallet, so that tests do not interfere. */
let order: TradeOrder<Evm>;
let lane: LaneKey;

const day = "2026-11-21";

/** Stores a policy, and the amounts signed today and yesterday. */
async function putLimits(key: PolicyKey): Promise<Limits> {
  const pending = { policy: openPolicy, effectiveAt: "2026-11-22T20:00:00.000Z" };
  const stored = { ...key, policy: { ...openPolicy, maxPerDay: 2n ** 77n }, pending, revision: 1 };
  const countOf = (time: string) =>
    counted(key, undefined, { fees: 0n, adds: 5n, swapOf: "o", nowMs: Date.parse(time) });
  const count = countOf(day);
  await putPolicy(db.table, stored);
  await write(
    { kind: "put", of: "day", item: count, when: "absent" },
    { kind: "put", of: "day", item: countOf("2026-11-20"), when: "absent" },
  );
  return { stored, count };
}

const write = (...step: TradeStep) => writeStep(db.table, step);

beforeEach(() => {
  order = newOrder();
  lane = laneOf(order);
});

describe("laneOrdersOf", () => {
  it("reads more than 100 orders, oldest first", async () => {
    const ages = Array.from({ length: 101 }, (_, index) => (index * 37) % 101);
    const orders = ages.map((age) => newOrder(lane, `2026-11-21T20:00:00.${String(age).padStart(3, "0")}Z`));
    const items = orders.flatMap((each) => {
      const { userID, orderId } = each.intent;
      return [
        { ...tradeKey(userID, orderId), ...(packed(each) as object) },
        { ...jobKey(lane, orderId), ...jobOf(each) },
      ];
    });
    await putItems(db.table, items);
    const found = await laneOrdersOf(db.table, lane);
    expect(found.map(({ placed }) => placed.createdAt)).toEqual(
      orders.map(({ placed }) => placed.createdAt).toSorted(),
    );
  });
});

describe("readLane", () => {
  it("reads a lane with its jobs, slots and orders, and its users' data", async () => {
    const { userID } = order.intent;
    const slots = [
      slot({ place: 10 }, order.intent),
      slot({ place: 9, state: "signed", attempts: [attempt()] }, order.intent),
    ];
    await write(
      ...placing(order),
      ...slots.map((item) => ({ kind: "put", of: "slot", item, when: "absent" }) as const),
    );
    await putWallet(db.table, lane, userID);
    const limits = await putLimits({ ...lane, userID });
    await putItems(db.table, [
      { ...settingsKey(userID, "eth"), maxGasPrice: 12.5 },
      cancellationKey(order.intent),
      { ...signedBytesKey({ ...lane, hash: "0x1" }), ...lane, hash: "0x1", raw: "0x02" },
    ]);
    expect(await readLane(db.table, { lane, day })).toEqual({
      lane: { ...lane, jobs: 1 },
      jobs: [jobOf(order)],
      slots: slots.toReversed(),
      orders: [order],
      books: [],
      retired: new Set(),
      cancelled: new Set([order.intent.orderId]),
      bytes: new Map([["0x1", "0x02"]]),
      maxGasPrices: new Map([[userID, 12_500_000_000n]]),
      limits: new Map([[userID, limits]]),
      isStopped: false,
    });
  });

  it.each<[string, object, boolean]>([
    ["all orders", { before: 0 }, true],
    ["all orders until the one before", { before: -1 }, false],
    ["all orders of the chain", { eth: 0 }, true],
    ["all orders of another chain", { base: 0 }, false],
    ["orders until an unreadable time", { before: "-1" }, true],
  ])("counts an order as cancelled if its user has cancelled %s", async (_, changes, isCancelled) => {
    await write(...placing(order));
    const { userID, orderId, createdAt = 0 } = order.intent;
    const times = Object.entries(changes).map(([field, value]) => [
      field,
      typeof value === "number" ? createdAt + value : value,
    ]);
    await putWallet(db.table, lane, userID);
    await putItems(db.table, [{ ...cutoffKey({ userID, lane }), userID, ...Object.fromEntries(times) }]);
    const { cancelled } = await readLane(db.table, { lane, day });
    expect([...cancelled]).toEqual(isCancelled ? [orderId] : []);
  });

  it("reads a child's ledger, its resting order's dead children, and the cancellation of that order", async () => {
    const { userID, orderId } = order.intent;
    const parent = { ...child().parent, orderId: newOrder().intent.orderId };
    const intent = { ...order.intent, parent };
    const resting = mandate({ ...lane, createdAt: order.intent.createdAt ?? 0, orderId: parent.orderId });
    await write(...placing({ ...order, intent, mandate: resting }));
    await putWallet(db.table, lane, userID);
    const [empty, none] = [await readLane(db.table, { lane, day }), { ledger: undefined, ended: undefined }];
    expect([empty.children, empty.cancelled.size]).toEqual([new Map([[orderId, none]]), 0]);
    const ledger = { ...emptyEvmLedger(intent), revision: 1 };
    const dead = [{ child: "other", how: "failed", block: 7 }] as const;
    const ended = { orderId: parent.orderId, dead, revision: 1, expiresAt: 2_000_000_000 };
    await write(
      { kind: "put", of: "ledger", item: ledger, when: "absent" },
      { kind: "put", of: "ended", item: ended, when: "absent" },
    );
    await putItems(db.table, [cancellationKey({ userID, orderId: parent.orderId })]);
    const { children, cancelled } = await readLane(db.table, { lane, day });
    expect(children).toEqual(new Map([[orderId, { ledger, ended }]]));
    expect([...cancelled]).toEqual([orderId]);
  });

  it("counts a child as cancelled if its resting order was placed before a cancellation of all", async () => {
    const { userID, orderId, createdAt = 0 } = order.intent;
    const intent = { ...order.intent, parent: child().parent };
    await write(...placing({ ...order, intent, mandate: mandate({ ...lane, createdAt: createdAt - 5 }) }));
    await putWallet(db.table, lane, userID);
    await putItems(db.table, [{ ...cutoffKey({ userID, ...lane }), before: createdAt - 5 }]);
    expect([...(await readLane(db.table, { lane, day })).cancelled]).toEqual([orderId]);
  });

  it("does not count orders as cancelled whose wallet was retired", async () => {
    await write(...placing(order));
    const { userID, createdAt = 0 } = order.intent;
    await putItems(db.table, [{ ...cutoffKey({ userID, ...lane }), userID, ...lane, before: createdAt }]);
    const { cancelled, retired } = await readLane(db.table, { lane, day });
    expect([[...cancelled], [...retired]]).toEqual([[], [userID]]);
  });

  it("reads the data of an expected job in the same call as the jobs", async () => {
    await write(...placing(order));
    const both = Promise.withResolvers<void>();
    let calls = 0;
    const watched = interceptedTable(db.table, () => {
      if (++calls === 2) both.resolve();
      return both.promise;
    });
    const plain = await readLane(db.table, { lane, day });
    expect(await readLane(watched, { lane, day, job: jobOf(order) })).toEqual(plain);
    expect(calls).toBe(2);
  });

  it("treats a missing wallet as retired, and missing settings as the defaults", async () => {
    const other = newOrder(lane);
    await write(...placing(order));
    await write(...placing(other));
    await putWallet(db.table, lane, order.intent.userID, { retiredAt: "2026-11-21T20:00:00.000Z" });
    const users = [order.intent.userID, other.intent.userID];
    const gwei100 = 100_000_000_000n;
    expect(await readLane(db.table, { lane, day })).toMatchObject({
      retired: new Set(users),
      maxGasPrices: new Map(users.map((userID) => [userID, gwei100])),
    });
  });

  it("reports no missing token for a wallet that too many users share", async () => {
    const { chain, wallet } = lane;
    const ownerOf = (userID: string) => ({ ...walletOwnerKey(userID, chain, wallet), userID });
    const users = Array.from({ length: mostOwners }, (_, index) => `user${index}`);
    const missedBy = async (userID: string) =>
      (await readLane(db.table, { lane, day, missed: { userID, token: "0xA0b8" } })).missed;
    await putItems(db.table, users.map(ownerOf));
    expect(await missedBy("user0")).toEqual(["0xA0b8"]);
    // A wallet from before its owners were recorded.
    expect(await missedBy("another")).toBeUndefined();
    await putItems(db.table, [ownerOf("another")]);
    expect(await missedBy("user0")).toBeUndefined();
  });

  it("shows whether an operator has stopped trading on the chain", async () => {
    const own = { chain: "avax", wallet: "0xA" } as const;
    expect(await readLane(db.table, { lane: own, day })).toMatchObject({ lane: undefined, isStopped: false });
    await putItems(db.table, [tradingStopKey("avax")]);
    expect(await readLane(db.table, { lane: own, day })).toMatchObject({ isStopped: true });
  });
});

describe("readSigning", () => {
  it("reads everything that the signer's rules need with one call", async () => {
    const { userID, orderId } = order.intent;
    const planned = slot({}, order.intent);
    const ledger = { ...emptyEvmLedger(order.intent), fees: { 7: signedFee(planned.fees) }, revision: 1 };
    await write(
      ...placing(order),
      { kind: "put", of: "slot", item: planned, when: "absent" },
      { kind: "put", of: "ledger", item: ledger, when: "absent" },
    );
    const sealed = { walletId: "w1", encryptedPrivateKey: Uint8Array.of(1, 2) };
    await putWallet(db.table, lane, userID);
    await putKey(db.table, lane, userID, sealed);
    const limits = await putLimits({ ...lane, userID });
    let calls = 0;
    const watched = interceptedTable(db.table, () => void calls++);
    const request = { ...lane, userID, orderId, place: 7, purpose: "swap", fees: planned.fees } as const;
    expect(await readSigning(watched, { request, day })).toEqual({
      view: {
        order,
        slot: planned,
        ledger,
        isRetired: false,
        isStopped: false,
        isCancelled: false,
        cutoffs: {},
        maxGasPrice: 100_000_000_000n,
        limits,
      },
      sealed,
    });
    expect(calls).toBe(1);
  });
});

describe("readPlacing", () => {
  const view = (userID: string, key: string) => readPlacing(db.table, { lane, day, userID, key });

  it("reads all users' orders of the wallet, and the order placed with the key", async () => {
    const other = newOrder(lane);
    await write(...placing(order));
    await write(...placing(other));
    const { userID, orderId } = order.intent;
    await putWallet(db.table, lane, userID);
    const limits = await putLimits({ ...lane, userID });
    const found = {
      hasWallet: true,
      laneOrders: expect.arrayContaining([order, other]),
      jobs: 2,
      settings: evmOrderSettingsOf("eth"),
      isStopped: false,
      cutoffs: { all: undefined, wallet: expect.objectContaining({ before: 1 }) },
      limits,
    };
    await putItems(db.table, [{ ...cutoffKey({ userID, ...lane }), userID, ...lane, before: 1 }]);
    const used = { userID, key: `key ${orderId}`, orderId, fingerprint: "body" };
    expect(await view(userID, used.key)).toEqual({ ...found, used, order });
    expect(await view(userID, "new")).toEqual({ ...found, used: undefined, order: undefined });
    expect(await view(other.intent.userID, used.key)).toMatchObject({ used: undefined, hasWallet: false });
  });
});

describe("readOrder", () => {
  it("reads an order with its own slots only", async () => {
    const { userID, orderId } = order.intent;
    const own = slot({ place: 1 }, order.intent);
    const others = slot({ place: 2, orderId: "other" }, order.intent);
    await write(
      ...placing(order),
      { kind: "put", of: "slot", item: own, when: "absent" },
      { kind: "put", of: "slot", item: others, when: "absent" },
    );
    expect(await readOrder(db.table, userID, orderId)).toEqual({ order, slots: [own] });
    expect(await readOrder(db.table, "another", orderId)).toEqual({ order: undefined, slots: [] });
  });
});

describe("readLanes", () => {
  it("finds every lane of a chain, and no lane of another chain", async () => {
    const lanes = Array.from({ length: 20 }, (_, index) => ({
      chain: index < 19 ? ("bsc" as const) : ("base" as const),
      wallet: `0x${index}`,
    }));
    for (const item of lanes) await write({ kind: "change", of: "lane", item, add: { jobs: 1 } });
    const found = await readLanes(db.table, "bsc");
    expect(found.map(({ wallet }) => wallet).toSorted()).toEqual(
      lanes
        .slice(0, 19)
        .map(({ wallet }) => wallet)
        .toSorted(),
    );
    expect(new Set(lanes.map((each) => laneKey(each, homeShard(each)).PK)).size).toBeGreaterThan(2);
  });

  it("leaves out lanes that have only settled since before a given time", async () => {
    const watch = { jobs: 1, blocks: {}, finalFrom: 7 };
    const lanes: Lane[] = [
      { chain: "avax", wallet: "0x1", jobs: 1 },
      { chain: "avax", wallet: "0x2", jobs: 1, watch },
      { chain: "avax", wallet: "0x3", jobs: 1, watch: { ...watch, settlingSinceMs: 999 } },
      { chain: "avax", wallet: "0x4", jobs: 1, watch: { ...watch, settlingSinceMs: 1000 } },
      { chain: "avax", wallet: "0x5", jobs: 2, watch: { ...watch, settlingSinceMs: 999 } },
    ];
    for (const { chain, wallet, jobs, watch: set } of lanes)
      await write({
        kind: "change",
        of: "lane",
        item: { chain, wallet },
        add: { jobs },
        set: { watch: set },
      });
    const found = await readLanes(db.table, "avax", 1000);
    const expected = lanes.filter((lane) => mayHaveChanged(lane, 1000));
    expect(expected.map(({ wallet }) => wallet)).toEqual(["0x1", "0x2", "0x4", "0x5"]);
    expect(found.toSorted((a, b) => (a.wallet < b.wallet ? -1 : 1))).toEqual(expected);
  });
});
