import { describe, expect, it } from "vitest";
import type { LaneView } from "../../../../lib/orders/effects.ts";
import type { AnyOrder } from "../../../../lib/orders/trade-order.ts";
import { playSolRestings, type SolPlot } from "./sol-history.ts";
import { SolLaneWorld } from "./sol-lane-world.ts";
import { solSystem } from "./sol-world.ts";

/** Number of histories of each kind. `FULL=1` plays many more. */
const count = process.env.FULL === undefined ? 10 : 200;

const plots: Readonly<Record<string, SolPlot>> = {
  "slow hosts, forks and kills": {},
  "receipts that are behind": { isTorn: true },
  "a price that jumps between both legs": { whips: true },
  cancellations: { cancels: true },
  "a fireOrders that was taken over": { intruder: "fireOrders", cancels: true },
};

const wanted = [
  ...["failed", "lapsed", "replaced", "filled"].map((outcome) => `outcome: ${outcome}`),
  ...["filled", "REPLACED", "CANCELLED_BY_USER"].map((end) => `settled: ${end}`),
  "two legs out",
];

const openWorld = (...parts: ConstructorParameters<typeof SolLaneWorld>) => new SolLaneWorld(...parts);

describe("children of resting orders in the lane of executeOrders on Solana", () => {
  const reached = new Set<string>();

  it.each(Object.entries(plots))("fill once, by their terms, despite %s", (_, plot) => {
    playSolRestings({ from: 1, count, plot, openWorld }, reached);
  });

  it("reach all that can happen to them", () => {
    expect(wanted.filter((each) => !reached.has(each))).toEqual([]);
  });

  it("fail with a lane that settles a filled child before its siblings", () => {
    const answered: SolLaneWorld["answered"] = (effect, answer) => {
      if (effect.do !== "readLane") return answer;
      const view = answer as LaneView;
      const alone = ({ intent: { parent: _, ...intent }, ...order }: AnyOrder) => ({ ...order, intent });
      const orders = view.orders.map((order) => (order.life.status === "filled" ? alone(order) : order));
      return { ...view, orders };
    };
    const faulty: typeof openWorld = (...parts) => Object.assign(openWorld(...parts), { answered });
    const play = () => playSolRestings({ from: 1, count: 500, plot: { whips: true }, openWorld: faulty });
    expect(play).toThrow(/^history \d+: .* never settles/);
  });

  it("fail if each child has a marker of its own", () => {
    const system = { ...solSystem, markerOf: ({ orderId }: { orderId: string }) => orderId };
    const play = () => playSolRestings({ from: 1, count: 500, plot: { whips: true }, system, openWorld });
    expect(play).toThrow(/^history \d+: /);
  });
});
