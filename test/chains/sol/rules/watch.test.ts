import { describe, expect, it } from "vitest";
import type { SolSlot } from "../../../../lib/chains/sol/rules/slot.ts";
import { solSlots } from "../../../../lib/chains/sol/rules/slot-rules.ts";
import { watchFor } from "../../../../lib/orders/lane-watch.ts";
import { unstarted } from "../../../../lib/orders/trade-order.ts";
import { attemptOf, filled, nowMs, orderOf, slotOf, viewOf } from "../fixtures.ts";

const dueAt = (slots: readonly SolSlot[], order = orderOf(), atMs = nowMs) =>
  watchFor(viewOf({ slots, orders: [order] }), solSlots, atMs).dueAtMs;

const expired = orderOf({ life: { ...unstarted, status: "expired", stage: "done" } });

describe("watches of lanes on Solana", () => {
  it("runs a lane every two seconds while a message may land, but every minute after ten minutes", () => {
    const ageMs = 10 * 60_000;
    expect(dueAt([slotOf()])).toBe(nowMs + 2000);
    expect(dueAt([slotOf()], orderOf(), nowMs + ageMs - 1)).toBe(nowMs + ageMs + 1999);
    expect(dueAt([slotOf()], orderOf(), nowMs + ageMs)).toBe(nowMs + ageMs + 60_000);
  });

  it("runs a lane soon if an order has no messages, or only lapsed ones", () => {
    const lapsed = slotOf({ state: "lapsed" });
    expect(dueAt([])).toBe(nowMs + 5000);
    expect(dueAt([lapsed])).toBe(nowMs + 5000);
    expect(dueAt([lapsed], expired)).toBe(nowMs + 5000);
    expect(dueAt([], expired)).toBeUndefined();
  });

  it("waits until a fill's block is final, and for the blocks of all other messages", () => {
    const filling = orderOf({ life: { ...unstarted, status: "filled", stage: "done" } });
    const mined = slotOf({ state: "mined", receipts: [filled("a")] });
    const watch = watchFor(viewOf({ slots: [mined], orders: [filling] }), solSlots, nowMs);
    expect(watch).toMatchObject({ finalFrom: 120, blocks: { a: { number: 120, hash: "120" } } });
    expect(watch.dueAtMs).toBeUndefined();
    const two = slotOf({ attempts: [attemptOf("a"), attemptOf("b")] });
    expect(watchFor(viewOf({ slots: [two] }), solSlots, nowMs).blocks).toEqual({ a: "", b: "" });
  });
});
