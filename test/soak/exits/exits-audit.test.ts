import { describe, expect, it } from "vitest";
import type { Order } from "../../../lib/orders/execution.ts";
import { problemsOfBuy, problemsOfHeld, type ShownBuy } from "./exits-audit.ts";

const coin = 10n ** 18n;
const of = { chain: "avax", wallet: "0xA", token: "moon" } as const;
const stopLoss = { stopPrice: "0.00005", price: "0.00004" };
const exit = (orderId: string, terms: Partial<Order>): Order =>
  ({ ...of, orderId, side: "sell", status: "open", stage: "resting", attention: [], ...terms }) as Order;
const half = exit("half", { type: "oco", amount: "30", takeProfit: { price: "0.0002" }, stopLoss });
const rest = exit("rest", { type: "trailing_stop", amount: "20", trailing: { trailPercent: 9, mark: "1" } });
const order = {
  ...of,
  orderId: "buy",
  side: "buy",
  status: "filled",
  exits: [{ orderId: "half" }, { orderId: "rest" }],
} as Order;
const fill = { hash: "0x1", spent: (5n * coin) / 1000n, received: 50n * coin, atMs: 1, place: 0 };
const good: ShownBuy = {
  asked: {
    orderId: "buy",
    userID: "ann",
    chain: "avax",
    wallet: "0xA",
    decimals: 18,
    createdAtMs: 0,
    body: {
      token: "moon",
      exits: [
        { percent: 60, takeProfit: { percent: 100 }, stopLoss: { percent: -50 } },
        { percent: 40, trailing: { trailPercent: 9 } },
      ],
    },
  },
  order,
  fills: [fill],
  exits: [half, rest],
};
const ended = { status: "cancelled", stage: "done", reasonCode: "PARENT_NOT_FILLED" } as const;

describe("problemsOfBuy", () => {
  it("finds no problem of exits that rest for their shares, or for what was held, or that end with their buy", () => {
    expect(problemsOfBuy(good)).toEqual([]);
    const exits = [
      { ...half, amount: "25" },
      { ...rest, amount: "20" },
    ];
    expect(problemsOfBuy({ ...good, held: 25n * coin, exits })).toEqual([]);
    const unfilled = { ...order, status: "expired" } as Order;
    const none = good.exits.map((each) => ({ ...each, ...ended }) as Order);
    expect(problemsOfBuy({ ...good, order: unfilled, fills: [], exits: none })).toEqual([]);
  });

  it.each<[problem: string, change: Partial<ShownBuy>]>([
    ["was filled 2 times", { fills: [fill, fill] }],
    ["is expired, and blocks have 1 of its swaps", { order: { ...order, status: "expired" } }],
    ["names an exit twice", { order: { ...order, exits: [half, half] as never }, exits: [half] }],
    ["has the exit more, which it does not name", { exits: [half, rest, exit("more", {})] }],
    ["names the exit rest, which is not listed", { exits: [half] }],
    ["has the exit half, which is open pending", { exits: [{ ...half, stage: "pending" }, rest] }],
    [
      "has the exit half, which is open suspended, EXIT_SUSPENDED",
      { exits: [{ ...half, stage: "suspended", attention: [{ code: "EXIT_SUSPENDED", since: "" }] }, rest] },
    ],
    ["has the exit half, which is for 29, and not for 30", { exits: [{ ...half, amount: "29" }, rest] }],
    ["has the exit half, which is for 30, and not for 25", { held: 25n * coin }],
    ["has the exit rest, which has fired child", { exits: [half, { ...rest, childOrderId: "child" }] }],
    [
      "has the exit half, which has its limit at 0.00021, not 0.0002",
      { exits: [{ ...half, takeProfit: { price: "0.00021" } }, rest] },
    ],
    [
      "has the exit half, which has its stop at undefined, not 0.00005",
      { exits: [{ ...half, stopLoss: undefined }, rest] },
    ],
    [
      "has the exit rest, which has a trailing stop that follows no price",
      { exits: [half, { ...rest, trailing: { trailPercent: 9 } }] },
    ],
    [
      "has the exit half, which is open resting although nothing was bought",
      { fills: [], order: { ...order, status: "expired" }, exits: [half, { ...rest, ...ended } as Order] },
    ],
  ])("reports that a buy %s", (problem, change) => {
    expect(problemsOfBuy({ ...good, ...change })).toEqual([`buy buy of ann on avax ${problem}`]);
  });

  it("reports a buy that lacks its own set of exits", () => {
    const [first] = order.exits ?? [];
    expect(problemsOfBuy({ ...good, order: { ...order, exits: first && [first] }, exits: [half] })).toEqual([
      "buy buy of ann on avax names 1 exits, and not 2",
    ]);
  });
});

describe("problemsOfHeld", () => {
  it("reports tokens that were sold although no price has moved", () => {
    const held = { wallet: "0xA", token: "moon", before: 1n, after: 6n, received: 5n };
    expect(problemsOfHeld([held, { ...held, after: 5n }])).toEqual([
      "0xA held 1 of moon, received 5, and holds 5",
    ]);
  });
});
