import { describe, expect, it } from "vitest";
import type { Sol } from "../../../../lib/chains/sol/rules/family.ts";
import { signMessage } from "../../../../lib/chains/sol/rules/sign.ts";
import type { SolSlot } from "../../../../lib/chains/sol/rules/slot.ts";
import type { LaneView } from "../../../../lib/orders/effects.ts";
import type { AnyOrder } from "../../../../lib/orders/trade-order.ts";
import { faulty } from "./model-signer.ts";
import { playSolRestings, type SolPlot } from "./sol-history.ts";
import { SolLaneWorld } from "./sol-lane-world.ts";
import { solSystem } from "./sol-world.ts";

/** Number of histories of each kind. `FULL=1` plays many more. */
const count = process.env.FULL === undefined ? 10 : 200;

const plots: Readonly<Record<string, SolPlot>> = {
  "slow hosts, forks and kills": {},
  "receipts that are behind": { isTorn: true },
  "a price that jumps between both legs": { whips: true },
  "slices among other orders": { slices: true },
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

  it("go through everything that can happen to them", () => {
    const missing = () => wanted.filter((each) => !reached.has(each));
    // Few histories have both a child that was replaced and a run of fireOrders that sees it.
    for (let from = count + 1; from <= 100 && missing().length > 0; from++)
      playSolRestings({ from, count: 1, plot: { whips: true }, openWorld }, reached);
    expect(missing()).toEqual([]);
  });

  it("fail with a lane that settles a filled child before its siblings", () => {
    const answered: SolLaneWorld["answered"] = (effect, answer) => {
      if (effect.do !== "readLane") return answer;
      const view = answer as LaneView;
      const alone = ({ intent: { parent: _, ...intent }, ...order }: AnyOrder) => ({ ...order, intent });
      const orders = view.orders.map((order) => (order.life.status === "filled" ? alone(order) : order));
      return { ...view, orders };
    };
    const openFaulty: typeof openWorld = (...parts) => Object.assign(openWorld(...parts), { answered });
    const play = () =>
      playSolRestings({ from: 104, count: 500, plot: { whips: true }, openWorld: openFaulty });
    expect(play).toThrow(/^history \d+: . does not come to its end but is filled/);
  });

  it("are not signed late by a lane that forgets when it began, unless the signer forgets it, too", () => {
    const answered: SolLaneWorld["answered"] = (effect, answer) => {
      if (effect.do !== "readLane") return answer;
      const view = answer as LaneView<Sol>;
      const young = (slot: SolSlot): SolSlot => ({
        ...slot,
        attempts: slot.attempts.map((attempt) => ({ ...attempt, signedAtMs: Number.MAX_SAFE_INTEGER })),
      });
      return { ...view, slots: view.slots.map(young) };
    };
    const signer = faulty(
      signMessage,
      () => ({}),
      (step) =>
        step.map((write) =>
          write.kind === "put" && write.of === "ledger"
            ? { ...write, item: { ...write.item, swapSignedAtMs: undefined } }
            : write,
        ),
    );
    const play = (faults: Partial<SolLaneWorld>) =>
      playSolRestings({
        from: 1,
        count: 10,
        openWorld: (...parts) => Object.assign(openWorld(...parts), faults),
      });
    play({ answered });
    expect(() => play({ answered, signer })).toThrow("a message is signed long after the child's first");
  });

  it("fail if each child has a marker of its own", () => {
    const system = { ...solSystem, markerOf: ({ orderId }: { orderId: string }) => orderId };
    const play = () =>
      playSolRestings({ from: 2, count: 500, plot: { intruder: "fireOrders" }, system, openWorld });
    expect(play).toThrow(/^history \d+: /);
  });
});
