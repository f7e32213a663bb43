import fc from "fast-check";
import type { Order } from "trading-terminal-client";
import { exact } from "trading-terminal-client/markets";
import { describe, expect, it } from "vitest";
import { droppedPrice, inProportion, steppedPrice } from "../app/market/line-price.ts";
import { linesOf, movedOrder, type OrderLine, spreadLabels } from "../app/market/order-lines.ts";

const nowMs = Date.parse("2026-11-26T10:00:00Z");
const name = { chain: "eth", token: "0xA1" } as const;
const inAnHour = "2026-11-26T11:00:00.000Z";

const resting = (change: Partial<Order>) =>
  ({
    orderId: "o-1",
    ...name,
    wallet: "0xB2",
    symbol: "MOON/ETH",
    baseSymbol: "MOON",
    quoteSymbol: "ETH",
    side: "sell",
    type: "limit",
    amount: "1000",
    status: "open",
    stage: "resting",
    expiresAt: inAnHour,
    maxNetworkFee: "0.01",
    slippage: 2,
    ...change,
  }) as Order;

const limit = resting({ price: "0.0002" });
const stop = resting({ type: "stop", stopPrice: "0.00009", price: "0.000072" });
const pair = resting({
  type: "oco",
  takeProfit: { price: "0.00018" },
  stopLoss: { stopPrice: "0.00009", price: "0.00008" },
});

const lineOf = (order: Order, part: OrderLine["part"]) =>
  linesOf([order], name, nowMs).find((line) => line.part === part) as OrderLine;

describe("the lines of resting orders", () => {
  it("show where each order of the token fires, from the highest price down", () => {
    const other = { ...limit, token: "0xC3" };
    const lines = linesOf([stop, pair, other, { ...limit, token: "0xa1" }], name, nowMs);
    expect(lines.map(({ text, price }) => [text, price])).toEqual([
      ["Sell 1\u00a0000 MOON, limit", "0.0002"],
      ["Sell 1\u00a0000 MOON, take profit", "0.00018"],
      ["Sell 1\u00a0000 MOON, stop", "0.00009"],
      ["Sell 1\u00a0000 MOON, stop", "0.00009"],
    ]);
    expect(lines.every(({ canMove }) => canMove)).toBe(true);
  });

  it.each([
    ["a child is out", { stage: "firing" }],
    ["it ends within a minute", { expiresAt: "2026-11-26T10:00:30.000Z" }],
    ["it trails", { type: "trailing_stop", trailing: { trailPercent: 5, stopPrice: "0.0001" } }],
    ["its other part trails", { type: "oco", takeProfit: { price: "2" }, trailing: { trailPercent: 5 } }],
    ["it fills in slices", { type: "twap", status: "partially_filled" }],
  ] as [string, Partial<Order>][])("stay where they are while %s", (_, change) => {
    const lines = linesOf([{ ...limit, ...change } as Order], name, nowMs);
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.some(({ canMove }) => canMove)).toBe(false);
  });
});

describe("the order in place of a moved one", () => {
  const kept = { ...name, wallet: "0xB2", side: "sell", amount: "1000", slippage: 2, maxNetworkFee: "0.01" };

  it("has another price, and the same amount, limits and end", () => {
    const body = movedOrder(lineOf(limit, "limit"), "0.00021", nowMs);
    expect(body).toEqual({ ...kept, type: "limit", price: "0.00021", expiresInSeconds: 3600 });
  });

  it("moves the worst price of a stop with the stop", () => {
    expect(movedOrder(lineOf(stop, "stop"), "0.0001", nowMs)).toMatchObject({
      stopPrice: "0.0001",
      price: "0.00008",
    });
  });

  it("moves only one part of a pair", () => {
    expect(movedOrder(lineOf(pair, "takeProfit"), "0.0002", nowMs)).toMatchObject({
      takeProfit: { price: "0.0002" },
      stopLoss: { stopPrice: "0.00009", price: "0.00008" },
    });
    expect(movedOrder(lineOf(pair, "stop"), "0.000045", nowMs)).toMatchObject({
      takeProfit: { price: "0.00018" },
      stopLoss: { stopPrice: "0.000045", price: "0.00004" },
    });
  });

  it("names the exits of a buy, so that it gets no others", () => {
    const buy = { ...limit, side: "buy" as const };
    const exit = { percent: 50, takeProfit: { percent: 100 } };
    const withExits = { ...buy, exits: [{ ...exit, orderId: "o-9" }] };
    expect(movedOrder(lineOf(buy, "limit"), "0.0001", nowMs)).toMatchObject({ exits: [] });
    expect(movedOrder(lineOf(withExits, "limit"), "0.0001", nowMs)).toMatchObject({ exits: [exit] });
  });
});

describe("the price of a dragged line", () => {
  it.each([
    [0.000123456, "0.0001235"],
    [1e-18, "0.000000000000000001"],
    [1_234_567, "1235000"],
    [99.999, "100"],
  ])("is %d as an exact decimal: %s", (value, text) => {
    expect(droppedPrice(value)).toBe(text);
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])("is none at %d", (value) => {
    expect(droppedPrice(value)).toBeUndefined();
  });

  it.each([
    ["0.00018", 1, "0.000181"],
    ["0.00018", -1, "0.000179"],
    ["0.0001", -1, "0.000099"],
    ["0.000100", -1, "0.000099"],
    ["999", 1, "1000"],
    ["1000", 10, "1100"],
    ["0.00018345", 1, "0.000184"],
    ["0.00018345", -1, "0.000183"],
  ])("goes from %s by %d steps to %s", (price, steps, text) => {
    expect(steppedPrice(price, steps)).toBe(text);
  });

  it("keeps the proportion of other prices to 18 digits, and never above it", () => {
    expect(inProportion("0.8", "1", "3")).toBe("2.4");
    expect(inProportion("1", "3", "1")).toBe("0.333333333333333333");
    const price = fc.integer({ min: 1, max: 10 ** 9 }).map((units) => (units / 1e6).toFixed(6));
    fc.assert(
      fc.property(price, price, price, (own, from, to) => {
        const exactly = (Number(own) / Number(from)) * Number(to);
        const result = inProportion(own, from, to);
        expect(exact(result)).toBeDefined();
        expect(Number(result) / exactly).toBeCloseTo(1, 12);
      }),
    );
  });
});

describe("the labels of lines", () => {
  it("never cover each other and stay in the chart, wherever their prices are", () => {
    const tops = fc.array(fc.integer({ min: -500, max: 900 }), { maxLength: 40 });
    fc.assert(
      fc.property(tops, fc.integer({ min: 0, max: 400 }), (unsorted, height) => {
        const sorted = unsorted.toSorted((a, b) => a - b);
        const placed = spreadLabels(sorted, 22, height);
        expect(placed).toHaveLength(sorted.length);
        const shown = placed.filter((top) => top !== undefined);
        expect(shown).toHaveLength(Math.min(sorted.length, Math.floor(height / 22)));
        for (const [index, top] of shown.entries()) {
          expect(top).toBeGreaterThanOrEqual(0);
          expect(top + 22).toBeLessThanOrEqual(height);
          if (index > 0) expect(top).toBeGreaterThanOrEqual((shown[index - 1] ?? 0) + 22);
        }
      }),
    );
  });

  it("stay at their prices where there is room", () => {
    expect(spreadLabels([10, 60, 200], 22, 300)).toEqual([10, 60, 200]);
    expect(spreadLabels([10, 15], 22, 300)).toEqual([10, 32]);
  });
});
