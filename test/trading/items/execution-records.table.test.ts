import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Order } from "../../../lib/orders/execution.ts";
import {
  executionItems,
  readExecutions,
  saveExecution,
} from "../../../lib/trading/items/execution-records.ts";
import { readListed } from "../../../lib/trading/items/listed-executions.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { order, position } from "../../support/executions.ts";
import { itemsNamed, putItems } from "../../support/items.ts";
import { executionItem } from "../../support/stream.ts";

const db = tableForTests();

const now = new Date("2026-11-21T09:00:00.000Z");
const inAWeek = Date.parse("2026-11-28T09:00:00.000Z") / 1000;

const save = (userID: string, execution: Order) =>
  saveExecution(db.table, { userID, kind: "order", execution, now });

const ordersOf = (userID: string) => readExecutions(db.table, userID, "order");

const listOf = async (userID: string) =>
  (await readListed<Order>(db.table, { userID, kind: "order" }, { filter: {}, limit: 100 })).executions;

const kept = (userID: string, execution: Order) => expect.objectContaining({ ...execution, userID });

describe("saveExecution", () => {
  it("saves each version once", async () => {
    expect(await save("ann", order())).toBe("recorded");
    expect(await save("ann", order())).toBe("unchanged");
    expect(await save("ann", order({ amount: "99" }))).toBe("unchanged");
    expect(await ordersOf("ann")).toEqual([kept("ann", order())]);
  });

  it("replaces an order entirely with a later version, and never with an earlier one", async () => {
    const { price: _, ...market } = order({ type: "market", version: 3 });
    expect(await save("bob", order({ version: 2 }))).toBe("recorded");
    expect(await save("bob", market)).toBe("recorded");
    expect(await save("bob", order({ version: 2 }))).toBe("unchanged");
    const [found] = await ordersOf("bob");
    expect(found).toMatchObject(market);
    expect(found).not.toHaveProperty("price");
  });

  it.each(["filled", "cancelled", "rejected", "expired"] as const)(
    "lets an order that is %s expire after a week",
    async (status) => {
      const userID = randomUUID();
      await save(userID, order({ status }));
      for (const { expiresAt } of await itemsNamed(db.table, userID)) expect(expiresAt).toBe(inAWeek);
    },
  );

  it.each(["open", "partially_filled"] as const)(
    "keeps an order that is %s forever, even if it was finished before",
    async (status) => {
      const userID = randomUUID();
      await save(userID, order({ status: "filled" }));
      await save(userID, order({ status, version: 2 }));
      for (const item of await itemsNamed(db.table, userID)) expect(item).not.toHaveProperty("expiresAt");
    },
  );

  it("lists an order when it is saved, and lets the order and its list entry expire together", async () => {
    const userID = randomUUID();
    await save(userID, order());
    expect(await listOf(userID)).toEqual([kept(userID, order())]);
    await save(userID, order({ status: "filled", version: 2 }));
    expect(await listOf(userID)).toEqual([kept(userID, order({ status: "filled", version: 2 }))]);
    for (const { expiresAt } of await itemsNamed(db.table, userID)) expect(expiresAt).toBe(inAWeek);
  });

  it("lists an order only once if its engine corrects the creation time", async () => {
    const userID = randomUUID();
    const corrected = { createdAt: "2026-11-20T09:00:00.000Z" };
    expect(await save(userID, order())).toBe("recorded");
    expect(await save(userID, order({ ...corrected, version: 2 }))).toBe("recorded");
    expect(await save(userID, order({ version: 1 }))).toBe("unchanged");
    expect(await save(userID, order({ ...corrected, version: 3 }))).toBe("recorded");
    expect(await listOf(userID)).toEqual([kept(userID, order({ ...corrected, version: 3 }))]);
  });

  it("lists an order from before lists existed when its next version is saved", async () => {
    const userID = randomUUID();
    await putItems(db.table, [executionItem(userID, order())]);
    expect(await listOf(userID)).toEqual([]);
    expect(await save(userID, order({ version: 2 }))).toBe("recorded");
    expect(await listOf(userID)).toEqual([kept(userID, order({ version: 2 }))]);
  });

  it("leaves orders placed through the service unchanged", async () => {
    const userID = randomUUID();
    const own = order({ settled: false });
    const { shown } = executionItems({ userID, kind: "order", execution: own, now, lane: "eth#0x1" });
    await putItems(db.table, [{ ...shown.key, ...shown.item }]);
    expect(await save(userID, order({ version: 9 }))).toBe("not yours");
    expect(await ordersOf(userID)).toEqual([kept(userID, own)]);
    expect(await listOf(userID)).toEqual([]);
  });

  it("leaves list entries of orders placed through the service unchanged, even when the orders are no longer shown", async () => {
    const userID = randomUUID();
    const own = order({ status: "filled", settled: true });
    const { listed } = executionItems({ userID, kind: "order", execution: own, now, lane: "eth#0x1" });
    await putItems(db.table, [{ ...listed.key, ...listed.item }]);
    expect(await save(userID, order({ version: 9, filledAmount: "1000" }))).toBe("not yours");
    expect(await ordersOf(userID)).toEqual([]);
    expect(await listOf(userID)).toEqual([kept(userID, own)]);
  });

  it("keeps the greatest version, even if concurrent writes arrive out of order", async () => {
    const versions = fc.array(fc.nat({ max: 20 }), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fc.array(versions, { minLength: 1, maxLength: 3 }), async (waves) => {
        const userID = randomUUID();
        const saved: string[] = [];
        for (const wave of waves) {
          const reports = wave.map((version) => save(userID, order({ version, amount: `${version}` })));
          saved.push(...(await Promise.all(reports)));
        }
        const version = Math.max(...waves.flat());
        expect(await ordersOf(userID)).toEqual([kept(userID, order({ version, amount: `${version}` }))]);
        expect(await listOf(userID)).toEqual([kept(userID, order({ version, amount: `${version}` }))]);
        expect(saved.filter((outcome) => outcome === "recorded").length).toBeLessThanOrEqual(
          new Set(waves.flat()).size,
        );
      }),
      { numRuns: 8 },
    );
  });
});

describe("executionItems", () => {
  const items = (execution: Order, lane?: string) =>
    executionItems({ userID: "ann", kind: "order", execution, now, ...(lane && { lane }) });

  it("keeps orders placed through the service in lists forever, and shows them for a week after they are final", () => {
    const { shown, listed } = items(order({ status: "filled", settled: true }), "eth#0x1");
    expect(shown.item).toMatchObject({ expiresAt: inAWeek, lane: "eth#0x1" });
    expect(listed.item).toMatchObject({ expiresAt: undefined, lane: "eth#0x1" });
  });

  it("never expires an order that the chain may still change", () => {
    const { shown } = items(order({ status: "expired", settled: false }), "eth#0x1");
    expect(shown.item).toMatchObject({ expiresAt: undefined });
  });
});

describe("readExecutions", () => {
  it("reads only one user's executions of one kind", async () => {
    const asPosition = (userID: string, positionId: string) =>
      saveExecution(db.table, { userID, kind: "position", execution: position({ positionId }), now });
    await save("eve", order({ orderId: "o1" }));
    await save("eve", order({ orderId: "o2" }));
    await save("eve2", order({ orderId: "o3" }));
    await save("ev", order({ orderId: "o4" }));
    // An order and a position share this id.
    await asPosition("eve", "o1");
    await asPosition("eve2", "p2");
    expect(await ordersOf("eve")).toEqual([
      kept("eve", order({ orderId: "o1" })),
      kept("eve", order({ orderId: "o2" })),
    ]);
    expect(await readExecutions(db.table, "eve", "position")).toEqual([
      expect.objectContaining({ ...position({ positionId: "o1" }), userID: "eve" }),
    ]);
  });

  it("reads all open executions, and the 500 that finished last, by id", async () => {
    const userID = "busy";
    const count = 1300;
    // Distributes the most recently ended executions across all pages.
    const expiresAt = (index: number) => inAWeek - ((index * 7) % count);
    const items = Array.from({ length: count }, (_, index) => {
      const orderId = `o${String(index).padStart(4, "0")}`;
      const isOpen = index % 100 === 0;
      const item = executionItem(userID, order({ orderId, status: isOpen ? "open" : "filled" }));
      return isOpen ? item : { ...item, reason: "x".repeat(3000), expiresAt: expiresAt(index) };
    });
    // An order that has ended but is not final.
    const fresh = {
      ...executionItem(userID, order({ orderId: "o0001x", status: "expired", settled: false })),
    };
    await putItems(db.table, [...items, fresh]);
    const ended = items.filter((item) => "expiresAt" in item) as unknown as {
      SK: string;
      expiresAt: number;
    }[];
    const last = [fresh, ...ended.toSorted((a, b) => b.expiresAt - a.expiresAt).slice(0, 499)];
    const open = items.filter((item) => !("expiresAt" in item));
    const found = (await ordersOf(userID)) as unknown as { SK: string }[];
    expect(found.map(({ SK }) => SK)).toEqual([...open, ...last].map(({ SK }) => SK).sort());
  });

  it("returns an empty list for a user without executions", async () => {
    expect(await ordersOf("nobody")).toEqual([]);
  });
});
