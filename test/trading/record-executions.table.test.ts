import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it, vi } from "vitest";
import { orderIdFor } from "../../lib/core/record-ids.ts";
import type { Order } from "../../lib/orders/execution.ts";
import { readExecutions } from "../../lib/trading/items/execution-records.ts";
import { executionRecorder } from "../../lib/trading/record-executions.ts";
import { profileKey } from "../../lib/users/item-keys.ts";
import { remainsOf } from "../../lib/users/profile.ts";
import { register } from "../../lib/users/register.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { order } from "../support/executions.ts";
import { putItems } from "../support/items.ts";

const db = tableForTests();

const now = new Date("2026-11-21T09:00:00.000Z");

const ordersOf = (userID: string) => readExecutions(db.table, userID, "order");

describe("executionRecorder", () => {
  const reported = (userID: string, changes: Partial<Order> = {}) =>
    ({ userID, kind: "order", execution: order(changes) }) as const;

  it("records each version of an order once", async () => {
    await register(db.table, { userID: "kim", names: [], ref: undefined }, now);
    const record = executionRecorder(db.table, now);
    expect(await record(reported("kim", { version: 2 }))).toBe("recorded");
    expect(await record(reported("kim", { version: 2 }))).toBe("unchanged");
    expect(await record(reported("kim", { version: 1, amount: "99" }))).toBe("unchanged");
    expect(await record(reported("kim", { version: 3 }))).toBe("recorded");
    expect(await ordersOf("kim")).toEqual([
      expect.objectContaining({ ...order({ version: 3 }), userID: "kim" }),
    ]);
  });

  it("records nothing for a user who has never signed in", async () => {
    expect(await executionRecorder(db.table, now)(reported("stranger"))).toBe("unknown user");
    expect(await ordersOf("stranger")).toEqual([]);
  });

  it("records nothing for a user who was deleted", async () => {
    const remains = remainsOf({ userID: "gone", pseudonym: "p-1" }, now);
    await putItems(db.table, [{ ...profileKey("gone"), ...remains }]);
    expect(await executionRecorder(db.table, now)(reported("gone"))).toBe("unknown user");
    expect(await ordersOf("gone")).toEqual([]);
  });

  it("rejects order ids in the service's own format, because later orders may get them", async () => {
    await register(db.table, { userID: "nia", names: [], ref: undefined }, now);
    const record = executionRecorder(db.table, now);
    expect(await record(reported("nia", { orderId: orderIdFor("nia", "k-1", now) }))).toBe("not yours");
    expect(await record(reported("nia", { orderId: "01kamz3q5t9wj2m4n6p8r0s1v3" }))).toBe("recorded");
    expect(await ordersOf("nia")).toHaveLength(1);
  });

  it("looks up each user only once", async () => {
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
