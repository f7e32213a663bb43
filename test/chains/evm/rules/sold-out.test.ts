import { describe, expect, it } from "vitest";
import type { Evm } from "../../../../lib/chains/evm/rules/family.ts";
import type { EvmSnapshot } from "../../../../lib/chains/evm/rules/host-snapshot.ts";
import { nextEvmMove } from "../../../../lib/chains/evm/rules/next-move.ts";
import type { LaneState } from "../../../../lib/orders/lane-core.ts";
import { afterStep } from "../../../../lib/orders/lane-steps.ts";
import type { TradeOrder } from "../../../../lib/orders/trade-order.ts";
import { laneStateOf, laneView, orderFacts, snapshot } from "../../../support/lane-states.ts";
import { intent, tradeOrder } from "../../../support/trading.ts";

const { orderId } = intent();
const sale = tradeOrder({ intent: intent({ side: "sell", minAmountOut: 1n }) });
const facts = orderFacts({ held: 0n });
const { latest } = snapshot(facts);

/** Creates a snapshot of a host whose final block is later. */
const later = (hash?: string, finalized = latest.number): EvmSnapshot =>
  snapshot(undefined, {
    finalized: { ...latest, number: finalized },
    blocks: new Map(hash === undefined ? [] : [[latest.number, hash]]),
  });

/** Makes all moves that the snapshots allow. */
function settled(scene: LaneState<Evm>) {
  let { view } = scene;
  for (let moves = 0; moves < 9; moves++) {
    const move = nextEvmMove({ ...scene, view });
    if (move.kind !== "write") break;
    view = { ...afterStep(view, move.step), orders: ordersIn(move.step, view.orders) };
  }
  return view;
}

/** Returns the orders after a step, including settled ones. */
const ordersIn = (step: Parameters<typeof afterStep>[1], orders: LaneState<Evm>["view"]["orders"]) =>
  orders.map((order) => {
    const put = step.find((write) => write.kind === "put" && write.of === "order");
    return put?.kind === "put" && put.of === "order" ? (put.item as TradeOrder<Evm>) : order;
  });

const first = settled(laneStateOf(laneView(sale), { snapshots: [snapshot(facts), snapshot(facts)] }));
const eventsOf = ({ books }: LaneState<Evm>["view"]) => books.flatMap(({ events }) => events);

describe("a sale that finds no tokens", () => {
  it("rejects a sale that finds no tokens, and provisionally closes its position", () => {
    expect(first.orders[0]?.life).toMatchObject({
      status: "rejected",
      reasonCode: "INSUFFICIENT_BALANCE",
      settled: false,
    });
    expect(eventsOf(first)).toMatchObject([{ kind: "sold-out", orderId, place: 7, settled: false }]);
  });

  it.each<[string, EvmSnapshot | undefined, EvmSnapshot | undefined]>([
    ["its block is not final", later(latest.hash, latest.number - 1), later(latest.hash)],
    ["one host is silent", later(latest.hash), undefined],
    ["one host does not show its block", later(latest.hash), later()],
  ])("leaves a sold-out sale unsettled while %s", (_, ...snapshots) => {
    const view = settled(laneStateOf(first, { snapshots }));
    expect(view.orders[0]?.life.settled).toBe(false);
    expect(eventsOf(view)).toEqual(eventsOf(first));
  });

  it("settles a sale that found no tokens left once both hosts report its block as final", () => {
    const move = nextEvmMove(laneStateOf(first, { snapshots: [later(latest.hash), later(latest.hash)] }));
    if (move.kind !== "write") throw new Error(`The next move is to ${move.kind}`);
    expect(ordersIn(move.step, first.orders)[0]?.life).toMatchObject({ status: "rejected", settled: true });
    expect(ordersIn(move.step, first.orders)[0]?.ending?.soldOutAt).toBe(7);
  });

  it("restores the position of a sold-out sale if the sale's block is undone, but keeps the sale rejected", () => {
    const [order] = first.orders;
    const scene = laneStateOf(first, { snapshots: [later("0xother"), later("0xother")] });
    const dropped = nextEvmMove(scene);
    if (dropped.kind !== "write") throw new Error(`The next move is to ${dropped.kind}`);
    const view = afterStep(first, dropped.step);
    expect(view.orders[0]?.life).toEqual(order?.life);
    expect(eventsOf(view)).toMatchObject([{ kind: "taken-back" }]);
    const last = nextEvmMove({ ...scene, view });
    if (last.kind !== "write") throw new Error(`The next move is to ${last.kind}`);
    expect(ordersIn(last.step, view.orders)[0]?.life).toMatchObject({ status: "rejected", settled: true });
    expect(eventsOf(afterStep(view, last.step))).toEqual([]);
  });

  it("waits if the hosts' block numbers are far apart, because one host may have made its number up", () => {
    const far = snapshot(facts, { latest: { ...latest, time: latest.time + 201 } });
    const view = settled(laneStateOf(laneView(sale), { snapshots: [snapshot(facts), far] }));
    expect(view.orders[0]?.life).toMatchObject({ stage: "waiting", reasonCode: "CHAIN_UNAVAILABLE" });
  });
});
