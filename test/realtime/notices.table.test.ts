import { describe, expect, it } from "vitest";
import { createDevice, deleteDevice } from "../../lib/devices/change-devices.ts";
import { deviceKey } from "../../lib/devices/item-keys.ts";
import type { Order } from "../../lib/orders/execution.ts";
import { openRules, webhook } from "../devices/support.ts";
import { itemsNamed } from "../support/items.ts";
import { executionItem, streamRecord } from "../support/stream.ts";
import { publishingForTests } from "./support/publishing.ts";

const scene = publishingForTests();

const order = (changes: Partial<Order> = {}): Order => ({
  ...{ orderId: "o1", wallet: "0xA1", chain: "eth", symbol: "MOON/ETH", token: "0xB2" },
  ...{ side: "buy", type: "market", status: "open", amount: "1", filledAmount: "0" },
  ...{ createdAt: scene.now.toISOString(), updatedAt: scene.now.toISOString(), version: 1 },
  ...changes,
});

const typesOf = () => scene.putNotice.mock.calls.map(([{ type }]) => type);
const add = (userID: string) =>
  createDevice({ table: scene.table, ...openRules }, { userID, given: webhook(), now: scene.now });

async function noticesOf(userID: string, before: Partial<Order>, after: Partial<Order>) {
  scene.putNotice.mockClear();
  const record = streamRecord(
    executionItem(userID, order({ ...after, version: 2 })),
    executionItem(userID, order(before)),
  );
  expect(await scene.publishAll([record])).toEqual([]);
  return typesOf();
}

describe("publish for orders of users with a device", () => {
  it("puts an order's notice once, at the change of its status", async () => {
    await add("ann");
    const filled = { status: "filled", filledAmount: "1", txHash: "0xc3" } as const;
    expect(await noticesOf("ann", {}, filled)).toEqual(["OrderFilled"]);
    expect(scene.putNotice.mock.calls[0]).toEqual([
      {
        type: "OrderFilled",
        detail: {
          ...{
            userID: "ann",
            orderId: "o1",
            chain: "eth",
            wallet: "0xA1",
            symbol: "MOON/ETH",
            token: "0xB2",
          },
          ...{ side: "buy", type: "market", amount: "1", ...filled },
        },
      },
      expect.stringMatching(/^[\dA-Z]{26}$/),
    ]);
    expect(await noticesOf("ann", filled, { ...filled, settled: true })).toEqual([]);
    expect(await noticesOf("ann", {}, { status: "rejected" })).toEqual(["OrderRejected"]);
    expect(await noticesOf("ann", {}, { status: "expired" })).toEqual(["OrderRejected"]);
    expect(await noticesOf("ann", {}, { status: "partially_filled" })).toEqual([]);
  });

  it("announces the fill of a resting order once, as its child's, and other ends unless the user cancelled", async () => {
    await add("bob");
    const resting = { type: "limit", childOrderId: "o2" } as const;
    const child = { parentOrderId: "o0" };
    expect(await noticesOf("bob", resting, { ...resting, status: "filled" })).toEqual([]);
    expect(await noticesOf("bob", child, { ...child, status: "filled" })).toEqual(["OrderFilled"]);
    expect(await noticesOf("bob", child, { ...child, status: "rejected" })).toEqual([]);
    for (const status of ["expired", "rejected", "cancelled"] as const)
      expect(await noticesOf("bob", resting, { ...resting, status })).toEqual(["RestingOrderEnded"]);
    const cancelled = { status: "cancelled", reasonCode: "CANCELLED_BY_USER" } as const;
    expect(await noticesOf("bob", resting, { ...resting, ...cancelled })).toEqual([]);
    expect(await noticesOf("bob", {}, cancelled)).toEqual([]);
  });

  it("puts nothing for users without a device, nor for an old order that is restored", async () => {
    expect(await noticesOf("carl", {}, { status: "filled" })).toEqual([]);
    await add("dora");
    const updatedAt = new Date(scene.now.getTime() - 2 * 3_600_000).toISOString();
    expect(await noticesOf("dora", {}, { status: "filled", updatedAt })).toEqual([]);
  });

  it("repeats a refused notice under its id", async () => {
    await add("eve");
    const record = streamRecord(executionItem("eve", order({ status: "filled" })));
    scene.putNotice.mockRejectedValueOnce(new Error("refused"));
    expect(await scene.publishAll([record])).toEqual([record.dynamodb?.SequenceNumber]);
    expect(await scene.publishAll([record])).toEqual([]);
    const [first, second] = scene.putNotice.mock.calls;
    expect(first).toEqual(second);
  });
});

describe("publish for devices", () => {
  it("announces a device that is added or removed, without its secrets, but no failed attempt", async () => {
    const { deviceId } = await add("fred");
    const stored = async () => (await itemsNamed(scene.table, "DEVICES#fred "))[0];
    const added = await stored();
    const { leavesAt } = await deleteDevice(scene.table, { userID: "fred", deviceId }, scene.now);
    const leaving = await stored();
    scene.putNotice.mockClear();
    await scene.publishAll([
      streamRecord(added),
      streamRecord({ ...deviceKey("fred", deviceId), ...added, failures: 1 }, added),
      streamRecord(leaving, added),
    ]);
    const detail = { userID: "fred", deviceId, kind: "webhook", name: "Desk" };
    expect(scene.putNotice.mock.calls.map(([notice]) => notice)).toEqual([
      { type: "DeviceAdded", detail },
      { type: "DeviceRemoved", detail: { ...detail, leavesAt } },
    ]);
  });

  it("announces a device that names somebody else, or gets other terms, to the user in its key", async () => {
    const key = deviceKey("greg", "A".repeat(26));
    const device = {
      ...key,
      userID: "mallory",
      deviceId: key.SK,
      type: "webhook",
      name: "Own",
      createdAt: "t",
    };
    scene.putNotice.mockClear();
    await scene.publishAll([streamRecord(device), streamRecord({ ...device, wants: {} }, device)]);
    const announced = { type: "DeviceAdded", detail: expect.objectContaining({ userID: "greg" }) };
    expect(scene.putNotice.mock.calls.map(([notice]) => notice)).toEqual([announced, announced]);
  });
});
