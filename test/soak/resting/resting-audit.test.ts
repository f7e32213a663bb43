import { describe, expect, it } from "vitest";
import type { Order } from "../../../lib/orders/execution.ts";
import type { Child } from "../../replay/compare.ts";
import { askedFor, coin, limit, pair, sliced, startMs } from "../../replay/fixtures.ts";
import {
  type Fill,
  problemsOfFills,
  problemsOfParent,
  problemsOfResting,
  type ShownParent,
} from "./resting-audit.ts";

describe("problemsOfFills", () => {
  const fill = (spent: bigint, received: bigint): Fill => ({
    hash: "0x1",
    spent,
    received,
    atMs: startMs,
    place: 0,
  });
  const asked = askedFor("avax", pair);

  it.each<[problem: string, status: Order["status"], fills: Fill[], leg?: Child["leg"]]>([
    [
      "was filled 2 times, by 0x1, 0x1",
      "filled",
      [fill(40n * coin, 50n * coin), fill(40n * coin, 50n * coin)],
    ],
    [
      "spent 100000000000000000001 of 100000000000000000000 units",
      "filled",
      [fill(100n * coin + 1n, 200n * coin)],
    ],
    ["is cancelled, and a block has its swap", "cancelled", [fill(100n * coin, 110n * coin)]],
    [
      "got 49999999999999999999 for 100000000000000000000 by 0x1, beyond its price",
      "filled",
      [fill(100n * coin, 50n * coin - 1n)],
    ],
    [
      "got 109999999999999999999 for 100000000000000000000 by 0x1, beyond its price",
      "filled",
      [fill(100n * coin, 110n * coin - 1n)],
      "takeProfit",
    ],
  ])("reports that an order %s", (problem, status, fills, leg) => {
    expect(problemsOfFills(asked, { status }, fills, leg)).toEqual([
      `resting order rest of ann on avax ${problem}`,
    ]);
  });

  it("reports no problem of a fill at the worst price of its leg", () => {
    expect(problemsOfFills(asked, { status: "filled" }, [fill(100n * coin, 50n * coin)], "stopLoss")).toEqual(
      [],
    );
  });
});

describe("problemsOfParent", () => {
  const moon = { chain: "avax", wallet: "0xA", token: "moon", side: "sell" };
  const ended = { status: "filled", stage: "done", settled: true, networkFee: "0.5", txHash: "0x1" };
  const child = { ...moon, ...ended, orderId: "child" } as Order;
  const order = { ...moon, ...ended, orderId: "rest", filledAmount: "100", receivedAmount: "111" } as Order;
  const good: ShownParent = {
    asked: askedFor("avax", limit),
    order,
    children: [{ order: child, hashes: ["0x1"] }],
    firings: [{ orderId: "child", leg: "limit", outcome: "filled" }],
  };
  const fills = [{ hash: "0x1", spent: 100n * coin, received: 111n * coin, atMs: startMs, place: 0 }];

  it("reports no problem if order, children and chain agree", () => {
    expect(problemsOfParent(good, fills)).toEqual([]);
  });

  it("adds up the slices of an order, and reports one that fills twice", () => {
    const asked = askedFor("avax", sliced);
    const slices = [1, 2].map(
      (slice) => ({ orderId: `${slice}`, leg: "slice", slice, outcome: "filled" }) as const,
    );
    const parent: ShownParent = {
      asked,
      order: { ...order, status: "cancelled", filledAmount: "66", receivedAmount: "80", networkFee: "1" },
      children: slices.map(({ orderId }) => ({ order: { ...child, orderId }, hashes: [] })),
      firings: slices,
    };
    const parts = [fills[0], fills[0]].map((fill) => ({
      ...(fill as Fill),
      spent: 33n * coin,
      received: 40n * coin,
    }));
    const reasoned = {
      ...parent,
      order: { ...parent.order, reasonCode: "CANCELLED_BY_USER" },
    } as ShownParent;
    expect(problemsOfParent(reasoned, parts)).toEqual([]);
    const twice = { ...reasoned, firings: slices.map((each) => ({ ...each, slice: 2 })) };
    expect(problemsOfParent(twice, parts)).toEqual([
      expect.stringContaining("has filled a slice twice, of 2, 2"),
    ]);
  });

  it("lets a child fill although a restore has ended its order", () => {
    const ended = { status: "cancelled", reasonCode: "MANDATE_VOID", networkFee: "0" } as const;
    expect(problemsOfParent({ ...good, order: { ...order, ...ended } }, fills)).toEqual([]);
  });

  it.each<[problem: string, parent: ShownParent, fills: Fill[]]>([
    ["never settled", { ...good, order: { ...order, settled: false } }, fills],
    ["is filled, and no block has its swap", good, []],
    [
      "is filled, and has 0 filled children",
      { ...good, children: [{ order: { ...child, status: "expired" }, hashes: [] }] },
      fills,
    ],
    [
      "has networkFee 0.5 instead of 0",
      { ...good, children: [{ order: { ...child, networkFee: "0" }, hashes: [] }] },
      fills,
    ],
    ["has receivedAmount 112 instead of 111", { ...good, order: { ...order, receivedAmount: "112" } }, fills],
    [
      "names the child lost, which is not listed",
      { ...good, firings: [...good.firings, { orderId: "lost", leg: "limit", outcome: "failed" }] },
      fills,
    ],
    [
      "has ended, and shows child as out",
      { ...good, firings: [{ orderId: "child", leg: "limit", outcome: "out" }] },
      fills,
    ],
  ])("reports that an order %s", (problem, parent, found) => {
    expect(problemsOfParent(parent, found)).toContain(`resting order rest of ann on avax ${problem}`);
  });
});

describe("problemsOfResting", () => {
  it("reports each order that one view has and another one lacks", () => {
    expect(problemsOfResting("ann", { listed: ["a", "b"], open: ["a", "c"], stored: ["a", "d"] })).toEqual([
      "d rests, and status=resting of ann does not list it",
      "b does not rest, and status=resting of ann lists it",
      "d rests, and is not an open order of ann",
      "c of ann is open, and does not rest",
    ]);
  });
});
