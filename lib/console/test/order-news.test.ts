import type { Order } from "trading-terminal-client";
import { describe, expect, it } from "vitest";
import { makeOrderNews, sameTrade } from "../app/market/order-news.ts";

const order = (orderId: string, minute: number, change: Partial<Order> = {}) =>
  ({
    orderId,
    chain: "eth",
    token: "0xA1",
    symbol: "MOON/ETH",
    baseSymbol: "MOON",
    quoteSymbol: "ETH",
    side: "buy",
    type: "market",
    status: "open",
    filledAmount: "0",
    createdAt: `2026-11-26T10:0${minute}:00.000Z`,
    ...change,
  }) as Order;

const bought = {
  status: "filled",
  filledAmount: "1",
  receivedAmount: "9714.286",
  averagePrice: "0.000103",
} as const;

const sold = { side: "sell", status: "filled", filledAmount: "500", averagePrice: "0.00018" } as const;

/** Makes a function that returns only the texts of the news. */
function makeNews() {
  const news = makeOrderNews();
  return (orders: Order[]) => news(orders).map(({ text }) => text);
}

describe("the news of fills", () => {
  it("reports each of the user's fills once, also one that was undone and has come again", () => {
    const news = makeNews();
    expect(news([order("old", 1, bought), order("buy", 2)])).toEqual([]);
    expect(news([order("old", 1, bought), order("buy", 2, bought)])).toEqual([
      "Bought 9\u00a0714 MOON at 0.000103 ETH",
    ]);
    expect(news([order("old", 1, bought), order("buy", 2, { ...bought, settled: true })])).toEqual([]);
    expect(news([order("buy", 2)])).toEqual([]);
    expect(news([order("buy", 2, bought)])).toEqual([]);
  });

  it("reports the child of a resting order in its place, and of an order that was never seen open", () => {
    const news = makeNews();
    const rested = { ...sold, type: "limit", childOrderId: "child" } as const;
    news([order("rests", 1, { type: "limit", side: "sell" })]);
    expect(news([order("rests", 1, rested), order("child", 2, sold)])).toEqual([
      "Sold 500 MOON at 0.00018 ETH",
    ]);
  });

  it("reports what an order has traded when it ends, and not of orders that the page lacked at first", () => {
    const news = makeNews();
    const part = { status: "partially_filled", filledAmount: "0.5", receivedAmount: "4857" } as const;
    news([order("parts", 5)]);
    expect(news([order("parts", 5, part), order("long ago", 1, bought)])).toEqual([]);
    expect(news([order("parts", 5, { ...part, status: "cancelled" })])).toEqual(["Bought 4\u00a0857 MOON"]);
  });

  it("reports the first order of a user who had none", () => {
    const news = makeNews();
    news([]);
    expect(news([order("first", 1, bought)])).toHaveLength(1);
  });
});

const failed = {
  status: "rejected",
  reasonCode: "SLIPPAGE_EXCEEDED",
  reason: "You would have received less than the minimum",
} as const;

describe("the news of orders that end without a fill", () => {
  it("says once, and as a problem, what has failed and why", () => {
    const news = makeOrderNews();
    news([order("sale", 1, { side: "sell" }), order("old", 1, failed)]);
    const sale = order("sale", 1, { side: "sell", ...failed });
    expect(news([sale, order("old", 1, failed)])).toEqual([
      {
        order: sale,
        kind: "bad",
        text: "The sale of MOON failed: you would have received less than the minimum. Nothing was traded.",
      },
    ]);
    expect(news([sale])).toEqual([]);
  });

  it("reports one that rested and expired, also after a child has failed", () => {
    const news = makeNews();
    news([order("rests", 1, { type: "limit" })]);
    const end = { status: "expired", reasonCode: "EXPIRED", reason: "The order's time was over" } as const;
    expect(news([order("rests", 1, { type: "limit", ...end, childOrderId: "child" })])).toEqual([
      "The limit buy of MOON has expired: the order's time was over. Nothing was traded.",
    ]);
  });

  it("reports a cancellation, unless the user or the fill of another order has caused it", () => {
    const news = makeNews();
    const reasons = [
      "CANCELLED_BY_USER",
      "PARENT_NOT_FILLED",
      "POSITION_CLOSED",
      "REPLACED",
      "YIELDED",
    ] as const;
    const all = (change: Partial<Order>) => reasons.map((id) => order(id, 1, change));
    news([...all({}), order("retired", 1)]);
    const cancelled = reasons.map((id) => order(id, 1, { status: "cancelled", reasonCode: id }));
    const retired = { status: "cancelled", reasonCode: "WALLET_RETIRED" } as const;
    expect(news([...cancelled, order("retired", 1, retired)])).toEqual([
      "The buy of MOON was cancelled: wallet retired. Nothing was traded.",
    ]);
  });

  it("fill the ticket again, if they were market orders", () => {
    const sale = order("sale", 1, { side: "sell", wallet: "0xB2", amount: "500", percent: 50 });
    const trade = { chain: "eth", side: "sell", token: "0xA1", wallet: "0xB2" };
    expect(sameTrade(sale)).toEqual({ ...trade, given: "50", unit: "percent" });
    const { percent: _, ...exact } = sale;
    expect(sameTrade(exact as Order)).toEqual({ ...trade, given: "500", unit: "amount" });
    expect(sameTrade({ ...sale, type: "limit" })).toBeUndefined();
  });
});
