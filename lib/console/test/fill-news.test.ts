import type { Order } from "trading-terminal-client";
import { describe, expect, it } from "vitest";
import { makeFillNews } from "../app/market/fill-news.ts";

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

describe("the news of fills", () => {
  it("reports each own fill once, also of one that was undone and has come again", () => {
    const news = makeFillNews();
    expect(news([order("old", 1, bought), order("buy", 2)])).toEqual([]);
    expect(news([order("old", 1, bought), order("buy", 2, bought)])).toEqual([
      "Bought 9\u00a0714 MOON at 0.000103 ETH",
    ]);
    expect(news([order("old", 1, bought), order("buy", 2, { ...bought, settled: true })])).toEqual([]);
    expect(news([order("buy", 2)])).toEqual([]);
    expect(news([order("buy", 2, bought)])).toEqual([]);
  });

  it("reports the child of a resting order in its place, and of an order that was never seen open", () => {
    const news = makeFillNews();
    const rested = { ...sold, type: "limit", childOrderId: "child" } as const;
    news([order("rests", 1, { type: "limit", side: "sell" })]);
    expect(news([order("rests", 1, rested), order("child", 2, sold)])).toEqual([
      "Sold 500 MOON at 0.00018 ETH",
    ]);
  });

  it("reports what an order has traded when it ends, and not of orders that the page lacked at first", () => {
    const news = makeFillNews();
    const part = { status: "partially_filled", filledAmount: "0.5", receivedAmount: "4857" } as const;
    news([order("parts", 5)]);
    expect(news([order("parts", 5, part), order("long ago", 1, bought)])).toEqual([]);
    expect(news([order("parts", 5, { ...part, status: "cancelled" })])).toEqual(["Bought 4\u00a0857 MOON"]);
  });

  it("reports the first order of a user who had none", () => {
    const news = makeFillNews();
    news([]);
    expect(news([order("first", 1, bought)])).toHaveLength(1);
  });
});
