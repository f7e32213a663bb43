import { describe, expect, it } from "vitest";
import { shownOrder } from "../../lib/orders/trade-order.ts";
import { getOrder } from "../../lib/trading/get-order.ts";
import { saveExecution } from "../../lib/trading/items/execution-records.ts";
import { writeStep } from "../../lib/trading/items/write-step.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { order } from "../support/executions.ts";
import { newOrder, placing } from "../support/placed-orders.ts";

const db = tableForTests();
const now = new Date("2026-11-21T09:00:00.000Z");
const notFound = { code: "ORDER_NOT_FOUND", details: undefined };

describe("getOrder", () => {
  it("returns no transactions for an order of another engine", async () => {
    await saveExecution(db.table, { userID: "ann", kind: "order", execution: order(), now });
    expect(await getOrder(db.table, "ann", "o1")).toMatchObject({ order: order(), attempts: [] });
  });

  it("returns an order placed through the service with its transactions, but without their signed bytes", async () => {
    const placed = newOrder();
    const { userID, orderId, chain, wallet } = placed.intent;
    const attempt = {
      purpose: "swap",
      hash: "0x9c",
      gasLimit: 21_000n,
      maxFeePerGas: 2_000_000_000n,
      maxPriorityFeePerGas: 1n,
      signedAtMs: 1,
    } as const;
    const call = { purpose: "approve", token: "0x1", router: "0x2", amount: 1n } as const;
    const fees = { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n };
    const common = { chain, wallet, place: 0, orderId, userID, state: "signed", call, fees } as const;
    const slot = { ...common, gasLimit: 1n, isPrivate: false, attempts: [attempt], revision: 1 };
    const bytes = { chain, wallet, hash: attempt.hash, raw: "0xsigned", expiresAt: 4_000_000_000 };
    await writeStep(db.table, [
      ...placing(placed),
      { kind: "put", of: "slot", item: slot, when: "absent" },
      { kind: "put", of: "bytes", item: bytes },
    ]);
    const found = await getOrder(db.table, userID, orderId);
    expect(found).toMatchObject({
      order: shownOrder(placed),
      attempts: [{ attempt: 1, purpose: "swap", txHash: "0x9c", maxFeePerGas: "2", outcome: "pending" }],
    });
    expect(JSON.stringify(found)).not.toContain(bytes.raw);
  });

  it("finds neither another user's order nor a missing one", async () => {
    await saveExecution(db.table, { userID: "bob", kind: "order", execution: order(), now });
    const placed = newOrder();
    await writeStep(db.table, placing(placed));
    await expect(getOrder(db.table, "eve", "o1")).rejects.toMatchObject(notFound);
    await expect(getOrder(db.table, "eve", placed.intent.orderId)).rejects.toMatchObject(notFound);
    await expect(getOrder(db.table, "bob", "o2")).rejects.toMatchObject(notFound);
  });
});
