import { describe, expect, it } from "vitest";
import { solLane } from "../../../../lib/chains/sol/lane.ts";
import { attemptsFor } from "../../../../lib/chains/sol/rules/attempts.ts";
import type { Sol } from "../../../../lib/chains/sol/rules/family.ts";
import { mostFeeLamports } from "../../../../lib/chains/sol/rules/fees.ts";
import type { SolSnapshot } from "../../../../lib/chains/sol/rules/host-snapshot.ts";
import { lastValidOf, type SolSlot } from "../../../../lib/chains/sol/rules/slot.ts";
import { type TradeOrder, unstarted } from "../../../../lib/orders/trade-order.ts";
import {
  attemptOf,
  bothHosts,
  factsOf,
  heightAt,
  nowMs,
  orderOf,
  slotOf,
  stateOf,
  viewOf,
} from "../fixtures.ts";

describe("ending an order without messages", () => {
  it.each([
    ["a cancellation", viewOf({ cancelled: new Set(["order1"]) })],
    ["a stop of trading", viewOf({ isStopped: true })],
    ["the deadline", viewOf({ orders: [orderOf({}, { validUntil: 1 })] })],
  ])("ends an order without messages by %s only if the signer has recorded nothing", (_, view) => {
    const move = solLane.nextMove(stateOf({ view }));
    const unsigned = { kind: "check", of: "ledger", item: { orderId: "order1" }, when: "absent" };
    expect(move).toMatchObject({ kind: "write", step: expect.arrayContaining([unsigned]) });
  });
});

/** Time between two runs of a lane with a pending message. */
const runMs = 2000;
const blockMs = 200;

/** Runs an order's lane until it rests or signs, and returns the order's slot and life afterwards. */
function afterRun(order: TradeOrder<Sol>, slot: SolSlot | undefined, height: number, atMs: number) {
  const snapshots = bothHosts({
    height: { slot: height, blockHeight: height },
    blockhash: { hash: `${height}`, lastValidBlockHeight: height + 150 },
  });
  let after = { order, slot };
  for (let moves = 0; moves < 5; moves++) {
    const view = viewOf({ orders: [after.order], slots: after.slot ? [after.slot] : [] });
    const move = solLane.nextMove(stateOf({ view, snapshots, nowMs: atMs }));
    if (move.kind === "write")
      for (const write of move.step) {
        if (write.kind === "put" && write.of === "order")
          after = { ...after, order: write.item as TradeOrder<Sol> };
        if (write.kind === "put" && write.of === "slot") after = { ...after, slot: write.item as SolSlot };
      }
    else if (move.kind === "sign") {
      const { tip, ...message } = move.request.message;
      const signed = attemptOf(`${atMs}`, { ...message, tipLamports: tip?.lamports ?? 0n, signedAtMs: atMs });
      const attempts = [...(after.slot?.attempts ?? []), signed];
      return { ...after, slot: slotOf({ ...after.slot, state: "signed", attempts }) };
    } else return after;
  }
  throw new Error("The lane makes too many moves");
}

describe("an order whose messages get into no block", () => {
  it.each([15, 40, 60, 120, 300, 600])(
    "always has one that still may get into a block, for %i seconds",
    (seconds) => {
      const intent = { validUntil: nowMs / 1000 + seconds, attempts: attemptsFor(seconds) };
      let order = orderOf({}, intent);
      let slot: SolSlot | undefined;
      for (let passedMs = 0; passedMs < seconds * 1000; passedMs += runMs) {
        const height = 1000 + passedMs / blockMs;
        ({ order, slot } = afterRun(order, slot, height, nowMs + passedMs));
        expect(order.life.status, `after ${passedMs} ms`).toBe("open");
        expect(lastValidOf(slot ?? slotOf({ attempts: [] })), `after ${passedMs} ms`).toBeGreaterThan(height);
      }
      const attempts = slot?.attempts ?? [];
      const [first, second] = attempts.map(({ signedAtMs }) => signedAtMs);
      expect((second ?? 0) - (first ?? 0)).toBe(8000);
      expect(lastValidOf(slot as SolSlot)).toBeGreaterThanOrEqual(1000 + (seconds * 1000) / blockMs);
      const fees = attempts.reduce((sum, each) => sum + mostFeeLamports(each, 0n), 0n);
      expect(fees).toBeLessThanOrEqual(order.intent.budgetLamports);
    },
  );
});

describe("a second order for the same token", () => {
  const orders = [
    orderOf({ life: { ...unstarted, stage: "sent", txHash: "a" } }),
    orderOf({}, { orderId: "order2" }),
    orderOf({}, { orderId: "order3", token: "FEEZ" }),
  ];
  const facts = new Map(orders.map(({ intent }) => [intent.orderId, factsOf()]));
  /** Makes the order whose message is signed first. */
  const signed = (slot: SolSlot, host: Partial<SolSnapshot>): string | undefined => {
    const sending = { orders, slots: [slot], bytes: new Map() };
    const move = solLane.nextMove(
      stateOf({ view: viewOf(sending), snapshots: bothHosts({ orders: facts, ...host }) }),
    );
    return move.kind === "sign" ? move.request.orderId : move.kind;
  };

  it("makes a second order wait while the first order's message may land, if both trade the same token", () => {
    expect(signed(slotOf(), heightAt(100))).toBe("order3");
  });

  it("never waits for an order with expired messages if hosts have forgotten its fill", () => {
    const markers = new Map([["order1", true]]);
    expect(signed(slotOf(), { ...heightAt(300), markers })).toBe("order2");
  });
});
