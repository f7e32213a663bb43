import { describe, expect, it } from "vitest";
import { orderStatuses } from "../../lib/core/execution-words.ts";
import { expiryOf, idOf, isOpen, positionStatuses } from "../../lib/orders/execution.ts";
import { order, position } from "../support/executions.ts";

const now = new Date("2026-11-21T09:00:00.999Z");
const inAWeek = Date.parse("2026-11-28T09:00:00.000Z") / 1000;

describe("idOf", () => {
  it("returns the id of an order or a position", () => {
    expect(idOf(order({ orderId: "o7" }))).toBe("o7");
    expect(idOf(position({ positionId: "p7" }))).toBe("p7");
  });
});

describe("isOpen", () => {
  it("returns true while an order or position can still change", () => {
    const open = orderStatuses.filter((status) => isOpen(order({ status })));
    expect(open).toEqual(["open", "partially_filled"]);
    expect(positionStatuses.filter((status) => isOpen(position({ status })))).toEqual(["open"]);
  });
});

describe("expiryOf", () => {
  it("returns the time a week after the end of an execution, in whole seconds, and undefined for an open one", () => {
    expect(expiryOf(order({ status: "filled" }), now)).toBe(inAWeek);
    expect(expiryOf(position({ status: "closed" }), now)).toBe(inAWeek);
    expect(expiryOf(order({ status: "partially_filled" }), now)).toBeUndefined();
    expect(expiryOf(position({ status: "open" }), now)).toBeUndefined();
  });
});
