import { describe, expect, it } from "vitest";
import { landingsIn } from "../../../../lib/chains/sol/rules/landings.ts";
import type { SolSlot } from "../../../../lib/chains/sol/rules/slot.ts";
import { orderStep, settleStep } from "../../../../lib/orders/lane-steps.ts";
import { attemptOf, failed, filled, orderOf, slotOf, stateOf, viewOf } from "../fixtures.ts";

const clear = attemptOf("c", { purpose: "clear" });

/** Returns the counts from the step that settles an order with these messages. */
function settled(...slots: SolSlot[]) {
  const order = orderOf();
  return landingsIn(settleStep(stateOf({ view: viewOf({ slots }) }), order, order.life));
}

describe("landingsIn", () => {
  it("counts a message that failed in a block as landed, and a lapsed one only as signed", () => {
    const attempts = ["a", "b", "d"].map((hash) => attemptOf(hash));
    const slot = slotOf({ state: "mined", attempts, receipts: [failed("a"), filled("b")] });
    expect(settled(slot)).toEqual([{ path: "public", signed: 3, landed: 2 }]);
  });

  it("counts messages through a relay, and clears, separately", () => {
    const slot = slotOf({ isPrivate: true, attempts: [attemptOf("a"), clear], receipts: [filled("c")] });
    expect(settled(slot)).toEqual([
      { path: "private", signed: 1, landed: 0 },
      { path: "clear", signed: 1, landed: 1 },
    ]);
  });

  it("counts nothing for an order without signed messages", () => {
    expect(settled()).toEqual([]);
  });

  it("counts nothing in a step that does not settle the order", () => {
    const slot = slotOf({ state: "mined", receipts: [filled("a")] });
    const order = orderOf();
    const step = orderStep(stateOf({ view: viewOf({ slots: [slot] }) }), order, { life: order.life });
    expect(landingsIn(step)).toEqual([]);
  });
});
