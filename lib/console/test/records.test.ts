import type { Order } from "trading-terminal-client";
import { describe, expect, it } from "vitest";
import {
  distancesFrom,
  exitPrices,
  exitsOf,
  firesAt,
  isSelling,
  pairUnits,
  slicesText,
  usd,
  usdText,
} from "../app/format.ts";
import { marksOf } from "../app/market/bars.ts";

const fill: Partial<Order> = {
  chain: "eth",
  token: "0xA1",
  symbol: "MOON/ETH",
  baseSymbol: "MOON",
  quoteSymbol: "ETH",
  side: "buy",
  status: "filled",
  createdAt: "2026-11-26T10:00:30.000Z",
  updatedAt: "2026-11-26T10:00:42.000Z",
  receivedAmount: "1000",
  averagePrice: "0.0001",
};

const filled = fill as Order;

describe("marksOf", () => {
  it("keeps the mark of a fill in place when the fill becomes final", () => {
    const settled = { ...filled, updatedAt: "2026-11-26T10:13:42.000Z" };
    const name = { chain: "eth", token: "0xa1" } as const;
    const time = Date.parse("2026-11-26T10:00:00Z") / 1000;
    const mark = { time, at: filled.createdAt, side: "buy", text: "Bought 1\u00a0000 MOON at 0.0001 ETH" };
    for (const order of [filled, settled]) expect(marksOf([order], name, "1m")).toEqual([mark]);
  });

  it("marks the child of a resting order, and not the order itself, which is much older", () => {
    const parent = { ...filled, createdAt: "2026-11-20T10:00:30.000Z", childOrderId: "o-2" };
    expect(marksOf([parent], { chain: "eth", token: "0xa1" }, "1m")).toEqual([]);
  });
});

describe("firesAt", () => {
  it("lists the prices at which a resting order fires, and none of another order", () => {
    expect(firesAt({ type: "limit", price: "0.0002" })).toEqual(["0.0002"]);
    expect(firesAt({ type: "stop", stopPrice: "2", price: "1.6" })).toEqual(["stop 2"]);
    const pair = { type: "oco", takeProfit: { price: "3" }, stopLoss: { stopPrice: "1" } };
    expect(firesAt(pair)).toEqual(["3", "stop 1"]);
    expect(firesAt({ type: "trailing_stop", price: "1", trailing: { stopPrice: "2" } })).toEqual(["stop 2"]);
    expect(firesAt({ type: "market", price: "1" })).toEqual([]);
  });
});

describe("slicesText", () => {
  it("says how many slices have filled and when the next one is due, and says nothing for other orders", () => {
    const nextAt = "2026-01-02T12:30:00.000Z";
    expect(slicesText({ slices: 3, slicesDone: 1, nextAt })).toMatch(
      /^1 of 3 slices, next 2 Jan, \d\d:\d\d$/,
    );
    expect(slicesText({ slices: 3, slicesDone: 3 })).toBe("3 of 3 slices");
    expect(slicesText({})).toBeUndefined();
  });
});

describe("distancesFrom", () => {
  it("lists how far the market's price is from each price at which a resting order fires", () => {
    expect(distancesFrom("0.0002", { type: "limit", price: "0.00019" })).toEqual(["−5 %"]);
    const pair = { type: "oco", takeProfit: { price: "3" }, stopLoss: { stopPrice: "1.75" } };
    expect(distancesFrom("2", pair)).toEqual(["+50 %", "stop −12.5 %"]);
  });
});

describe("pairUnits", () => {
  it("takes the units from the record's own fields, whatever the name of its pair", () => {
    expect(pairUnits(filled)).toEqual({ base: "MOON", quote: "ETH" });
    const odd = { ...filled, symbol: "MOON/v2/ETH", baseSymbol: "MOON/v2" };
    expect(pairUnits(odd)).toEqual({ base: "MOON/v2", quote: "ETH" });
    const names = { symbol: "SOL-USDC", baseSymbol: "SOL", quoteSymbol: "USDC" };
    expect(pairUnits({ chain: "sol", ...names })).toEqual({ base: "SOL", quote: "USDC" });
  });

  it("names no units for an order of another engine without symbols, but names the coin for the service's own orders", () => {
    expect(pairUnits({ chain: "sol", symbol: "SOL/USDC" })).toEqual({ base: "", quote: "" });
    const old = { chain: "eth", symbol: "MOON/ETH", token: "0xA1" } as const;
    expect(pairUnits(old)).toEqual({ base: "MOON/ETH", quote: "ETH" });
  });
});

describe("dollars", () => {
  it("separates the thousands of dollar amounts, as in all other numbers", () => {
    expect([usd(2597.631), usd(1.00064), usd(1_234_567)]).toEqual([
      "2\u00a0597.63",
      "1.0006",
      "1\u00a0234\u00a0567.00",
    ]);
    expect([usdText("-1234.5"), usdText("0.00012345678")]).toEqual(["−$1\u00a0234.50", "$0.00012346"]);
  });
});

describe("isSelling", () => {
  const position = { chain: "eth", wallet: "0x1", token: "0x2", status: "open" };
  const sale = { ...position, side: "sell", stage: "approving" };

  it("is true while an order sells the position, but not while an exit waits", () => {
    for (const stage of ["queued", "waiting", "approving", "sent"])
      expect(isSelling(position, [{ ...sale, stage }])).toBe(true);
    const others = [
      { ...sale, stage: "resting" },
      { ...sale, stage: "done", status: "rejected" },
      { ...sale, side: "buy" },
      { ...sale, wallet: "0x3" },
      { ...sale, token: "0x4" },
      { ...sale, chain: "base" },
    ];
    expect(isSelling(position, others)).toBe(false);
  });
});

describe("exitsOf", () => {
  const position = { chain: "eth", wallet: "0x1", token: "0x2", status: "open" };
  const exit = { ...position, type: "limit", price: "3", maxAmount: "5", stage: "resting" };

  it("selects the open exits of a position's wallet and token", () => {
    const others = [
      { ...exit, maxAmount: undefined },
      { ...exit, status: "filled" },
      { ...exit, wallet: "0x3" },
      { ...exit, token: "0x4" },
      { ...exit, chain: "base" },
    ];
    expect(exitsOf(position, [exit, ...others])).toEqual([exit]);
    expect(exitsOf({ ...position, status: "closed" }, [exit])).toEqual([]);
  });

  it("are shown with their prices, or with what they wait for", () => {
    expect(exitPrices(exit)).toBe("3");
    expect(exitPrices({ type: "oco", stage: "pending" })).toBe("(pending)");
  });
});
