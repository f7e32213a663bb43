import { expect, it } from "vitest";
import { restingStep } from "../../../lib/orders/resting/resting-step.ts";
import { readTriggers } from "../../../lib/trading/items/triggers.ts";
import { writeStep } from "../../../lib/trading/items/write-step.ts";
import { storedOrder } from "../../orders/resting/fixtures.ts";
import { tableForTests } from "../../support/dynamodb.ts";

const db = tableForTests();

it("reads an order of a lost table as ended, so that it is looked at before its price comes", async () => {
  const order = storedOrder();
  const { orderId } = order.mandate;
  await writeStep(db.table, restingStep(order, "absent"));
  const stateIn = async (id: string) => {
    const rows = await readTriggers({ ...db.table, id }, "base");
    return rows.find((row) => row.orderId === orderId)?.state;
  };
  expect(await stateIn(order.tableId)).toBe("resting");
  expect(await stateIn("restored")).toBe("ended");
});
