import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { fireRequest, wordOf } from "../../../lib/orders/resting/hand-over.ts";
import type { StoredResting } from "../../../lib/orders/resting/stored.ts";
import { mandate, nowMs, storedOrder } from "./fixtures.ts";

const resting = (changes: Partial<StoredResting> = {}): StoredResting => ({ ...storedOrder(), ...changes });

const movedAgo = (secondsAgo: number, state: StoredResting["state"] = "filled") =>
  resting({ state, updatedAt: new Date(nowMs - secondsAgo * 1000).toISOString() });

/** Slices of a minute each. The first was due some seconds ago, when the order has moved. */
const sliced = (secondsAgo: number, state: StoredResting["state"] = "resting", nextSlice = 1) => ({
  ...movedAgo(secondsAgo, state),
  mandate: mandate({ slices: { count: 3, everySeconds: 60 }, createdAt: nowMs - secondsAgo * 1000 }),
  nextSlice,
});

const legs = (...afterMs: number[]) => afterMs.map((ms) => ({ tries: 1, nextAtMs: nowMs + ms }));

describe("wordOf", () => {
  it.each<[string, StoredResting | undefined, string, number]>([
    ["an order that rests", resting(), "rest", 3000],
    ["one whose legs all pause", resting({ legs: legs(20_000, 9000) }), "rest", 9000],
    ["one of whose legs may fire", resting({ legs: legs(20_000, 0) }), "rest", 3000],
    [
      "one that needs more readings",
      resting({ seen: { leg: 1, n: 1, sinceMs: nowMs - 15_000, lastMs: nowMs - 15_000 } }),
      "rest",
      2500,
    ],
    [
      "one whose last reading is too old for a further one",
      resting({ seen: { leg: 1, n: 1, sinceMs: nowMs - 15_001, lastMs: nowMs - 15_001 } }),
      "rest",
      3000,
    ],
    ["one with a child that is out", resting({ state: "firing" }), "out", 2000],
    ["one whose fill is new", movedAgo(0), "out", 2000],
    ["one that has filled a while ago", movedAgo(9), "out", 9000],
    ["one that has filled minutes ago", movedAgo(300), "out", 60_000],
    ["one that has ended a while ago", movedAgo(9, "ended"), "rest", 9000],
    ["one with slices that has ended a while ago", sliced(58, "ended", 2), "rest", 58_000],
    ["one whose next slice is due later", sliced(1, "resting", 2), "rest", 59_000],
    ["an order whose slice has just been due", sliced(0), "rest", 2000],
    ["one whose slice has waited for a while", sliced(9), "rest", 9000],
    ["one whose slice has waited until its turn is nearly over", sliced(57), "rest", 3000],
    ["one whose slices have filled a while ago", sliced(9, "firing", 2), "out", 9000],
    ["one whose next slice is due before that", sliced(58, "firing", 2), "out", 2000],
    ["one that is done", resting({ state: "done" }), "rest", 300_000],
    ["one that is not in the table", undefined, "rest", 300_000],
    ["an exit whose buy has not filled", resting({ state: "pending" }), "rest", 2000],
    ["an exit that is suspended", resting({ state: "suspended" }), "rest", 300_000],
  ])("says when to hand over %s again", (_, order, state, askAgainMs) => {
    expect(wordOf(order, nowMs)).toEqual({ state, askAgainMs });
  });
});

describe("wordOf an exit that rests", () => {
  it.each([
    [false, 9, 9000],
    [true, 9, 300_000],
  ])(
    "says when to look at its buy and its position again if the buy is final: %s",
    (isFinal, ago, lookAgainMs) => {
      const entry = { spent: 1n, received: 1n, amount: 1n, endsAt: 1, positionId: "P", bought: 0, isFinal };
      expect(wordOf({ ...movedAgo(ago, "resting"), entry }, nowMs)).toMatchObject({
        askAgainMs: 3000,
        lookAgainMs,
      });
    },
  );
});

describe("wordOf an order that waits for others", () => {
  it("asks for it again as soon as for a further reading, without growing pauses", () => {
    expect(wordOf(resting(), nowMs, true)).toEqual({ state: "rest", askAgainMs: 2500 });
    expect(wordOf(resting({ state: "firing" }), nowMs, true)).toEqual({ state: "out", askAgainMs: 2000 });
  });
});

describe("fireRequest", () => {
  const order = { orderId: "0".repeat(26), userID: "alice", wallet: "0x1" };
  const request = { chain: "eth", token: "0x2", orders: [order] };

  it("accepts 48 orders of a token", () => {
    expect(v.is(fireRequest, { ...request, orders: Array(48).fill(order) })).toBe(true);
  });

  it.each([
    { ...request, orders: Array(49).fill(order) },
    { ...request, chain: "polygon" },
    { ...request, price: "1" },
    { ...request, orders: [{ ...order, orderId: "P#1" }] },
    { ...request, orders: [{ ...order, leg: 1 }] },
    undefined,
  ])("rejects %j", (payload) => {
    expect(v.is(fireRequest, payload)).toBe(false);
  });
});
