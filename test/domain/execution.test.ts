import { describe, expect, it } from "vitest";
import { expiryOf, idOf, isOpen, orderStatuses, positionStatuses } from "../../lib/domain/execution.ts";
import { order, position } from "../support/executions.ts";

const now = new Date("2026-11-21T09:00:00.999Z");
const inAWeek = Date.parse("2026-11-28T09:00:00.000Z") / 1000;

describe("an execution", () => {
  it("is named by its own id", () => {
    expect(idOf(order({ orderId: "o7" }))).toBe("o7");
    expect(idOf(position({ positionId: "p7" }))).toBe("p7");
  });

  it("is open as long as more can come of it", () => {
    const open = orderStatuses.filter((status) => isOpen(order({ status })));
    expect(open).toEqual(["open", "partially_filled"]);
    expect(positionStatuses.filter((status) => isOpen(position({ status })))).toEqual(["open"]);
  });

  it("is shown for a week after its end, in whole seconds, and before that without end", () => {
    expect(expiryOf(order({ status: "filled" }), now)).toBe(inAWeek);
    expect(expiryOf(position({ status: "closed" }), now)).toBe(inAWeek);
    expect(expiryOf(order({ status: "partially_filled" }), now)).toBeUndefined();
    expect(expiryOf(position({ status: "open" }), now)).toBeUndefined();
  });
});
