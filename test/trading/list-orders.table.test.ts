import { describe, expect, it } from "vitest";
import { afterFiring, type Firing } from "../../lib/orders/resting/life.ts";
import { restingStep } from "../../lib/orders/resting/resting-step.ts";
import { shownResting } from "../../lib/orders/resting/shown.ts";
import { type StoredResting, storedAfter } from "../../lib/orders/resting/stored.ts";
import { shownOrder } from "../../lib/orders/trade-order.ts";
import { getOrder } from "../../lib/trading/get-order.ts";
import { writeStep } from "../../lib/trading/items/write-step.ts";
import { listOrders } from "../../lib/trading/list-orders.ts";
import { limit, mandateHash, nowMs, storedOrder } from "../orders/resting/fixtures.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { newOrder, placing } from "../support/placed-orders.ts";

const db = tableForTests();

let users = 0;
let ids = 0;

const put = async (order: StoredResting) => {
  await writeStep(db.table, restingStep(order, "absent"));
  return order;
};
const idOf = (n: number) => `01KAMZ3Q5T9WJ2M4N6P8R${String(n).padStart(5, "0")}`;

/** Puts a resting order of a user, placed a minute after the one before. */
const rest = (userID: string, changes: Parameters<typeof storedOrder>[0] = {}) => {
  const order = storedOrder({ userID, orderId: idOf(++ids), ...changes });
  const createdAt = new Date(nowMs + ids * 60_000).toISOString();
  return put({ ...order, placed: { ...order.placed, createdAt } });
};

const list = (userID: string, query: Partial<Parameters<typeof listOrders>[2]>) =>
  listOrders(db.table, userID, { limit: "20", ...query });
const idsIn = ({ orders }: Awaited<ReturnType<typeof list>>) => orders.map(({ orderId }) => orderId);

describe("listOrders", () => {
  it("lists all resting orders at once, newest first, with the filters of other lists", async () => {
    const userID = `lister ${++users}`;
    const pair = await rest(userID);
    const one = await rest(userID, { legs: [limit], chain: "eth" });
    const other = await rest(userID, { token: "0x5FC8d32690cc91D4c39d9d3abcBD16989F875707" });
    const order = newOrder({ userID });
    await writeStep(db.table, placing(order));
    const [p, l, t] = [pair, one, other].map(({ mandate }) => mandate.orderId);
    const query = { status: "resting", limit: "1" };
    expect(await list(userID, query)).toEqual({ orders: [other, one, pair].map(shownResting) });
    expect(idsIn(await list(userID, { ...query, type: "oco" }))).toEqual([t, p]);
    expect(idsIn(await list(userID, { ...query, chain: "eth" }))).toEqual([l]);
    expect(idsIn(await list(userID, { ...query, token: other.mandate.token.toLowerCase() }))).toEqual([t]);
    expect(idsIn(await list(userID, { ...query, chain: "bsc" }))).toEqual([]);
    expect(idsIn(await list(userID, { type: "limit" }))).toEqual([l]);
    expect(new Set(idsIn(await list(userID, {})))).toEqual(new Set([p, l, t, order.intent.orderId]));
    expect(idsIn(await list("somebody else", query))).toEqual([]);
  });

  it("leaves out orders that have filled or ended", async () => {
    const userID = `lister ${++users}`;
    const filled = storedOrder({ userID });
    await put({ ...filled, state: "filled" });
    const { orderId } = filled.mandate;
    const end = { status: "expired", reasonCode: "EXPIRED" } as const;
    const ended = { ...storedOrder({ userID, orderId: idOf(8) }), state: "ended", end } as const;
    await put(ended);
    expect(idsIn(await list(userID, { status: "resting" }))).toEqual([]);
    expect(idsIn(await list(userID, { status: "expired" }))).toEqual([ended.mandate.orderId]);
    expect(idsIn(await list(userID, { status: "filled" }))).toEqual([orderId]);
  });

  it("lists the children that the firings name, newest first", async () => {
    const userID = `lister ${++users}`;
    const parent = await rest(userID);
    const { orderId, wallet } = parent.mandate;
    const children = [1, 2].map((n) =>
      newOrder(
        { userID, wallet, parent: { orderId, mandate: mandateHash, leg: 0, n } },
        new Date(nowMs + n).toISOString(),
      ),
    );
    for (const child of children) await writeStep(db.table, placing(child));
    const fired = children.reduce<StoredResting>((order, { intent }) => {
      const child = { orderId: intent.orderId, leg: 0, validUntil: 1, price: "2", block: 1 };
      return storedAfter(order, afterFiring(order, child), order.facts, nowMs);
    }, parent);
    await writeStep(db.table, restingStep(fired, parent));
    const newestFirst = children.toReversed();
    expect(await list(userID, { parent: orderId })).toEqual({ orders: newestFirst.map(shownOrder) });
    expect((await list(userID, { parent: orderId })).orders[0]).toMatchObject({ parentOrderId: orderId });
    expect(await getOrder(db.table, userID, orderId)).toMatchObject({
      order: shownResting(fired),
      attempts: [],
      firings: newestFirst.map(({ intent }, index) => ({
        orderId: intent.orderId,
        n: 2 - index,
        outcome: "out",
      })),
    });
    expect(await list("somebody else", { parent: orderId })).toEqual({ orders: [] });
    // An answer has a hundred children of an order with slices.
    const [newest, oldest] = fired.firings as [Firing, Firing];
    const unsent = Array.from({ length: 99 }, (_, n) => ({ ...newest, orderId: idOf(10_000 + n) }));
    const many = { ...fired, firings: [newest, ...unsent, oldest], revision: fired.revision + 1 };
    await writeStep(db.table, restingStep(many, fired));
    expect(idsIn(await list(userID, { parent: orderId }))).toEqual([newest.orderId]);
    expect((await getOrder(db.table, userID, orderId)).firings).toHaveLength(100);
  });

  it.each([{ status: "resting" }, { parent: idOf(0) }])(
    "refuses a cursor with a list that is not paged: %o",
    async (query) => {
      await expect(list("ann", { ...query, cursor: "x" })).rejects.toMatchObject({
        code: "INVALID_REQUEST",
        details: { field: "cursor" },
      });
    },
  );
});

describe("getOrder", () => {
  it("returns a resting order whose record was deleted, and one that has ended", async () => {
    const userID = `getter ${++users}`;
    const resting = await rest(userID);
    const { orderId } = resting.mandate;
    expect(await getOrder(db.table, userID, orderId)).toEqual({
      order: shownResting(resting),
      attempts: [],
      firings: [],
    });
    const end = { status: "expired", reasonCode: "EXPIRED" } as const;
    const done: StoredResting = { ...resting, state: "done", end, revision: 2, version: 2 };
    await writeStep(db.table, restingStep(done, resting));
    expect((await getOrder(db.table, userID, orderId)).order).toMatchObject({
      status: "expired",
      settled: true,
    });
  });
});
