import { describe, expect, it } from "vitest";
import { afterFiring, afterSights, type RestingOrder } from "../../../lib/orders/resting/life.ts";
import { restingStep } from "../../../lib/orders/resting/resting-step.ts";
import { shownResting } from "../../../lib/orders/resting/shown.ts";
import { type RestingFacts, storedAfter } from "../../../lib/orders/resting/stored.ts";
import { legsOf } from "../../../lib/orders/resting/terms.ts";
import { firstMark } from "../../../lib/orders/resting/trailing.ts";
import { nowMs, storedOrder } from "./fixtures.ts";

const pair = {
  ...({ chain: "base", wallet: "0xf39F", type: "oco", side: "sell", token: "0x5FbD" } as const),
  takeProfit: { price: "0.0002" },
  stopLoss: { stopPrice: "0.00008" },
} as const;
const now = { coins: 1n, tokens: 10_000n };
const legs = legsOf(pair, 18, now);
const feesLimit = 25n * 10n ** 15n;
const order = storedOrder({ legs, amount: 5000n * 10n ** 18n, feesLimit, feesStop: feesLimit });
const newChild = { orderId: "C1", leg: 1, validUntil: nowMs / 1000 + 60, price: "0.00008", block: 7 };
const facts: RestingFacts = { feesSpent: { limit: 0n, stop: 3n }, networkFee: 3n };
const ending = { nowMs, isCancelled: true, isRetired: false, isVoid: false, isSettled: true };
const cancelled = storedAfter(
  order,
  afterSights(order, () => ({ is: "out" }), ending),
  order.facts,
  nowMs,
);

describe("shownResting", () => {
  it("shows the terms as they were given, and that nothing has happened", () => {
    expect(shownResting(order)).toMatchObject({
      ...{ type: "oco", side: "sell", status: "open", stage: "resting", settled: false },
      takeProfit: { price: "0.0002" },
      stopLoss: { stopPrice: "0.00008", price: "0.000064" },
      ...{ amount: "5000", amountToken: "0x5FbD", filledAmount: "0", version: 1 },
      ...{ maxNetworkFee: "0.05", feesSpent: { limit: "0", stop: "0" }, networkFee: "0", attention: [] },
      ...{ symbol: "CAT/ETH", clientOrderId: "key-1", expiresAt: "2026-11-29T13:00:00.000Z" },
    });
    expect(shownResting(order)).not.toHaveProperty("validUntil");
  });

  it("shows what a trailing stop follows, and the price at which it fires now", () => {
    const request = { ...pair, type: "trailing_stop", trailPercent: 12.5 } as const;
    const of = storedOrder({ legs: legsOf(request, 18, now) });
    const mark = { price: { coins: 1n, tokens: 3000n }, sinceMs: nowMs };
    const later = storedAfter({ ...of, mark: firstMark(of.mandate, now) }, { ...of, mark }, of.facts, nowMs);
    expect(shownResting(later)).toMatchObject({
      type: "trailing_stop",
      price: "0.00007",
      version: 2,
      trailing: { trailPercent: 12.5, mark: "0.000333333333333333333", stopPrice: "0.000291666666666666667" },
    });
    expect(shownResting(later)).not.toHaveProperty("stopPrice");
  });

  it("shows how many slices have filled, and when the next one is due", () => {
    const slices = { count: 3, everySeconds: 60 };
    const of = storedOrder({ legs: [{ kind: "slice", worst: now }], slices });
    expect(shownResting(of)).toMatchObject({
      type: "twap",
      price: "0.0001",
      status: "open",
      slices: 3,
      slicesDone: 0,
      nextAt: "2026-11-29T11:59:00.000Z",
    });
    const filled = afterSights(afterFiring(of, { ...newChild, leg: 0 }), () => ({ is: "filled" }), {
      ...ending,
      isCancelled: false,
    });
    const part = storedAfter(of, filled, of.facts, nowMs);
    expect(shownResting(part)).toMatchObject({ status: "partially_filled", slicesDone: 1 });
    expect(
      shownResting({ ...part, end: { status: "expired", reasonCode: "EXPIRED" }, state: "ended" }),
    ).toEqual(expect.not.objectContaining({ nextAt: expect.anything() }));
  });

  it("shows the price of a single leg, with all of its digits", () => {
    const price = `0.${"0".repeat(19)}123456789012345678901`;
    const of = { legs: legsOf({ ...pair, type: "limit", price }, 0, now) };
    const one = shownResting({ ...storedOrder(of), placed: { ...order.placed, decimals: 0 } });
    expect(one).toMatchObject({ type: "limit", price });
    const stop = { legs: legsOf({ ...pair, type: "stop", stopPrice: "3" }, 18, now) };
    const other = shownResting(storedOrder(stop));
    expect(other).toMatchObject({ type: "stop", stopPrice: "3", price: "2.4" });
  });

  it("shows what keeps an order from firing only while it is open", () => {
    const attention = { PRICE_BEYOND_WORST: { sinceMs: nowMs } };
    const since = new Date(nowMs).toISOString();
    const noted = { ...order, attention };
    const of = (moved: RestingOrder) => shownResting(storedAfter(order, moved, order.facts, nowMs)).attention;
    expect(of(noted)).toEqual([{ code: "PRICE_BEYOND_WORST", since }]);
    const fired = afterFiring(noted, newChild);
    const alive = { ...ending, isCancelled: false, isSettled: false };
    expect(of(afterSights(fired, () => ({ is: "filled" }), alive))).toEqual([]);
    expect(of(afterSights(noted, () => ({ is: "out" }), ending))).toEqual([]);
  });

  it("shows the child's fill and the fees of all children", () => {
    const fill = { spent: 10n ** 18n, received: 8n * 10n ** 13n, txHash: "0x1" };
    const fired = afterFiring(order, newChild);
    const sight = { is: "filled" } as const;
    const done = afterSights(fired, () => sight, { ...ending, isCancelled: false });
    expect(shownResting(storedAfter(order, done, { ...facts, fill }, nowMs + 1))).toMatchObject({
      ...{ status: "filled", stage: "done", settled: true, txHash: "0x1", childOrderId: "C1" },
      ...{ filledAmount: "1", receivedAmount: "0.00008", averagePrice: "0.00008" },
      ...{ networkFee: "0.000000000000000003", updatedAt: new Date(nowMs + 1).toISOString() },
    });
  });

  it("shows that an order has ended before its child has settled", () => {
    const fired = afterFiring(order, newChild);
    const sight = { is: "dead", outcome: "failed" } as const;
    const ended = afterSights(fired, () => sight, { ...ending, isSettled: false });
    expect(shownResting(storedAfter(order, ended, facts, nowMs))).toMatchObject({
      status: "cancelled",
      stage: "done",
      settled: false,
      reasonCode: "CANCELLED_BY_USER",
      attention: [],
    });
  });

  it("shows why an order ended", () => {
    expect(shownResting(cancelled)).toMatchObject({
      ...{ status: "cancelled", stage: "done", settled: true, reasonCode: "CANCELLED_BY_USER" },
      reason: "You cancelled the order",
    });
  });
});

describe("storedAfter", () => {
  it("raises the version once, whether the order, the facts or both have changed", () => {
    const fired = afterFiring(order, newChild);
    expect(storedAfter(order, fired, order.facts, nowMs)).toMatchObject({ version: 2, revision: 2 });
    expect(storedAfter(order, fired, facts, nowMs)).toMatchObject({ version: 2, facts });
    const unseen = { ...order, seen: { leg: 1, n: 1, sinceMs: 0, lastMs: 0 } };
    expect(storedAfter(order, unseen, facts, nowMs)).toMatchObject({ version: 2, revision: 2 });
    expect(storedAfter(order, unseen, order.facts, nowMs + 1)).toMatchObject({
      version: 1,
      updatedAt: order.updatedAt,
    });
    const noted = { ...order, attention: { NO_ROUTE: { sinceMs: nowMs } } };
    expect(storedAfter(order, noted, order.facts, nowMs).version).toBe(2);
  });

  it("raises the stored version, also if the order was read before it rose", () => {
    const seen = { leg: 1, n: 1, sinceMs: 0, lastMs: 0 };
    const read = { ...order, seen };
    const known = storedAfter(order, read, facts, nowMs);
    expect(storedAfter(known, { ...read, seen: { ...seen, n: 2 } }, facts, nowMs).version).toBe(2);
    expect(storedAfter(known, afterFiring(read, newChild), facts, nowMs).version).toBe(3);
  });

  it("never dates a change before the previous one", () => {
    expect(storedAfter(order, afterFiring(order, newChild), facts, nowMs - 5).updatedAt).toBe(
      order.updatedAt,
    );
  });
});

describe("restingStep", () => {
  const trigger = { token: "0x5FbD", userID: "alice", legs, amount: 5000n * 10n ** 18n, state: "resting" };

  it("writes an order with its trigger", () => {
    expect(restingStep(order, "absent")).toEqual([
      { kind: "put", of: "resting", item: order, when: "absent" },
      { kind: "put", of: "trigger", item: expect.objectContaining(trigger) },
    ]);
  });

  it("removes order and trigger once the order has ended, and keeps the order", () => {
    expect(restingStep(cancelled, order)).toEqual([
      { kind: "remove", of: "resting", item: cancelled, when: { revision: 1, version: 1 } },
      { kind: "remove", of: "trigger", item: expect.objectContaining({ orderId: order.mandate.orderId }) },
      { kind: "put", of: "rested", item: cancelled },
    ]);
  });

  it("gives a trigger no field that lets the table delete it", () => {
    expect(restingStep(order, "absent")[1]?.item).not.toHaveProperty("expiresAt");
  });
});
