import { describe, expect, it } from "vitest";
import type { ParentView } from "../../../lib/orders/resting/firing.ts";
import { newResting } from "../../../lib/orders/resting/life.ts";
import { limit, mandate, nowMs, stop } from "../../orders/resting/fixtures.ts";
import { codes, firingParent, parent, run } from "./support/firing.ts";

describe("firing", () => {
  it("fires a stop whose price is reached, with the price of the wave", () => {
    const { fired, effects, moved } = run([parent()]);
    expect(fired).toEqual([mandate().orderId]);
    const chosen = { quotedOut: 950n, minAmountOut: 940n };
    expect(effects.find((effect) => effect.do === "prepareChildren")).toMatchObject({
      children: [{ leg: 1, validUntil: nowMs / 1000 + 60, chosen }],
    });
    const firings = [{ price: "0.95", block: 9 }];
    expect([...moved.values()]).toMatchObject([{ state: "firing", n: 1, out: [{ leg: 1 }], firings }]);
  });

  it("names a child by its parent and number, so that two runs make the same one", () => {
    const idIn = (view: ParentView) => {
      const { orderId } = run([view]).effects.find((effect) => effect.do === "fire") ?? { orderId: "" };
      return orderId;
    };
    const one = idIn(parent());
    expect(one).toMatch(/^[\dA-Z]{26}$/);
    expect(idIn(parent())).toBe(one);
    expect(idIn(parent({ order: { ...newResting(mandate(), "mac"), n: 1 } }))).not.toBe(one);
    expect(idIn(parent({}, { userID: "bob" }))).not.toBe(one);
  });

  it("asks no host about a child that has no outcome and is not past its deadline", () => {
    expect(run([firingParent(1)]).names).not.toContain("childWords");
    expect(run([firingParent(1, {}, { hasEnded: true })]).names).toContain("childWords");
    expect(run([firingParent(1, {}, { isProvenDead: true })]).names).toContain("childWords");
    const signed = { swap: {}, deadline: nowMs / 1000 - 1 };
    expect(run([firingParent(1, {}, { signed })]).names).toContain("childWords");
  });

  it.each([
    ["yielded", { yields: true }],
    ["unsent", { isRefused: true }],
  ] as const)(
    "counts an unsigned child as %s once the signer refuses it, and asks no host",
    (outcome, view) => {
      const { names, moved } = run([firingParent(0, {}, view)], { out: 1500n });
      expect(names).not.toContain("childWords");
      expect([...moved.values()]).toMatchObject([{ state: "resting", out: [], firings: [{ outcome }] }]);
      const signed = { swap: {}, deadline: nowMs / 1000 + 8 };
      expect(run([firingParent(0, {}, { ...view, signed })], { out: 1500n }).moved.size).toBe(0);
    },
  );

  it("fires again in the run that sees the child's death", () => {
    const { fired, moved } = run([firingParent(1, {}, { isProvenDead: true })]);
    expect(fired).toHaveLength(1);
    expect([...moved.values()]).toMatchObject([
      { n: 2, firings: [{ outcome: "out" }, { outcome: "failed" }] },
    ]);
  });

  it("fires nothing for an order that ends, or has nothing to spend", () => {
    const end = { isCancelled: true, isRetired: false, isVoid: false, isSettled: true };
    expect(run([parent({ end })])).toMatchObject({ fired: [] });
    const empty = run([parent({ amount: 0n })]);
    expect(empty.names).not.toContain("priceWords");
    expect(codes(empty)).toEqual(["INSUFFICIENT_BALANCE"]);
  });

  it("notes a price below the worst one, and why no child can be placed", () => {
    expect(codes(run([parent()], { out: 700n }))).toEqual(["PRICE_BEYOND_WORST"]);
    expect(codes(run([parent()], { attention: "POLICY_LIMIT" }))).toEqual(["POLICY_LIMIT"]);
    expect(codes(run([parent()], { out: undefined }))).toEqual(["NO_ROUTE"]);
    expect(run([parent()], { out: 1500n }).moved.size).toBe(0);
  });

  it("keeps what it has noted of an order while it does not ask for the order's price", () => {
    const attention = { NO_ROUTE: { sinceMs: nowMs - 90_000 } };
    const pausing = { tries: 9, nextAtMs: nowMs + 1 };
    const order = { ...newResting(mandate(), "mac"), attention, legs: [pausing, pausing] };
    expect(run([parent({ order })]).moved.size).toBe(0);
  });

  it("asks for no price while a leg has used up its fees or its swaps of the hour, and notes the former", () => {
    const hour = Math.floor(nowMs / 3_600_000);
    const counts = { limit: { hour, n: 0 }, stop: { hour, n: 0 } };
    const tally = {
      orderId: "P",
      owed: [],
      counts,
      fees: { limit: 0n, stop: 0n },
      revision: 1,
      expiresAt: 0,
    };
    const only = { legs: [stop] };
    const broke = run([parent({ tally: { ...tally, fees: { limit: 0n, stop: 500n } } }, only)]);
    expect(broke.names).not.toContain("priceWords");
    expect(codes(broke)).toEqual(["FEE_BUDGET_SPENT"]);
    const often = run([parent({ tally: { ...tally, counts: { ...counts, stop: { hour, n: 60 } } } }, only)]);
    expect(often.names).not.toContain("priceWords");
    expect(codes(often)).toEqual([]);
    expect(run([parent({ tally }, only)]).fired).toHaveLength(1);
  });

  it("makes a limit's child make way for a due stop, and fires only once the lane is free", () => {
    const busy = { orderId: "C9", kind: "limit", yields: false } as const;
    const { fired, effects, names } = run([parent({ busy })]);
    expect(fired).toEqual([]);
    expect(effects).toContainEqual(expect.objectContaining({ do: "yieldToStop", orderId: "C9" }));
    expect(names).not.toContain("fire");
    const own = run([firingParent(0, { busy: { ...busy, orderId: "C1" } })]);
    expect(own.effects).toContainEqual(expect.objectContaining({ do: "yieldToStop", orderId: "C1" }));
  });

  it.each([
    ["stop", "market order", { kind: "market", yields: false }],
    ["stop", "stop", { kind: "stop", yields: false }],
    ["stop", "limit that makes way", { kind: "limit", yields: true }],
    ["limit", "limit", { kind: "limit", yields: false }],
  ] as const)("waits with a %s for a lane that is busy with a %s", (kind, _, busy) => {
    const [leg, out] = kind === "stop" ? [stop, 950n] : [limit, 2100n];
    const view = parent({ busy: { orderId: "C9", ...busy } }, { legs: [leg] });
    const { fired, waiting, names } = run([view], { out });
    expect(names).toContain("priceWords");
    // A market order may take long, so the pauses of what waits for it grow.
    expect(waiting).toEqual(busy.kind === "market" ? [] : [view.order.mandate.orderId]);
    expect(fired).toEqual([]);
    expect(names).not.toContain("yieldToStop");
  });

  it("says which orders wait for the first one of their wallet", () => {
    const { fired, waiting } = run([parent({}, { orderId: "A" }), parent({}, { orderId: "B" })]);
    expect([...fired, ...waiting].toSorted()).toEqual(["A", "B"]);
    expect(fired).toHaveLength(1);
    expect(run([parent({}, { orderId: "A" })], { out: 2000n }).waiting).toEqual([]);
  });

  it("fires nothing from a look that has grown old while the child was prepared", () => {
    expect(run([parent()], { preparing: 15_000 }).fired).toHaveLength(1);
    expect(run([parent()], { preparing: 15_001 }).fired).toEqual([]);
    const { maxGasPrice: _, ...terms } = mandate({ chain: "sol", legs: [limit] });
    const behind = { chain: "sol", out: 2100n, behind: 1 } as const;
    const onSol = [parent({ order: newResting(terms, "mac") })];
    expect(run(onSol, { ...behind, preparing: 14_000 }).fired).toHaveLength(1);
    expect(run(onSol, { ...behind, preparing: 14_001 }).fired).toEqual([]);
  });
});
