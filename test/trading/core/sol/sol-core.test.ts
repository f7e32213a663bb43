import { describe, expect, it } from "vitest";
import { solCore } from "../../../../lib/trading/core/sol/sol-core.ts";
import { orderOf, stateOf, viewOf } from "./sol-fixtures.ts";

describe("the end of an order without messages", () => {
  it.each([
    ["a cancellation", viewOf({ cancelled: new Set(["order1"]) })],
    ["a stop of trading", viewOf({ isStopped: true })],
    ["the deadline", viewOf({ orders: [orderOf({}, { validUntil: 1 })] })],
  ])("by %s is written only if the signer has recorded nothing", (_, view) => {
    const move = solCore.nextMove(stateOf({ view }));
    const unsigned = { kind: "check", of: "ledger", item: { orderId: "order1" }, when: "absent" };
    expect(move).toMatchObject({ kind: "write", step: expect.arrayContaining([unsigned]) });
  });
});
