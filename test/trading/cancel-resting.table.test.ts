import { describe, expect, it, vi } from "vitest";
import { afterFiring } from "../../lib/orders/resting/life.ts";
import { restingStep } from "../../lib/orders/resting/resting-step.ts";
import { type StoredResting, storedAfter } from "../../lib/orders/resting/stored.ts";
import type { Item } from "../../lib/table/table.ts";
import { cancelOrder } from "../../lib/trading/cancel-order.ts";
import { cancelOrders } from "../../lib/trading/cancel-orders.ts";
import { cancellationKey, restingKey, triggerKey } from "../../lib/trading/items/keys.ts";
import { readParent } from "../../lib/trading/items/resting-records.ts";
import { readOrder } from "../../lib/trading/items/views.ts";
import { writeStep } from "../../lib/trading/items/write-step.ts";
import { mandateHash, nowMs, storedOrder } from "../orders/resting/fixtures.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { itemsNamed } from "../support/items.ts";
import { newOrder, placing } from "../support/placed-orders.ts";
import { shortPausesForTests } from "../support/short-pauses.ts";

const db = tableForTests();
shortPausesForTests();

let count = 0;
const idOf = () => `01KAMZ3Q5T9WJ2M4N6P8C${String(++count).padStart(5, "0")}`;

/** Lets an order rest. With `isOut`, it has a child out. */
async function rest(changes: Parameters<typeof storedOrder>[0] = {}, isOut = false) {
  const order = storedOrder({ userID: `user ${idOf()}`, orderId: idOf(), ...changes });
  const { userID, orderId, chain, wallet, token } = order.mandate;
  await writeStep(db.table, restingStep(order, "absent"));
  if (!isOut) return { order, userID, orderId, child: "" };
  const parent = { orderId, mandate: mandateHash, leg: 0, n: 1 };
  const child = newOrder({ userID, chain, wallet, token, orderId: idOf(), parent });
  const fired = afterFiring(order, {
    ...{ orderId: child.intent.orderId, leg: 0, validUntil: nowMs / 1000 + 60, price: "2", block: 1 },
  });
  const stored = storedAfter(order, fired, order.facts, nowMs);
  await writeStep(db.table, [...placing(child), ...restingStep(stored, order)]);
  return { order: stored, userID, orderId, child: child.intent.orderId };
}

const deps = () => ({ table: db.table, wake: vi.fn(() => undefined), nowMs: () => nowMs });
const cancel = (userID: string, orderId: string, by = deps()) => cancelOrder(by, userID, orderId);
const has = async (key: Pick<Item, "PK" | "SK">) =>
  (await itemsNamed(db.table, `${key.PK} ${key.SK}`)).length > 0;

describe("cancelOrder, for a resting order", () => {
  it("ends an order without children at once, for good, and can be repeated", async () => {
    const { order, userID, orderId } = await rest();
    const ended = { status: "cancelled", stage: "done", settled: true, reasonCode: "CANCELLED_BY_USER" };
    expect(await cancel(userID, orderId)).toMatchObject({ orderId, type: "oco", version: 2, ...ended });
    expect(await has(restingKey(order.mandate))).toBe(false);
    expect(await has(triggerKey(order.mandate))).toBe(false);
    expect(await has(cancellationKey({ userID, orderId }))).toBe(true);
    expect(await cancel(userID, orderId)).toMatchObject({ version: 2, ...ended });
  });

  it.each(["parent", "child"] as const)(
    "cancels the child that is out, and shows the parent, by the id of the %s",
    async (by) => {
      const { order, userID, orderId, child } = await rest({}, true);
      const by2 = deps();
      const shown = await cancel(userID, by === "parent" ? orderId : child, by2);
      expect(shown).toMatchObject({
        orderId,
        status: "open",
        stage: "cancelling",
        childOrderId: child,
        version: 3,
      });
      for (const id of [orderId, child])
        expect(await has(cancellationKey({ userID, orderId: id }))).toBe(true);
      expect((await readOrder(db.table, userID, child)).order).toMatchObject({
        life: { status: "cancelled" },
      });
      expect(by2.wake).toHaveBeenCalledWith(
        expect.objectContaining({ lane: expect.objectContaining({ wallet: order.mandate.wallet }) }),
      );
      expect(await has(restingKey(order.mandate))).toBe(true);
      expect(await cancel(userID, orderId)).toMatchObject({ stage: "cancelling", version: 3 });
    },
  );

  it.each<[string, Partial<StoredResting>]>([
    ["filled", { state: "filled" }],
    ["filled", { state: "done" }],
    ["expired", { state: "ended", end: { status: "expired", reasonCode: "EXPIRED" } }],
    ["expired", { state: "done", end: { status: "expired", reasonCode: "EXPIRED" } }],
  ])("refuses an order that is %s, but records the cancellation", async (status, changes) => {
    const { order, userID, orderId } = await rest();
    await writeStep(db.table, restingStep({ ...order, ...changes, revision: 2, version: 2 }, order));
    await expect(cancel(userID, orderId)).rejects.toMatchObject({
      code: "ORDER_NOT_CANCELLABLE",
      details: { status },
    });
    expect(await has(cancellationKey({ userID, orderId }))).toBe(true);
  });

  it("finds no order of another user", async () => {
    const { orderId } = await rest();
    await expect(cancel("somebody else", orderId)).rejects.toMatchObject({ code: "ORDER_NOT_FOUND" });
  });

  it("cancels an order whose record and child were deleted or falsified", async () => {
    const { userID, orderId, child } = await rest({}, true);
    const { order } = await readOrder(db.table, userID, child);
    if (order === undefined) throw new Error("no child");
    await writeStep(db.table, [{ kind: "remove", of: "order", item: order, when: {} }]);
    expect(await cancel(userID, orderId)).toMatchObject({ stage: "cancelling" });
    expect(await has(cancellationKey({ userID, orderId: child }))).toBe(true);
  });
});

describe("cancelOrders, with resting orders", () => {
  it("counts parents and market orders, but no children, and ends all", async () => {
    const { order, userID, orderId, child } = await rest({}, true);
    const { chain, wallet } = order.mandate;
    const other = await rest({ userID, orderId: idOf(), chain: "eth", wallet: "0x2" });
    const market = newOrder({ userID, chain, wallet });
    await writeStep(db.table, placing(market));
    const all = { ...deps(), lanesOf: async () => [{ chain, wallet }] };
    expect(await cancelOrders(all, userID, { chain: "eth" })).toBe(1);
    expect(await readParent(db.table, userID, other.orderId)).toMatchObject({ state: "done" });
    expect(await readParent(db.table, userID, orderId)).toMatchObject({ isCancelling: false });
    expect(await cancelOrders(all, userID, {})).toBe(2);
    expect(await readParent(db.table, userID, orderId)).toMatchObject({
      state: "firing",
      isCancelling: true,
    });
    for (const id of [child, market.intent.orderId])
      expect((await readOrder(db.table, userID, id)).order?.life.status).toBe("cancelled");
    expect(await cancelOrders(all, userID, {})).toBe(1);
  });

  it("cancels a child that its lane still holds open after the end of its parent, and does not count it", async () => {
    const { order, userID, child } = await rest({}, true);
    const end = { status: "expired", reasonCode: "EXPIRED" } as const;
    const ended = storedAfter(order, { ...order, state: "ended", out: [], end }, order.facts, nowMs);
    await writeStep(db.table, restingStep(ended, order));
    const all = { ...deps(), lanesOf: async () => [order.mandate] };
    expect(await cancelOrders(all, userID, {})).toBe(0);
    expect((await readOrder(db.table, userID, child)).order?.life.status).toBe("cancelled");
  });

  it.each([false, true])(
    "ends for good an order that a clock a second ahead has placed (with a child out: %s)",
    async (isOut) => {
      const { order, userID, orderId } = await rest({ createdAt: nowMs + 1000 }, isOut);
      const { chain, wallet } = order.mandate;
      const all = { ...deps(), lanesOf: async () => [{ chain, wallet }] };
      expect(await cancelOrders(all, userID, {})).toBe(1);
      const ended = isOut ? { isCancelling: true } : { state: "done" };
      expect(await readParent(db.table, userID, orderId)).toMatchObject(ended);
      // The time of the cancellation of all orders does not cover it, so the signer needs its own.
      expect(await has(cancellationKey({ userID, orderId }))).toBe(true);
    },
  );
});
