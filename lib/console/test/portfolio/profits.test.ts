import type { Order, Position } from "trading-terminal-client";
import { describe, expect, it } from "vitest";
import { profitsOf } from "../../app/portfolio/profits.ts";

/** Builds a fill of one of the user's own orders. */
function fill(createdAt: string, side: "buy" | "sell", paid: string, received: string, change = {}): Order {
  return {
    orderId: createdAt,
    chain: "eth",
    wallet: "0x1",
    token: "0x2",
    symbol: "MOON/ETH",
    quoteSymbol: "ETH",
    side,
    type: "market",
    status: "filled",
    filledAmount: paid,
    receivedAmount: received,
    networkFee: "0.01",
    createdAt,
    ...change,
  } as Partial<Order> as Order;
}

const bought = fill("2026-11-03T08:00:00.000Z", "buy", "1", "100");
const none = { foreign: 0, uncosted: 0, feeless: 0 };

/** Builds what the service has realized. */
const position = (netRealizedPnl: string, change: Partial<Position> = {}) => {
  const { orderId: _, ...names } = bought;
  return { ...names, positionId: "p", netRealizedPnl, realizedPnl: "0", ...change } as unknown as Position;
};

describe("profitsOf", () => {
  it("counts nothing without fills", () => {
    expect(profitsOf([], [])).toEqual({ days: [], undated: new Map(), leftOut: none });
  });

  it("counts a sale's share of the cost and of the fees, on the day in UTC on which its order was placed", () => {
    const late = fill("2026-11-03T23:59:59.999Z", "sell", "50", "0.8");
    const early = fill("2026-11-04T00:00:00.000Z", "sell", "50", "0.3");
    expect(profitsOf([early, late, bought], [position("0.07")])).toEqual({
      days: [
        { day: "2026-11-03", chain: "eth", fills: 2, gross: "0.3", fees: "0.015" },
        { day: "2026-11-04", chain: "eth", fills: 1, gross: "-0.2", fees: "0.015" },
      ],
      undated: new Map(),
      leftOut: none,
    });
  });

  it("keeps wallets, tokens and chains apart", () => {
    const others = [{ wallet: "0x3" }, { token: "0x4" }, { chain: "base" }].map((change, index) =>
      fill(`2026-11-05T00:00:0${index}.000Z`, "sell", "100", "9", change),
    );
    const { days, leftOut } = profitsOf([bought, ...others], []);
    expect(days.map(({ gross }) => gross)).toEqual(["0", "0", "0"]);
    expect(leftOut).toEqual({ ...none, uncosted: 3 });
  });

  it("counts the part of a sale that was bought here, and says that the rest has no known cost", () => {
    const { days, leftOut } = profitsOf([bought, fill("2026-11-04T00:00:00.000Z", "sell", "400", "8")], []);
    expect(days[1]).toMatchObject({ gross: "1", fees: "0.02" });
    expect(leftOut.uncosted).toBe(1);
  });

  it("counts the filled part of an order that was cancelled, and a resting order's child in its place", () => {
    const part = fill("2026-11-04T00:00:00.000Z", "sell", "10", "0.2", { status: "cancelled" });
    const resting = fill("2026-11-05T00:00:00.000Z", "sell", "10", "0.2", { childOrderId: "child" });
    expect(profitsOf([bought, part, resting], []).days.map(({ day }) => day)).toEqual([
      "2026-11-03",
      "2026-11-04",
    ]);
  });

  it("counts the fees of an order that filled nothing, but not those of a resting order a second time", () => {
    const failed = { status: "rejected", receivedAmount: undefined };
    const orders = [
      fill("2026-11-04T00:00:00.000Z", "buy", "0", "0", failed),
      fill("2026-11-05T00:00:00.000Z", "buy", "0", "0", { ...failed, childOrderId: "child" }),
    ];
    expect(profitsOf(orders, []).days).toEqual([
      { day: "2026-11-04", chain: "eth", fills: 0, gross: "0", fees: "0.01" },
    ]);
  });

  it("names fills without a fee and fills of other engines", () => {
    const engine = { token: undefined, symbol: "SOL/USDC", quoteSymbol: "USDC", receivedAmount: undefined };
    const { days, leftOut } = profitsOf(
      [
        { ...bought, networkFee: undefined } as unknown as Order,
        fill("2026-11-04T00:00:00.000Z", "buy", "1", "1", engine),
      ],
      [],
    );
    expect(leftOut).toEqual({ ...none, feeless: 1, foreign: 1 });
    expect(days).toHaveLength(1);
  });

  it("forgets what has left the wallet, and counts its fees on that day", () => {
    const moved = position("-0.01", { reason: "MOVED_OUT", closedAt: "2026-11-06T00:00:00.000Z" });
    const again = fill("2026-11-07T00:00:00.000Z", "buy", "2", "100");
    const sale = fill("2026-11-08T00:00:00.000Z", "sell", "100", "3");
    const { days, undated } = profitsOf([bought, again, sale], [moved, position("0.98")]);
    expect(days.slice(1)).toMatchObject([
      { day: "2026-11-06", fills: 0, gross: "0", fees: "0.01" },
      { day: "2026-11-07", gross: "0", fees: "0" },
      { day: "2026-11-08", gross: "1", fees: "0.02" },
    ]);
    expect([...undated]).toEqual([]);
  });

  it("names what positions have realized beyond all days, also those without a net profit", () => {
    const { undated } = profitsOf(
      [bought],
      [
        position("0.5"),
        position("", { netRealizedPnl: undefined, realizedPnl: "0.25", networkFees: "0.05" } as object),
        position("7", { token: undefined, symbol: "SOL/USDC", quoteSymbol: "USDC" } as object),
      ],
    );
    expect([...undated]).toEqual([["eth", "0.7"]]);
  });
});
