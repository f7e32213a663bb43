import { describe, expect, it } from "vitest";
import type { Evm } from "../../lib/chains/evm/rules/family.ts";
import type { EvmIntent } from "../../lib/chains/evm/rules/intent.ts";
import type { Sol } from "../../lib/chains/sol/rules/family.ts";
import type { SlotTerms } from "../../lib/orders/family.ts";
import { afterStep, type LaneRun, leaveStep, orderStep, settleStep } from "../../lib/orders/lane-steps.ts";
import type { TradeStep } from "../../lib/orders/table-step.ts";
import {
  endedProgress,
  type Life,
  type OrderEnd,
  openProgress,
  type TradeOrder,
  unstarted,
} from "../../lib/orders/trade-order.ts";
import * as sol from "../chains/sol/fixtures.ts";
import { attempt, laneStateOf, laneView, seconds } from "../support/lane-states.ts";
import { intent, slot, tradeOrder } from "../support/trading.ts";
import { child, mandate } from "./resting/fixtures.ts";

type Case = { life?: Partial<Life>; ending?: OrderEnd; intent?: Partial<EvmIntent>; isCleared?: boolean };

const nowMs = seconds * 1000 + 123;
const at = new Date(nowMs).toISOString();
const filledAt = "2026-11-21T20:00:00.000Z";
const lane = { chain: "eth", wallet: intent().wallet, holder: "me", jobs: 1 } as const;

/** Returns the state of a lane on eth whose only order has ended, and the order. The receipt spends 7 and brings 9. */
function onEth({ life, ending, isCleared = false, ...changes }: Case): [LaneRun<Evm>, TradeOrder<Evm>] {
  const of = intent(changes.intent);
  const [status, block] = ["ok", { number: 9, hash: "0xb9", time: Date.parse(filledAt) / 1000 }] as const;
  const receipt = { hash: "0x1", block, gasUsed: 1n, gasPrice: 5n, l1Fee: 0n, fee: 5n, status } as const;
  const [spent, received] = isCleared ? [0n, 0n] : [7n, 9n];
  const order = tradeOrder({
    intent: of,
    life: { ...unstarted, status: "filled", stage: "done", spent, received, networkFee: 5n, ...life },
    ...(ending && { ending }),
    swapNonce: 7,
  });
  const mined = slot(
    {
      state: "mined",
      attempts: [attempt({ hash: "0x1", purpose: isCleared ? "clear" : "swap" })],
      receipt: { ...receipt, spent, received },
    },
    of,
  );
  const slots = order.life.txHash === "none" ? [] : [mined];
  return [laneStateOf(laneView(order, { lane, slots }), { nowMs }), order];
}

/** Returns the state of a lane on Solana whose only order has ended, and the order. */
function onSol({ life, ending, isCleared = false, ...changes }: Case): [LaneRun<Sol>, TradeOrder<Sol>] {
  const { side = "buy", parent } = changes.intent ?? {};
  const order = sol.orderOf(
    { life: { ...unstarted, status: "filled", stage: "done", ...life }, ...(ending && { ending }) },
    { side, ...(parent && { parent }) },
  );
  const landed = sol.slotOf({
    state: "mined",
    attempts: [sol.attemptOf("a", { purpose: isCleared ? "clear" : "swap" })],
    receipts: [sol.filled("a", { spent: 7n, received: 9n, held: 7n })],
  });
  const slots = order.life.txHash === "none" ? [] : [landed];
  return [sol.stateOf({ view: sol.viewOf({ orders: [order], slots }), nowMs }), order];
}

const chains = { eth: onEth, sol: onSol } as const;

const rowsIn = (step: TradeStep) => step.flatMap((write) => (write.of === "earned" ? [write] : []));

/** Returns the rows of the step that settles an order. */
function rowsOf(chain: keyof typeof chains, of: Case) {
  const [run, order] = chains[chain](of);
  return rowsIn(settleStep(run as LaneRun, order as TradeOrder, order.life));
}

const { parent } = child({}, mandate());

describe.each(["eth", "sol"] as const)("the step that settles an order on %s", (chain) => {
  const { token, userID, orderId } = chain === "eth" ? intent() : sol.intentOf();
  const row = { kind: "fill", userID, orderId, chain, token, filledAt, at } as const;

  it("records what a buy spent and what a sale received, with the time of the block", () => {
    const [bought] = rowsOf(chain, {});
    expect(bought).toEqual({
      kind: "put",
      of: "earned",
      item: { ...row, side: "buy", coinUnits: "7" },
    });
    const [sold, ...others] = rowsOf(chain, { intent: { side: "sell" } });
    expect(sold?.item).toEqual({ ...row, side: "sell", coinUnits: "9" });
    expect(others).toEqual([]);
  });

  it.each([
    ["a resting order's child", parent],
    ["a slice", { ...parent, n: 2 }],
  ])("records %s like an order of its user", (_, of) => {
    expect(rowsOf(chain, { intent: { side: "sell", parent: of } })).toHaveLength(1);
  });

  it.each<[string, Case]>([
    ["was cancelled", { life: { status: "cancelled", reasonCode: "CANCELLED_BY_USER", txHash: "none" } }],
    ["was cancelled in time by a clear", { life: { status: "cancelled" }, isCleared: true }],
    ["expired", { life: { status: "expired", reasonCode: "NOT_INCLUDED", txHash: "none" } }],
    ["made way for another", { life: { status: "expired", reasonCode: "REPLACED", txHash: "none" } }],
    ["was rejected", { life: { status: "rejected", reasonCode: "REVERTED", txHash: "none" } }],
    [
      "found nothing to sell",
      {
        intent: { side: "sell" },
        life: { status: "rejected", reasonCode: "INSUFFICIENT_BALANCE", txHash: "none" },
        ending: { status: "rejected", reasonCode: "INSUFFICIENT_BALANCE", soldOutAt: 7 },
      },
    ],
  ])("records nothing for an order that %s", (_, of) => {
    expect(rowsOf(chain, of)).toEqual([]);
  });

  it("keeps the row if the run leaves the lane with the same step", () => {
    const [run, order] = chains[chain]({});
    const step = settleStep(run as LaneRun, order as TradeOrder, order.life);
    expect(rowsIn(leaveStep(run as LaneRun, step))).toEqual(rowsIn(step));
  });
});

const sent: Life = { ...unstarted, ...openProgress("sent") };

/** Returns a lane on eth with a buy and a sale at the next nonce, whose fill is final, and the buy's slot in a block. */
function twoOnEth() {
  const of = (side: "buy" | "sell", orderId: string) => intent({ side, orderId });
  const [buy, sale] = [of("buy", "buy"), of("sell", "sale")];
  const receiptOf = (hash: string, number: number, spent: bigint, received: bigint) => {
    const block = { number, hash: `0xb${number}`, time: Date.parse(filledAt) / 1000 };
    const gas = { gasUsed: 1n, gasPrice: 5n, l1Fee: 0n, fee: 5n };
    return { hash, block, ...gas, status: "ok", spent, received } as const;
  };
  const signed = slot({ state: "signed", attempts: [attempt({ hash: "0x1" })] }, buy);
  const sold = { place: 8, attempts: [attempt({ hash: "0x2" })], receipt: receiptOf("0x2", 30, 9n, 12n) };
  const slots = [signed, slot({ state: "mined", ...sold, held: 9n }, sale)];
  const orders = [
    tradeOrder({ intent: buy, life: sent, swapNonce: 7 }),
    tradeOrder({ intent: sale, life: sent, swapNonce: 8 }),
  ];
  const view = laneView(tradeOrder(), { lane: { ...lane, jobs: 2 }, orders, slots });
  const boughtIn = (number: number) => ({
    ...signed,
    state: "mined",
    receipt: receiptOf("0x1", number, 7n, 9n),
  });
  return { run: laneStateOf(view, { nowMs }) as LaneRun, boughtIn };
}

/** Returns a lane on Solana with a buy and a later sale, whose fill is final, and the buy's slot in a block. */
function twoOnSol() {
  const inBlock = (number: number) => ({ block: { number, hash: String(number), time: sol.nowMs / 1000 } });
  const signed = sol.slotOf({ orderId: "buy" });
  const sold = sol.filled("b", { ...inBlock(30), spent: 9n, received: 12n, held: 9n });
  const attempts = [sol.attemptOf("b")];
  const slots = [
    signed,
    sol.slotOf({ orderId: "sale", place: 2, state: "mined", attempts, receipts: [sold] }),
  ];
  const orders = [
    sol.orderOf({ life: sent }, { orderId: "buy" }),
    sol.orderOf({ life: sent }, { orderId: "sale", side: "sell" }),
  ];
  const view = sol.viewOf({ lane: { chain: "sol", wallet: "A1", holder: "me", jobs: 2 }, orders, slots });
  const boughtIn = (number: number) => ({
    ...signed,
    state: "mined",
    receipts: [sol.filled("a", { ...inBlock(number), spent: 7n, received: 9n })],
  });
  return { run: sol.stateOf({ view, nowMs }) as LaneRun, boughtIn };
}

const lanes = { eth: twoOnEth, sol: twoOnSol } as const;

const filled: Partial<Life> = { ...endedProgress("filled"), networkFee: 5n };

const orderIn = ({ view }: LaneRun, orderId: string) =>
  view.orders.find(({ intent: of }) => of.orderId === orderId) as TradeOrder;

/** Returns the lane after an order's fill was recorded. */
function withFill(run: LaneRun, orderId: string, put: unknown): LaneRun {
  const order = orderIn(run, orderId);
  const step = orderStep(run, order, { life: { ...order.life, ...filled } }, { put: [put as SlotTerms] });
  return { ...run, view: afterStep(run.view, step) };
}

/** Returns the lane after an order has settled with these changes of its life. */
function settledWith(run: LaneRun, orderId: string, changes: Partial<Life> = {}): LaneRun {
  const order = orderIn(run, orderId);
  const step = settleStep(run, order, { ...order.life, ...changes });
  return { ...run, view: afterStep(run.view, step) };
}

describe.each(["eth", "sol"] as const)("the book of a buy and a final sale on %s", (chain) => {
  const { run, boughtIn } = lanes[chain]();
  const sold = settledWith(run, "sale", filled);
  const both = { events: [], base: { ordinal: 1, amount: 0n, realizedPnl: 5n, settled: true } };

  it("sells what the buy has brought, even if hosts show that only after the sale is final", () => {
    const shown = withFill(sold, "buy", boughtIn(20));
    expect(settledWith(shown, "buy").view.books).toMatchObject([both]);
  });

  it("sells what the buy has brought, even if a host has first shown it in a block after the sale", () => {
    const misled = settledWith(withFill(run, "buy", boughtIn(40)), "sale", filled);
    const shown = withFill(misled, "buy", boughtIn(20));
    expect(settledWith(shown, "buy").view.books).toMatchObject([both]);
  });

  it("keeps the sale apart until the buy has settled, even if that does not fill", () => {
    expect(sold.view.books).toMatchObject([{ events: [{ orderId: "sale", settled: true }] }]);
    const unfilled = settledWith(sold, "buy", endedProgress("expired", "NOT_INCLUDED"));
    expect(unfilled.view.books).toMatchObject([{ events: [], base: { ordinal: 0 } }]);
  });
});
