import { describe, expect, it } from "vitest";
import type { Sol } from "../../../../lib/chains/sol/rules/family.ts";
import type { SolSnapshots } from "../../../../lib/chains/sol/rules/host-snapshot.ts";
import { isDecided, isTooLate, slotOfOrder, solLifeOf } from "../../../../lib/chains/sol/rules/order-life.ts";
import type { SolSlot } from "../../../../lib/chains/sol/rules/slot.ts";
import { type TradeOrder, unstarted } from "../../../../lib/orders/trade-order.ts";
import {
  attemptOf,
  bothHosts,
  failed,
  filled,
  nowMs,
  orderOf,
  slotOf,
  snapshotOf,
  viewOf,
} from "../fixtures.ts";

const endMs = nowMs + 60_000;
const clear = attemptOf("c", { purpose: "clear" });
const three = ["a", "b", "c"].map((hash) => attemptOf(hash));

const lifeAt = (
  order: TradeOrder<Sol>,
  slots: readonly SolSlot[],
  snapshots: SolSnapshots,
  atMs: number,
  orders = [order],
) => solLifeOf(order, slots, { snapshots, nowMs: atMs, view: viewOf({ orders, slots }) });

const lifeOf = (slot: SolSlot | undefined, order: TradeOrder<Sol> = orderOf(), atMs = nowMs) =>
  lifeAt(order, slot ? [slot] : [], bothHosts(), atMs);

const cancelling = orderOf({ isCancelling: true });
const waiting = orderOf({ life: { ...unstarted, stage: "waiting", reasonCode: "POLICY_LIMIT" } });

describe("solLifeOf", () => {
  it("leaves an order without messages unchanged", () => {
    expect(lifeOf(undefined)).toEqual(unstarted);
    expect(lifeOf(undefined, waiting)).toEqual(waiting.life);
  });

  it("reports a fill with the fees and rents of all messages", () => {
    const receipts = [failed("a"), filled("b", { tip: 7n })];
    const attempts = [attemptOf("a"), attemptOf("b")];
    expect(lifeOf(slotOf({ state: "mined", attempts, receipts }))).toEqual({
      status: "filled",
      stage: "done",
      settled: false,
      txHash: "b",
      networkFee: 50_000n,
      rent: 897_840n,
      spent: 1_000_000n,
      received: 90n,
    });
  });

  it("reports that a message is on its way, and whether a cancellation competes with it", () => {
    expect(lifeOf(slotOf())).toMatchObject({ status: "open", stage: "sent", spent: 0n, txHash: "a" });
    expect(lifeOf(slotOf(), cancelling)).toMatchObject({ status: "open", stage: "cancelling" });
  });

  it("reports the chain as unavailable only if both hosts are silent", () => {
    const at = (...hosts: SolSnapshots) => lifeAt(orderOf(), [slotOf()], hosts, nowMs);
    expect(at(undefined, undefined)).toMatchObject({ stage: "sent", reasonCode: "CHAIN_UNAVAILABLE" });
    expect(at(undefined, snapshotOf())).not.toHaveProperty("reasonCode");
  });

  it.each([
    ["CHAIN_UNAVAILABLE", slotOf({ isUndelivered: true })],
    ["RELAY_UNAVAILABLE", slotOf({ isUndelivered: true, isPrivate: true })],
    [
      "CHAIN_UNAVAILABLE",
      slotOf({ isUndelivered: true, isPrivate: true, attempts: [three[0] ?? clear, clear] }),
    ],
  ] as const)("waits with the reason %s while no host accepts the newest message", (reasonCode, slot) => {
    expect(lifeOf(slot)).toMatchObject({ status: "open", stage: "waiting", reasonCode });
    expect(lifeOf(slot, cancelling)).toMatchObject({ stage: "cancelling", reasonCode });
  });

  it("ends an order when its clear takes effect", () => {
    const slot = slotOf({ state: "mined", attempts: [attemptOf("a"), clear], receipts: [filled("c")] });
    expect(lifeOf(slot, cancelling)).toMatchObject({ status: "cancelled", spent: 0n, txHash: "a" });
    expect(lifeOf(slot)).toMatchObject({ status: "expired", reasonCode: "NOT_INCLUDED" });
  });

  it("continues after a lapsed message, until the deadline or the last attempt", () => {
    const lapsed = slotOf({ state: "lapsed" });
    expect(lifeOf(lapsed, orderOf(), endMs - 1)).toMatchObject({ status: "open", stage: "queued" });
    expect(lifeOf(lapsed, orderOf(), endMs)).toMatchObject({ status: "expired", reasonCode: "NOT_INCLUDED" });
    expect(lifeOf({ ...lapsed, attempts: three })).toMatchObject({ status: "expired" });
    expect(lifeOf(lapsed, cancelling)).toMatchObject({ status: "cancelled" });
  });

  it("keeps the reason for waiting until the order ends", () => {
    expect(lifeOf(slotOf({ state: "lapsed" }), waiting, endMs)).toMatchObject({ reasonCode: "POLICY_LIMIT" });
  });

  it.each([
    ["SLIPPAGE_EXCEEDED", { isSlippage: true }],
    ["REVERTED", { isSlippage: false }],
    ["INSUFFICIENT_BALANCE", { isSlippage: false, isUnfunded: true }],
  ] as const)("rejects an order with the reason %s when its messages have failed", (reasonCode, failure) => {
    const slot = slotOf({ state: "lapsed", receipts: [failed("a", failure)] });
    expect(lifeOf(slot)).toMatchObject({ status: "rejected", reasonCode, networkFee: 25_000n });
  });

  it("keeps an outcome that was decided before any message was signed", () => {
    const ending = { status: "rejected", reasonCode: "TRADING_DISABLED" } as const;
    expect(lifeOf(undefined, orderOf({ ending }))).toMatchObject({ ...ending, stage: "done" });
  });
});

describe("isTooLate", () => {
  it("returns true from the deadline on, and forever once the order has expired", () => {
    expect(isTooLate(orderOf(), endMs - 1, slotOf())).toBe(false);
    expect(isTooLate(orderOf(), endMs, undefined)).toBe(true);
    expect(isTooLate(orderOf({ life: { ...unstarted, status: "expired" } }), 0, undefined)).toBe(true);
  });
});

describe("isDecided", () => {
  it("returns true as soon as any host says that a message may have taken effect", () => {
    const marked = snapshotOf({ markers: new Map([["order1", true]]) });
    expect(isDecided(slotOf(), bothHosts())).toBe(false);
    expect(isDecided(slotOf(), [undefined, marked])).toBe(true);
    expect(isDecided(slotOf({ receipts: [failed("a")] }), bothHosts())).toBe(true);
    expect(isDecided(slotOf({ state: "mined" }), bothHosts())).toBe(true);
  });
});

describe("slotOfOrder", () => {
  it("finds an order's slot among those of its lane", () => {
    const own = slotOf({ place: 2 });
    expect(slotOfOrder(orderOf(), [slotOf({ orderId: "order2" }), own])).toBe(own);
    expect(slotOfOrder(orderOf(), [])).toBeUndefined();
  });
});
