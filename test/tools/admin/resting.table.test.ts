import { beforeEach, describe, expect, it } from "vitest";
import { restingStep } from "../../../lib/orders/resting/resting-step.ts";
import type { StoredResting } from "../../../lib/orders/resting/stored.ts";
import type { Table } from "../../../lib/table/table.ts";
import { getOrder } from "../../../lib/trading/get-order.ts";
import { cancellationKey, restingOf, triggerKey } from "../../../lib/trading/items/keys.ts";
import { writeStep } from "../../../lib/trading/items/write-step.ts";
import { listOrders } from "../../../lib/trading/list-orders.ts";
import { storedOrder } from "../../orders/resting/fixtures.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { itemsNamed, putItems } from "../../support/items.ts";
import { run } from "./support/admin.ts";
import { targetWith } from "./support/custody.ts";

const db = tableForTests();
const idOf = (n: number) => `01KAMZ3Q5T9WJ2M4N6P8V0000${n}`;
const voided = { status: "cancelled", stage: "done", settled: true, reasonCode: "MANDATE_VOID" };
const expired = { status: "expired", reasonCode: "EXPIRED" } as const;

let table: Table;
let backup: Table;
beforeEach(async () => {
  [table, backup] = await Promise.all([db.newTable(), db.newTable()]);
});

async function rest(n: number, changes: Partial<StoredResting> = {}, userID = "alice") {
  const order = { ...storedOrder({ userID, orderId: idOf(n) }), ...changes };
  await writeStep(table, restingStep(order, "absent"));
  return order;
}

const admin = (...args: string[]) => run(targetWith(table), args);
const statusOf = async (n: number, userID = "alice") => (await getOrder(table, userID, idOf(n))).order;
const listed = async () => (await listOrders(table, "alice", { limit: "20" })).orders;

describe("admin restore, with resting orders", () => {
  it.each([[], ["--exact"]])("ends resting orders, and shows them as void: --fix %s", async (...exact) => {
    const resting = await rest(1);
    const filled = await rest(2, { state: "filled" });
    await rest(4, { state: "ended", end: expired });
    await putItems(backup, await itemsNamed(table, ""));
    const end = { status: "cancelled", reasonCode: "CANCELLED_BY_USER" } as const;
    // Ends the second order after the backup, and places another one.
    await writeStep(table, restingStep({ ...filled, state: "done", end, revision: 2, version: 2 }, filled));
    await rest(3);
    const { code, out } = await admin("restore", backup.name, "--fix", "--yes", ...exact);
    expect([code, out]).toEqual([0, expect.stringContaining("ended: 2 resting orders\n")]);
    // The order that had expired settles once its children have.
    const left = { SK: expect.stringContaining(idOf(4)) };
    expect(await itemsNamed(table, "RESTING#")).toMatchObject([{ ...left, state: "ended" }]);
    expect(await itemsNamed(table, "TRIGGERS#")).toMatchObject([left]);
    expect(await itemsNamed(table, cancellationKey({ userID: "alice", orderId: idOf(4) }).SK)).toHaveLength(
      1,
    );
    expect(await itemsNamed(table, cancellationKey(resting.mandate).SK)).toHaveLength(1);
    expect(await statusOf(1)).toMatchObject({ ...voided, version: 2 });
    expect(await statusOf(2)).toMatchObject({ status: "cancelled", reasonCode: "CANCELLED_BY_USER" });
    expect(await statusOf(4)).toMatchObject({ ...expired, stage: "done", settled: false });
    const shown = (await listed()).find(({ orderId }) => orderId === idOf(1));
    expect(shown).toMatchObject(voided);
  });

  it("shows orders of a lost table as void, and puts nothing back that could fire", async () => {
    await rest(1);
    await rest(2, { state: "ended", end: expired });
    const items = await itemsNamed(table, "");
    await putItems(backup, items);
    table = await db.newTable();
    const { out } = await admin("restore", backup.name, "--fix", "--yes");
    expect(out).toContain("not restored: 2 resting orders");
    expect(await itemsNamed(table, "RESTING#")).toEqual([]);
    expect(await itemsNamed(table, "TRIGGERS#")).toEqual([]);
    expect(await listed()).toMatchObject([
      { ...voided, version: 2, attention: [] },
      { ...expired, stage: "done", settled: true, version: 2 },
    ]);
    expect(await statusOf(1)).toMatchObject(voided);
  });

  it("ends only the orders of the user who is restored", async () => {
    await rest(1);
    await rest(2, {}, "bob");
    await admin("restore", backup.name, "--fix", "--yes", "--user", "alice");
    expect(await itemsNamed(table, restingOf("alice").PK)).toEqual([]);
    expect(await itemsNamed(table, restingOf("bob").PK)).toHaveLength(1);
  });
});

describe("admin show-order", () => {
  it("shows a resting order with its firings", async () => {
    const firing = {
      n: 1,
      orderId: "C1",
      leg: "takeProfit",
      price: "2",
      block: 7,
      outcome: "failed",
    } as const;
    await rest(1, { firings: [firing] });
    const { out } = await admin("show-order", "alice", idOf(1));
    expect(out).toMatch(/^resting order\n/);
    expect(out).toMatch(/takeProfit +\{"price":"2"\}/);
    expect(out).toMatch(/firing 1\n(?: {2}.*\n)* {2}orderId +C1\n/);
  });
});

describe("admin check-resting and rebuild-triggers", () => {
  it("name and mend triggers that are missing, wrong or left over", async () => {
    const orders = [await rest(1), await rest(2), await rest(3)];
    const { mandate } = storedOrder({ userID: "alice", orderId: idOf(4) });
    await rest(4, { mandate: { ...mandate, slices: { count: 2, everySeconds: 60 } }, nextSlice: 2 });
    expect((await admin("check-resting")).out).toBe("wrong: 0\n");
    const triggers = await itemsNamed(table, "TRIGGERS#");
    const [missing, wrong, ended] = orders.map(({ mandate }) => mandate);
    if (missing === undefined || wrong === undefined || ended === undefined) throw new Error("no order");
    await writeStep(table, [{ kind: "remove", of: "trigger", item: missing }]);
    const { PK, SK } = triggerKey(wrong);
    await putItems(table, [{ ...triggers.find((item) => item.SK === SK), PK, SK, state: "filled" }]);
    await writeStep(table, [{ kind: "remove", of: "resting", item: { mandate: ended }, when: {} }]);
    const { code, out } = await admin("check-resting");
    expect(code).toBe(1);
    expect(out.split("\n").toSorted()).toEqual(
      [
        "",
        `${idOf(1)} has no trigger`,
        `${idOf(2)} has another trigger`,
        `${idOf(3)} has a trigger, but does not rest`,
        "wrong: 3",
      ].toSorted(),
    );
    expect((await admin("rebuild-triggers")).code).toBe(0);
    expect((await admin("check-resting")).out).toBe("wrong: 0\n");
    const rest2 = triggers.filter((item) => item.SK !== triggerKey(ended).SK);
    expect(await itemsNamed(table, "TRIGGERS#")).toEqual(expect.arrayContaining(rest2));
  });
});
