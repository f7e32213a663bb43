import { describe, expect, it } from "vitest";
import type { Order } from "../../../lib/orders/execution.ts";
import { order, position } from "../../support/executions.ts";
import { createObservations } from "./observations.ts";
import { createPlacedKeys, type PlaceOutcome } from "./placed-keys.ts";

const at = (second: number) => new Date(Date.UTC(2026, 10, 21, 20, 0, second)).toISOString();
const o1 = (changes: Partial<Order>) => order({ orderId: "o1", clientOrderId: "k", ...changes }) as Order;

describe("createObservations", () => {
  const first = o1({ version: 1, updatedAt: at(1) });
  const third = o1({ version: 3, status: "filled", updatedAt: at(3) });

  it("accepts versions in any order, and repeated ones", () => {
    const { note, newest } = createObservations();
    const second = o1({ version: 2, stage: "sent", updatedAt: at(2) });
    const taken = [first, third, { ...second }, { ...third }, { ...first }];
    expect(taken.flatMap(note)).toEqual([]);
    expect(newest().get("o1")).toBe(third);
  });

  it("lets a settled position continue while it is open", () => {
    const { note } = createObservations();
    const open = position({ positionId: "p", version: 2, settled: true, updatedAt: at(1) });
    expect([open, { ...open, version: 3 }].flatMap(note)).toEqual([]);
  });

  it("lets versions restart after records are forgotten", () => {
    const { note, newest, forget } = createObservations();
    note({ ...third, settled: true });
    note(o1({ orderId: "o2" }));
    forget(({ status }) => status === "filled");
    expect([...newest().keys()]).toEqual(["o2"]);
    expect(note({ ...first, side: "sell" })).toEqual([]);
  });

  it.each([
    ["version 1 of o1 has two contents", first, { ...first, status: "filled" }],
    ["side changes from buy to sell of o1", { ...first, side: "buy" }, { ...third, side: "sell" }],
    ["updatedAt falls from version 1 to 3 of o1", first, { ...third, updatedAt: at(0) }],
    [
      "o1 was final in version 3, and has version 4",
      { ...third, settled: true },
      { ...third, settled: true, version: 4 },
    ],
    [
      "o1 was final in version 2, and has version 3",
      third,
      { ...first, status: "expired", settled: true, version: 2 },
    ],
  ])("reports that %s", (problem, ...records) => {
    const { note } = createObservations();
    expect((records as Order[]).flatMap(note)).toContain(problem);
  });
});

describe("createPlacedKeys", () => {
  const placed: PlaceOutcome = { order: o1({}), isReplayed: false };
  const replayed: PlaceOutcome = { order: o1({}), isReplayed: true };
  const refused: PlaceOutcome = { refused: "NO_ROUTE" };

  it.each<[string, PlaceOutcome[], Order[]]>([
    ["one order, however often it was asked for", [placed, replayed, "unknown", replayed], [o1({})]],
    ["an order whose answers were lost", ["unknown", refused], [o1({})]],
    ["no order if nothing is known", ["unknown"], []],
    ["no order if all requests were refused", [refused, refused], []],
    ["one order after a refusal", [refused, placed], [o1({})]],
  ])("allows %s under one idempotency key", (_, outcomes, orders) => {
    const { note, problemsOf } = createPlacedKeys();
    expect(outcomes.flatMap((outcome) => note("k", outcome))).toEqual([]);
    expect(problemsOf(orders)).toEqual([]);
  });

  it("lets a forgotten key place another order", () => {
    const { note, placed: placedKeys, forget, problemsOf } = createPlacedKeys();
    note("k", placed);
    forget("k");
    expect(placedKeys()).toEqual([]);
    expect(note("k", { order: o1({ orderId: "o2" }), isReplayed: false })).toEqual([]);
    expect(problemsOf([o1({ orderId: "o2" })])).toEqual([]);
  });

  it.each<[string, PlaceOutcome[], Order[]]>([
    ["key k has placed o1 and o2", [placed, { order: o1({ orderId: "o2" }), isReplayed: true }], []],
    ["key k was answered as new 2 times", [placed, placed], []],
    ["key k was answered with an order of j", [{ order: o1({ clientOrderId: "j" }), isReplayed: true }], []],
    ["order o1 was answered to key k, and is not listed", [placed], []],
    ["key k has the orders o1 and o2", [placed], [o1({}), o1({ orderId: "o2" })]],
    ["key k was refused, and has the order o1", [refused], [o1({})]],
    ["key j was never sent, and has an order", [], [o1({ clientOrderId: "j" })]],
  ])("reports that %s", (problem, outcomes, orders) => {
    const { note, problemsOf } = createPlacedKeys();
    const noted = outcomes.flatMap((outcome) => note("k", outcome));
    expect([...noted, ...problemsOf(orders)]).toContain(problem);
  });
});
