import { randomUUID } from "node:crypto";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { readExecutions, saveExecution } from "../../lib/aws/execution-records.ts";
import type { Order } from "../../lib/domain/execution.ts";
import { executionRecorder } from "../../lib/realtime/record-executions.ts";
import { register } from "../../lib/users/register.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { order, position } from "../support/executions.ts";

const db = tableForTests();

const now = new Date("2026-11-21T09:00:00.000Z");
const inAWeek = Date.parse("2026-11-28T09:00:00.000Z") / 1000;

const save = (userID: string, execution: Order) =>
  saveExecution(db.table, { userID, kind: "order", execution, now });

const ordersOf = (userID: string) => readExecutions(db.table, userID, "order");

/** What the table adds to an order of a user. */
const kept = (userID: string, execution: Order) => expect.objectContaining({ ...execution, userID });

describe("an order", () => {
  it("is kept once, however often it is reported", async () => {
    expect(await save("ann", order())).toBe(true);
    expect(await save("ann", order())).toBe(false);
    expect(await save("ann", order({ amount: "99" }))).toBe(false);
    expect(await ordersOf("ann")).toEqual([kept("ann", order())]);
  });

  it("is replaced as a whole by a later version, and never by an earlier one", async () => {
    const { price: _, ...market } = order({ type: "market", version: 3 });
    expect(await save("bob", order({ version: 2 }))).toBe(true);
    expect(await save("bob", market)).toBe(true);
    expect(await save("bob", order({ version: 2 }))).toBe(false);
    const [found] = await ordersOf("bob");
    expect(found).toMatchObject(market);
    expect(found).not.toHaveProperty("price");
  });

  it.each(["filled", "cancelled", "rejected", "expired"] as const)(
    "that is %s goes after a week",
    async (status) => {
      const userID = randomUUID();
      await save(userID, order({ status }));
      expect(await ordersOf(userID)).toEqual([expect.objectContaining({ expiresAt: inAWeek })]);
    },
  );

  it.each(["open", "partially_filled"] as const)(
    "that is %s stays, also after it was over",
    async (status) => {
      const userID = randomUUID();
      await save(userID, order({ status: "filled" }));
      await save(userID, order({ status, version: 2 }));
      expect((await ordersOf(userID))[0]).not.toHaveProperty("expiresAt");
    },
  );

  it("has its greatest version in the end, in whatever order and company versions arrive", async () => {
    const versions = fc.array(fc.nat({ max: 20 }), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fc.array(versions, { minLength: 1, maxLength: 3 }), async (waves) => {
        const userID = randomUUID();
        const saved: boolean[] = [];
        for (const wave of waves) {
          const reports = wave.map((version) => save(userID, order({ version, amount: `${version}` })));
          saved.push(...(await Promise.all(reports)));
        }
        const version = Math.max(...waves.flat());
        expect(await ordersOf(userID)).toEqual([kept(userID, order({ version, amount: `${version}` }))]);
        expect(saved.filter(Boolean).length).toBeLessThanOrEqual(new Set(waves.flat()).size);
      }),
      { numRuns: 15 },
    );
  });
});

describe("the executions of a user", () => {
  it("are read by their kind, and nobody else's with them", async () => {
    const asPosition = (userID: string, positionId: string) =>
      saveExecution(db.table, { userID, kind: "position", execution: position({ positionId }), now });
    await save("eve", order({ orderId: "o1" }));
    await save("eve", order({ orderId: "o2" }));
    await save("eve2", order({ orderId: "o3" }));
    await save("ev", order({ orderId: "o4" }));
    // The same id, once of each kind.
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

  it("are none of a user who has none", async () => {
    expect(await ordersOf("nobody")).toEqual([]);
  });
});

describe("what an engine reports", () => {
  const reported = (userID: string, changes: Partial<Order> = {}) =>
    ({ userID, kind: "order", execution: order(changes) }) as const;

  it("is recorded once for who has signed in, and stays what it is when it comes again", async () => {
    await register(db.table, { userID: "kim", names: [], ref: undefined }, now);
    const record = executionRecorder(db.table, now);
    expect(await record(reported("kim", { version: 2 }))).toBe("recorded");
    expect(await record(reported("kim", { version: 2 }))).toBe("unchanged");
    expect(await record(reported("kim", { version: 1, amount: "99" }))).toBe("unchanged");
    expect(await record(reported("kim", { version: 3 }))).toBe("recorded");
    expect(await ordersOf("kim")).toEqual([kept("kim", order({ version: 3 }))]);
  });

  it("of nobody who has is not recorded", async () => {
    expect(await executionRecorder(db.table, now)(reported("stranger"))).toBe("unknown user");
    expect(await ordersOf("stranger")).toEqual([]);
  });

  it("has each of its users looked up once", async () => {
    for (const userID of ["lea", "max"]) await register(db.table, { userID, names: [], ref: undefined }, now);
    const send = vi.spyOn(db.table.client, "send");
    const record = executionRecorder(db.table, now);
    const reports = ["o1", "o2", "o3"].flatMap((orderId) => [
      reported("lea", { orderId }),
      reported("max", { orderId }),
    ]);
    await Promise.all(reports.map(record));
    expect(send.mock.calls.filter(([command]) => (command as object) instanceof GetCommand)).toHaveLength(2);
    send.mockRestore();
    expect(await ordersOf("lea")).toHaveLength(3);
    expect(await ordersOf("max")).toHaveLength(3);
  });
});
