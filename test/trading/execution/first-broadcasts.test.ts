import { describe, expect, it } from "vitest";
import type { SolSlot } from "../../../lib/chains/sol/rules/slot.ts";
import type { ReasonCode } from "../../../lib/orders/execution.ts";
import { orderStep } from "../../../lib/orders/lane-steps.ts";
import { openProgress } from "../../../lib/orders/trade-order.ts";
import { FirstBroadcasts } from "../../../lib/trading/execution/first-broadcasts.ts";
import { attemptOf, nowMs, orderOf, slotOf, stateOf, viewOf } from "../../chains/sol/fixtures.ts";

const sentMs = nowMs + 230;
const unsent = attemptOf("a");
const sent = attemptOf("a", { sentAtMs: sentMs });
const later = attemptOf("b", { sentAtMs: sentMs + 3000 });
const clear = attemptOf("c", { purpose: "clear", sentAtMs: sentMs });

const ordersOf = (reasonCode?: ReasonCode) => [
  orderOf(reasonCode && { life: { ...orderOf().life, ...openProgress("waiting", reasonCode) } }),
];

/** Records the states of an order's slot in turn. The table has the first one when the run begins. */
function broadcastsOf(states: readonly SolSlot["attempts"][], reasonCode?: ReasonCode) {
  const found = new FirstBroadcasts();
  const [first, ...others] = states.map((attempts) => slotOf({ attempts: [...attempts] }));
  const orders = ordersOf(reasonCode);
  const view = viewOf({ orders, slots: first === undefined ? [] : [first] });
  found.see(view);
  return others.flatMap((slot) => found.in(orderStep(stateOf({ view }), orderOf(), {}, { put: [slot] })));
}

const once = [{ chain: "sol", broadcastMs: 230 }];

describe("FirstBroadcasts", () => {
  it.each([
    ["the first sending", [[], [unsent], [sent]], once],
    ["one of two sendings", [[], [sent], [sent, later]], once],
    ["the attempt that arrives after one that nobody accepted", [[unsent], [unsent, sent]], once],
    ["nothing that an earlier run has recorded", [[sent], [sent], [sent, later]], []],
    ["no clear of a message that never arrived", [[unsent], [unsent, clear]], []],
  ])("counts %s", (_, states, expected) => {
    expect(broadcastsOf(states)).toEqual(expected);
  });

  it.each<[ReasonCode, unknown[]]>([
    ["GAS_PRICE_TOO_HIGH", []],
    ["INSUFFICIENT_BALANCE", []],
    ["WALLET_BUSY", []],
    ["CHAIN_UNAVAILABLE", once],
    ["RELAY_UNAVAILABLE", once],
  ])(
    "counts an order that has waited because of %s only if its user could not end that",
    (reason, expected) => {
      expect(broadcastsOf([[], [sent]], reason)).toEqual(expected);
    },
  );
});
