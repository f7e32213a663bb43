import { describe, expect, it } from "vitest";
import { afterEvent, type BookEvent, isDust, nothingHeld } from "../../lib/orders/holding.ts";

const common = { orderId: "o", settled: true, time: "2026-11-21T20:00:00.000Z", networkFee: 0n } as const;
const buys = (received: bigint): BookEvent => ({ ...common, kind: "buy", place: 1, spent: 10n, received });
const sells = (spent: bigint): BookEvent => ({
  ...common,
  kind: "sell",
  place: 2,
  spent,
  received: 1n,
  held: 10_000n,
});
const after = (...events: BookEvent[]) =>
  events.reduce((held, event) => afterEvent(held, event, 1), nothingHeld);

describe("isDust", () => {
  it.each<[string, boolean, BookEvent[]]>([
    ["nothing was sold", false, [buys(10_000n)]],
    ["a thousandth is left", false, [buys(10_000n), sells(9_990n)]],
    ["less is left", true, [buys(10_000n), sells(9_991n)]],
    ["less was left, and more was bought", false, [buys(10_000n), sells(9_991n), buys(1n)]],
    ["less is left of two buys", true, [buys(4_000n), buys(6_000n), sells(9_991n)]],
    ["a small position follows a closed one", false, [buys(10_000n), sells(10_000n), buys(9n)]],
  ])("if %s, returns %s", (_, expected, events) => {
    expect(isDust(after(...events))).toBe(expected);
  });
});
