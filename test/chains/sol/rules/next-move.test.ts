import { describe, expect, it } from "vitest";
import { solLane } from "../../../../lib/chains/sol/lane.ts";
import type { SolSnapshot } from "../../../../lib/chains/sol/rules/host-snapshot.ts";
import type { SolSlot } from "../../../../lib/chains/sol/rules/slot.ts";
import { unstarted } from "../../../../lib/orders/trade-order.ts";
import { bothHosts, factsOf, finalAt, orderOf, slotOf, stateOf, viewOf } from "../fixtures.ts";

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
    expect(signed(slotOf(), finalAt(100))).toBe("order3");
  });

  it("never waits for an order with expired messages if hosts have forgotten its fill", () => {
    const markers = new Map([["order1", true]]);
    expect(signed(slotOf(), { ...finalAt(300), markers })).toBe("order2");
  });
});
