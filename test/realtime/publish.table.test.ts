import { describe, expect, it, onTestFinished, vi } from "vitest";
import { channels } from "../../lib/core/channel.ts";
import { restingStep } from "../../lib/orders/resting/resting-step.ts";
import { shownResting } from "../../lib/orders/resting/shown.ts";
import { connectionsOfUser } from "../../lib/realtime/connection-records.ts";
import { snapshotsOf } from "../../lib/realtime/snapshots.ts";
import type { Item } from "../../lib/table/table.ts";
import { walletKey } from "../../lib/table/wallet-keys.ts";
import { cancelOrder } from "../../lib/trading/cancel-order.ts";
import { packed } from "../../lib/trading/items/items.ts";
import { restingKey } from "../../lib/trading/items/keys.ts";
import { changeReaderLease } from "../../lib/trading/items/reader-leases.ts";
import { writeStep } from "../../lib/trading/items/write-step.ts";
import { settingsKey } from "../../lib/users/item-keys.ts";
import { defaultSettings } from "../../lib/users/settings.ts";
import { saveSettings } from "../../lib/users/settings-records.ts";
import { listed, newWallet, retirement } from "../../lib/wallets/wallet.ts";
import { storedOrder } from "../orders/resting/fixtures.ts";
import { order, position, price } from "../support/executions.ts";
import { itemsNamed, putItems } from "../support/items.ts";
import {
  executionItem,
  pricesItem,
  sequenceNumberOf,
  settingsItem,
  streamRecord,
} from "../support/stream.ts";
import { publishingForTests } from "./support/publishing.ts";

const publishing = publishingForTests();
const { api, connect, handOver, now, onFault, publishAll, received, startCatchUp, startReader } = publishing;

const time = now.toISOString();

const expectOnly = (...connections: string[]) =>
  expect([...new Set(api.current.calls.map(({ connectionId }) => connectionId))].sort()).toEqual(
    connections.sort(),
  );

describe("publish", () => {
  it("sends changed settings to every connection of their user, and to nobody else", async () => {
    await connect("ann", "ann-1");
    await connect("ann", "ann-2", channels);
    await connect("ann2", "other-1", channels);
    await connect("an", "other-2", channels);
    const saved = await saveSettings(publishing.table, "ann", "sol", { priorityFee: 0.5, slippage: 2 }, now);
    const item = { ...saved, ...settingsKey("ann", "sol") } as Item;
    expect(await publishAll([streamRecord(item)])).toEqual([]);
    const data = {
      chain: "sol",
      version: 1,
      settings: { ...defaultSettings.sol, priorityFee: 0.5, slippage: 2 },
    };
    const message = { type: "TradingSettingsUpdated", time, data };
    expect(received("ann-1")).toEqual([message]);
    expect(received("ann-2")).toEqual([message]);
    expectOnly("ann-1", "ann-2");
  });

  it("sends changed wallets to every connection of their owner, and to nobody else", async () => {
    await connect("wes", "wes-1");
    await connect("wes", "wes-2", channels);
    await connect("wes2", "other-3", channels);
    const named = { userID: "wes", network: "eth", now } as const;
    const wallets = ["0x1", "0x2"].map((address, index) => ({
      ...newWallet("generated", { ...named, address }),
      slot: index + 1,
      version: 1,
    }));
    const items = wallets.map((each) => ({
      ...walletKey("wes", "eth", each.generatedWalletAddress),
      ...each,
      encryptedPrivateKey: "sealed",
    }));
    const [first, second] = items as [(typeof items)[number], (typeof items)[number]];
    const retired = { ...first, version: 2, ...retirement(now) };
    expect(
      await publishAll([streamRecord(first), streamRecord(second), streamRecord(retired, first)]),
    ).toEqual([]);
    const [one, two] = listed(wallets);
    const message = {
      type: "WalletsUpdated",
      time,
      data: {
        wallets: [
          { ...one, version: 2, state: "retired" },
          { ...two, version: 1, state: "active" },
        ],
      },
    };
    expect(received("wes-1")).toEqual([message]);
    expect(received("wes-2")).toEqual([message]);
    expectOnly("wes-1", "wes-2");
  });

  it("sends only the newest settings of each chain", async () => {
    await connect("bea", "bea-1");
    const versions = [1, 2, 3].map((version) => settingsItem("bea", "eth", { version, slippage: version }));
    const ofEth = versions.map((item, index) => streamRecord(item, versions[index - 1]));
    const ofSol = streamRecord(settingsItem("bea", "sol", { version: 7 }));
    const [first, ...others] = ofEth;
    if (first === undefined) throw new Error("No records");
    expect(await publishAll([first, ofSol, ...others])).toEqual([]);
    expect(received("bea-1")).toMatchObject([
      { data: { chain: "eth", version: 3, settings: { slippage: 3 } } },
      { data: { chain: "sol", version: 7 } },
    ]);
  });

  it("serves users with few connections before those with many", async () => {
    await Promise.all(Array.from({ length: 80 }, (_, index) => connect("abe", `abe-${index}`)));
    await connect("lea", "lea-1");
    const send = vi.spyOn(api.current.pusher, "send");
    onTestFinished(() => send.mockRestore());
    await publishAll(["abe", "lea"].map((userID) => streamRecord(settingsItem(userID, "eth", {}))));
    const pushed = send.mock.calls.map(([{ input }]) => ("ConnectionId" in input ? input.ConnectionId : ""));
    expect(pushed).toHaveLength(81);
    expect(pushed[0]).toBe("lea-1");
  });

  it("starts no push after the deadline, and returns the unfinished records", async () => {
    await connect("mia", "mia-1");
    await connect("ned", "ned-1");
    const records = ["mia", "ned"].map((userID) => streamRecord(settingsItem(userID, "eth", {})));
    expect(await publishAll(records, { deadline: new Date() })).toEqual(records.map(sequenceNumberOf));
    expectOnly();
    expect(onFault.mock.calls.map(([{ name }]) => name)).toEqual(["OutOfTime"]);
    expect(startCatchUp).not.toHaveBeenCalled();
    expect(await publishAll(records)).toEqual([]);
    expectOnly("mia-1", "ned-1");
  });

  it("does nothing for a user without connections", async () => {
    expect(await publishAll([streamRecord(settingsItem("nobody", "eth", {}))])).toEqual([]);
    expectOnly();
  });

  it("sends orders and positions to their owner's subscribed connections, and to nobody else", async () => {
    await connect("cleo", "cleo-both", channels);
    await connect("cleo", "cleo-orders", ["orders"]);
    await connect("cleo", "cleo-prices", ["prices"]);
    await connect("cleo", "cleo-none");
    await connect("carl", "carl-both", channels);
    await publishAll([
      streamRecord(executionItem("cleo", order({ orderId: "cleo-order" }))),
      streamRecord(executionItem("cleo", position({ positionId: "cleo-position" }))),
      streamRecord(executionItem("carl", order({ orderId: "carl-order" }))),
    ]);
    const orders = { type: "update", channel: "orders", time, data: [order({ orderId: "cleo-order" })] };
    const positions = {
      type: "update",
      channel: "positions",
      time,
      data: [position({ positionId: "cleo-position" })],
    };
    expect(received("cleo-both")).toEqual([orders, positions]);
    expect(received("cleo-orders")).toEqual([orders]);
    expect(received("carl-both")).toEqual([{ ...orders, data: [order({ orderId: "carl-order" })] }]);
    expectOnly("cleo-both", "cleo-orders", "carl-both");
  });

  it("sends a resting order and the record of its same version only once, as the resting order says", async () => {
    await connect("alice", "alice-1", ["orders"]);
    const resting = storedOrder();
    const item = { ...restingKey(resting.mandate), ...(packed(resting) as object) };
    const shown = shownResting(resting);
    const forged = { ...shown, status: "cancelled" } as const;
    await publishAll([streamRecord(executionItem("alice", forged)), streamRecord(item)]);
    await publishAll([streamRecord(executionItem("alice", { ...shown, version: 2 }))]);
    const data = received("alice-1").map((message) => (message as { data: unknown }).data);
    expect(data).toEqual([[shown], [{ ...shown, version: 2 }]]);
  });

  it("sends the end of a resting order, whose own item is removed", async () => {
    const resting = storedOrder({ userID: "rae" });
    const { userID, orderId } = resting.mandate;
    const { table } = publishing;
    const written = async () =>
      new Map((await itemsNamed(table, `#${userID} `)).map((item) => [`${item.PK} ${item.SK}`, item]));
    await writeStep(table, restingStep(resting, "absent"));
    await connect(userID, "rae-1", ["orders"]);
    const before = await written();
    const wake = () => undefined;
    await cancelOrder({ table, wake, nowMs: () => now.getTime() }, userID, orderId);
    const after = await written();
    const names = [...new Set([...before.keys(), ...after.keys()])];
    const isWanted = (name: string) => name.includes(" RESTING#") || name.includes(" ORDER#");
    await publishAll(names.filter(isWanted).map((name) => streamRecord(after.get(name), before.get(name))));
    const ended = { orderId, status: "cancelled", stage: "done", settled: true, version: 2 };
    expect(received("rae-1")).toMatchObject([{ channel: "orders", data: [ended] }]);
    const [snapshot] = await snapshotsOf(table, "orders", userID, now);
    expect(snapshot).toMatchObject({ type: "snapshot", data: [ended] });
  });

  it("combines a batch's orders in sequence into as many messages as they need", async () => {
    await connect("dora", "dora-1", ["orders"]);
    const many = Array.from({ length: 400 }, (_, index) =>
      order({ orderId: `o${index}`, reason: "価".repeat(200), version: index + 1 }),
    );
    await publishAll(many.map((each) => streamRecord(executionItem("dora", each))));
    const messages = api.current.messagesTo("dora-1");
    expect(messages.length).toBeGreaterThan(1);
    for (const message of messages) expect(Buffer.byteLength(message)).toBeLessThanOrEqual(128 * 1024);
    expect(messages.flatMap((message) => JSON.parse(message).data)).toEqual(many);
  });

  it("hands over the latest changed prices of a batch once for each shard", async () => {
    const [eth, avax] = [price({ chain: "eth" }), price({ chain: "avax" })];
    const first = pricesItem([avax]);
    const earlier = pricesItem([price({ price: "1" }), eth, avax]);
    const later = pricesItem([price({ price: "2" }), eth, avax]);
    const records = [streamRecord(earlier, first), streamRecord(later, earlier)];
    expect(await publishAll(records)).toEqual([]);
    const update = { type: "update", channel: "prices", time, data: [price({ price: "2" }), eth] };
    expect(handOver.mock.calls).toEqual([0, 1, 2, 3].map((shard) => [{ shard, update }]));
    expect(publishing.startFeed).not.toHaveBeenCalled();
    expectOnly();
  });

  it("starts another run of feedPrices if the current run is older than ten minutes, at most every half minute", async () => {
    const saved = (agoMs: number, second: number) =>
      pricesItem([], {
        startedAt: new Date(publishing.now.getTime() - agoMs).toISOString(),
        updatedAt: new Date(Date.UTC(2026, 10, 21, 9, 0, second)).toISOString(),
      });
    const [young, old] = [600_000, 600_001];
    await publishAll([streamRecord(saved(young, 30), saved(young, 29))]);
    expect(publishing.startFeed).not.toHaveBeenCalled();
    const seconds = [29, 30, 32, 34, 59];
    const records = seconds.slice(1).map((second, index) => {
      const before = saved(old, seconds[index] ?? 0);
      return streamRecord(saved(old, second), before);
    });
    for (const record of records) await publishAll([record]);
    await publishAll(records);
    expect(publishing.startFeed.mock.calls).toEqual([[{ after: "l1" }], [{ after: "l1" }]]);
    expect(handOver).not.toHaveBeenCalled();

    publishing.startFeed.mockRejectedValue(new Error("no"));
    expect(await publishAll([streamRecord({ ...saved(old, 0), prices: [price()] })])).toEqual([]);
    expect(handOver).toHaveBeenCalledTimes(4);
    expect(onFault).toHaveBeenCalledTimes(1);
  });

  it("keeps a market reader running while anybody follows tokens", async () => {
    const first = pricesItem([price()]);
    const change = streamRecord(pricesItem([price({ price: "2" })]), first);
    const turn = streamRecord(first);
    const startsAfter = async (record: typeof turn, isFollowed?: boolean) => {
      startReader.mockClear();
      expect(await publishAll([record], isFollowed === undefined ? {} : { isFollowed })).toEqual([]);
      return startReader.mock.calls.length;
    };
    const set = { run: "r", epoch: 1, build: "b", startedAtMs: 0, heartbeatMs: Date.now() };
    expect(await startsAfter(change, true)).toBe(1);
    expect(await startsAfter(turn, false)).toBe(0);
    expect(await startsAfter(turn)).toBe(0);
    await changeReaderLease(publishing.table, { chain: "markets", when: undefined, set });
    expect(await startsAfter(change, true)).toBe(0);
    // Starts a run although one exists, because that run may be old or have old code.
    expect(await startsAfter(turn, true)).toBe(1);
    await changeReaderLease(publishing.table, {
      chain: "markets",
      when: { epoch: 1 },
      set: { isEnded: true },
    });
    expect(await startsAfter(change, true)).toBe(1);
    expect(onFault).not.toHaveBeenCalled();

    startReader.mockRejectedValue(new Error("no"));
    handOver.mockClear();
    expect(await startsAfter(change, true)).toBe(1);
    expect(handOver).toHaveBeenCalledTimes(4);
    expect(onFault).toHaveBeenCalledTimes(1);
  });

  it("removes a closed connection and its subscriptions, and still reaches the user's other connections", async () => {
    await connect("fay", "fay-gone", channels);
    await connect("fay", "fay-there", channels);
    api.current.answer = ({ connectionId }) => (connectionId === "fay-gone" ? 410 : 200);
    expect(await publishAll([streamRecord(settingsItem("fay", "eth", {}))])).toEqual([]);
    expect(await itemsNamed(publishing.table, "fay-gone")).toEqual([]);
    expect(received("fay-there")).toHaveLength(1);
    expect(
      (await connectionsOfUser(publishing.table, "fay")).map(({ connectionId }) => connectionId),
    ).toEqual(["fay-there"]);
    expect(onFault).not.toHaveBeenCalled();
  });

  it("keeps the record of a connection whose handshake may still be in progress", async () => {
    await connect("gus", "gus-new", [], new Date(now.getTime() - 29_000));
    await connect("gus", "gus-old", [], new Date(now.getTime() - 31_000));
    api.current.answer = () => 410;
    await publishAll([streamRecord(settingsItem("gus", "eth", {}))]);
    expect(
      (await connectionsOfUser(publishing.table, "gus")).map(({ connectionId }) => connectionId),
    ).toEqual(["gus-new"]);
  });

  it("drops unreadable records, and publishes the others", async () => {
    await connect("ida", "ida-1", channels);
    const poison = streamRecord({ ...executionItem("ida", order()), status: "lost" });
    const noImage = { ...streamRecord(settingsItem("ida", "eth", {})), dynamodb: { SequenceNumber: "1" } };
    const good = streamRecord(executionItem("ida", position()));
    expect(await publishAll([poison, noImage, good])).toEqual([]);
    expect(received("ida-1")).toMatchObject([{ channel: "positions" }]);
    expect(onFault.mock.calls.map(([error]) => error.name).sort()).toEqual(["Error", "ValiError"]);
  });

  it("does not retry a whole batch because of one user whose connections cannot be read", async () => {
    await connect("kim", "kim-1");
    await connect("lou", "lou-1");
    const [odd] = await itemsNamed(publishing.table, "CONNECTIONS#kim CONNECTION#");
    await putItems(publishing.table, [{ ...(odd as Item), channels: "all" }]);
    const unreadable = streamRecord(executionItem("kim", order()));
    const good = streamRecord(settingsItem("lou", "eth", {}));
    expect(await publishAll([unreadable, good])).toEqual([]);
    expect(received("lou-1")).toMatchObject([{ type: "TradingSettingsUpdated" }]);
    expect(onFault.mock.calls.map(([error]) => error.name)).toEqual(["TypeError"]);
  });

  it("sends a whole batch again after a crash between two pushes", async () => {
    await connect("joy", "joy-1");
    await connect("joy", "joy-2");
    const records = [streamRecord(settingsItem("joy", "eth", {}))];
    const { promise: never, resolve: afterTheTest } = Promise.withResolvers<number>();
    api.current.answer = ({ connectionId }) => (connectionId === "joy-2" ? never : 200);
    const crashed = publishAll(records);
    await expect.poll(() => api.current.calls).toHaveLength(2);
    api.current.answer = () => 200;
    expect(await publishAll(records)).toEqual([]);
    const [once] = received("joy-1");
    for (const connectionId of ["joy-1", "joy-2"]) expect(received(connectionId)).toEqual([once, once]);
    afterTheTest(200);
    await crashed;
  });
});
