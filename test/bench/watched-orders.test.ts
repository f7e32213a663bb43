import { expect, it } from "vitest";
import type { OrderCalls } from "./order-calls.ts";
import { watchOrders } from "./watched-orders.ts";

const counts = (units: number) => ({ requests: 3, calls: 10, units });
const calls: OrderCalls = {
  quote: counts(1),
  unsent: counts(10),
  sent: counts(100),
  mined: counts(1000),
};

it("counts both hosts' requests for an order from the quote to its final outcome", async () => {
  const finality = { lateSeconds: 360, jumpSeconds: 30 };
  const report = await watchOrders({ chain: "base", lanes: 20, finality, calls });
  expect(report.orders).toBeGreaterThan(3);
  // The order becomes final after more than five minutes, when only the sweep still looks for that.
  expect(report.runs).toEqual({ "the swap": 1, "the fill": 1, "the sweep's runs": 0, "the end": 1 });
  const units = Object.values(report.perOrder).map((each) => each.units);
  const receipts = report.perOrder["the reader"].calls;
  expect(units).toEqual([2, 80, 2000, 0, 2000, 20 * receipts]);
  // The reader requests a receipt only until the transaction is known to be mined, and the sweep requests the block's
  // header.
  expect(receipts).toBeGreaterThanOrEqual(1);
  expect(receipts).toBeLessThanOrEqual(6);
  // The reader looks at base every second.
  expect(report.shared.requests).toBeGreaterThan(50);
  expect(report.shared.requests).toBeLessThanOrEqual(60);
  expect(Math.max(...report.fills.usual, ...report.fills.afterJump)).toBeLessThan(3000);
});
