import { describe, expect, it } from "vitest";
import type { FiringFamily, ParentView } from "../../../lib/orders/resting/firing.ts";
import { type ChildSight, newResting, type RestingOrder } from "../../../lib/orders/resting/life.ts";
import type { Mandate } from "../../../lib/orders/resting/mandate.ts";
import { firstMark } from "../../../lib/orders/resting/trailing.ts";
import { limit, mandate, nowMs, stop, trailing } from "../../orders/resting/fixtures.ts";
import { family, firingParent, parent, run, type Scene } from "./support/firing.ts";

describe("firing an exit", () => {
  const entry = { spent: 1000n, received: 1000n, amount: 1000n, endsAt: 10 ** 10, positionId: "P1" };
  const position = { openPositionId: "P1", isClosed: false, isDust: false, buy: undefined };

  /** An exit whose child has failed. */
  function failed(exit: Partial<ParentView["exit"]>): ParentView {
    const view = firingParent(1, {}, { hasEnded: true });
    const mandate = { ...view.order.mandate, exit: { of: "BUY", sharePpm: 1_000_000n } };
    const order = { ...view.order, mandate, entry: { ...entry, bought: 0, isFinal: true } };
    return { ...view, order, exit: { ...position, ...exit } };
  }

  it("fires again in the run that sees the child's death, if its position is open", () => {
    const firstOf = (exit: Partial<ParentView["exit"]>) => {
      const { fired, moved } = run([failed(exit)]);
      return [fired.length, [...moved.values()][0]?.state];
    };
    expect(firstOf({})).toEqual([1, "firing"]);
    expect(firstOf({ openPositionId: "P2" })).toEqual([0, "suspended"]);
    expect(firstOf({ openPositionId: undefined })).toEqual([0, "resting"]);
    expect(firstOf({ openPositionId: undefined, isClosed: true })).toEqual([0, "done"]);
  });

  it("fires only while both hosts show its buy in the block from which its prices come, until the buy is final", () => {
    const child = { orderId: "BUY", leg: 0, n: 0, validUntil: 0 };
    const view = { hasEnded: true, yields: false, isRefused: false, isProvenDead: false };
    const buy = { child, markerId: "BUY", view, isFilled: false, positionId: "P1", isSettled: false };
    const known = { ...entry, bought: 0, isFinal: false, block: "0x7" };
    const of = mandate({ exit: { of: "BUY", sharePpm: 1_000_000n } });
    const order: RestingOrder = { ...newResting(of, "mac"), state: "resting", entry: known };
    const exit = { ...position, buy };
    const firedAt = (sight: ChildSight) =>
      run([parent({ order, exit })], {}, { isOneOut: true, sightOf: () => sight }).fired.length;
    expect(firedAt({ is: "filled", block: "0x7" })).toBe(1);
    expect(firedAt({ is: "filled", block: "0x8" })).toBe(0);
    expect(firedAt({ is: "unclear" })).toBe(0);
  });
});

describe("firing a trailing stop", () => {
  const terms = mandate({ legs: [trailing], createdAt: nowMs - 15_000 });
  const order = newResting(terms, "mac", firstMark(terms, { coins: 1n, tokens: 1n }));

  it("raises its mark to a price above it, and fires by the new mark", () => {
    const { fired, moved } = run([parent({ order })], { out: 2000n });
    expect(fired).toEqual([]);
    const raised = moved.get(terms.orderId);
    expect(raised).toMatchObject({ mark: { price: { coins: 2000n, tokens: 1000n } } });
    expect(run([parent({ order })], { out: 1700n }).fired).toEqual([]);
    expect(run([parent({ order: raised as RestingOrder })], { out: 1800n }).fired).toEqual([terms.orderId]);
  });

  it("sells at the current price if its mark is false", () => {
    const forged = { ...order, mark: { price: { coins: 9n, tokens: 1n }, sinceMs: nowMs } };
    const { fired, effects } = run([parent({ order: forged })], { out: 1000n });
    expect(fired).toEqual([terms.orderId]);
    expect(effects.find((effect) => effect.do === "prepareChildren")).toMatchObject({
      children: [{ chosen: { quotedOut: 1000n, minAmountOut: 990n } }],
    });
  });

  it("does not move while its price is between both", () => {
    expect(run([parent({ order })], { out: 901n })).toMatchObject({ fired: [], moved: new Map() });
    expect(run([parent({ order })], { out: 900n }).fired).toEqual([terms.orderId]);
  });

  it("follows the price of its whole amount while the wallet can sell only a part, whose price is better", () => {
    const part = parent({ order, amount: 100n });
    expect(run([part], { out: 950n })).toMatchObject({ fired: [], moved: new Map() });
    const { effects } = run([part], { out: 900n });
    expect(effects.find((effect) => effect.do === "prepareChildren")).toMatchObject({
      children: [{ chosen: { crossed: { amount: 100n } } }],
    });
  });

  it("follows the price of what an exit sells, not of the most that it may sell", () => {
    const paid = { spent: 500n, received: 500n, amount: 500n, endsAt: terms.expiresAt };
    const entry = { ...paid, positionId: "position", bought: 0, isFinal: true };
    const { effects } = run([parent({ order: { ...order, entry }, amount: 500n })]);
    expect(effects.find((effect) => effect.do === "priceWords")).toMatchObject({
      questions: [{ amount: 500n }],
    });
  });
});

describe("firing an order with slices", () => {
  const terms = mandate({
    legs: [{ kind: "slice", worst: { coins: 9n, tokens: 10n } }],
    amount: 2000n,
    slices: { count: 2, everySeconds: 60 },
  });
  const order = newResting(terms, "mac");
  const at = (seconds: number, scene: Scene = {}, of = order) =>
    run([parent({ order: of, amount: 1000n })], { startMs: terms.createdAt + seconds * 1000, ...scene });

  it("fires each slice when it is due, and keeps its price", () => {
    const { fired, moved } = at(0, { out: 950n });
    expect(fired).toEqual([terms.orderId]);
    const one = moved.get(terms.orderId) as RestingOrder;
    expect(one).toMatchObject({ out: [{ slice: 1 }], firings: [{ leg: "slice", slice: 1 }], nextSlice: 2 });
    expect(at(59, { out: 950n }, one).fired).toEqual([]);
    expect(at(60, { out: 950n }, one).moved.get(terms.orderId)).toMatchObject({
      out: [{ slice: 1 }, { slice: 2 }],
    });
  });

  it("waits for its price, and does not make up for a missed slice", () => {
    const { fired, moved } = at(0, { out: 900n });
    expect(fired).toEqual([]);
    expect(moved).toEqual(new Map());
    expect(at(60, { out: 900n }).moved.get(terms.orderId)).toMatchObject({ nextSlice: 2 });
    expect(at(120, { out: 950n }).fired).toEqual([]);
  });
});

describe("firing on sol", () => {
  const onSol: FiringFamily = { ...family, isOneOut: false };

  it("fires a stop on sol after four readings over 8 seconds", () => {
    const { maxGasPrice: _, ...terms } = mandate({ chain: "sol" });
    let order = newResting(terms, "mac");
    const fires = [0, 2700, 5400, 8100].map((ms) => {
      const { fired, moved } = run([parent({ order })], { chain: "sol", startMs: nowMs + ms }, onSol);
      order = moved.get(terms.orderId) ?? order;
      return fired.length;
    });
    expect(fires).toEqual([0, 0, 0, 1]);
  });

  it("does not count the time on sol in which the hosts were answering", () => {
    const { maxGasPrice: _, ...terms } = mandate({ chain: "sol" });
    let order = newResting(terms, "mac");
    const fires = [0, 2700, 5400, 8100, 10_800].map((ms) => {
      const scene = { chain: "sol", startMs: nowMs + ms, asking: 1000 } as const;
      const { fired, moved } = run([parent({ order })], scene, onSol);
      order = moved.get(terms.orderId) ?? order;
      return fired.length;
    });
    expect(fires).toEqual([0, 0, 0, 0, 1]);
  });

  it.each([
    ["one after the other", "wallet", [1, 1]],
    ["at once", "another wallet", [2]],
  ])("makes children of two orders on sol %s if the second is of %s", (_, wallet, made) => {
    const ofOrder = (orderId: string, of: string) => {
      const { maxGasPrice: __, ...terms } = mandate({ chain: "sol", legs: [limit], orderId, wallet: of });
      return parent({ order: newResting(terms, "mac") });
    };
    const { effects } = run(
      [ofOrder("A", "wallet"), ofOrder("B", wallet)],
      { chain: "sol", out: 2100n },
      onSol,
    );
    const counts = effects.flatMap((each) => (each.do === "prepareChildren" ? [each.children.length] : []));
    expect(counts).toEqual(made);
  });

  it("fires a take-profit paired with a stop on sol after two readings, and a single limit at once", () => {
    const firesOf = (legs: Mandate["legs"]) => {
      const { maxGasPrice: _, ...terms } = mandate({ chain: "sol", legs });
      let order = newResting(terms, "mac");
      return [0, 2700].map((ms) => {
        const scene = { chain: "sol", startMs: nowMs + ms, out: 2100n } as const;
        const { fired, moved } = run([parent({ order })], scene, onSol);
        order = moved.get(terms.orderId) ?? order;
        return fired.length;
      });
    };
    expect(firesOf([limit, stop])).toEqual([0, 1]);
    expect(firesOf([limit])).toEqual([1, 0]);
  });
});
