import { describe, expect, it } from "vitest";
import { allowsRoute, routesFor } from "../../../lib/trading/core/intent.ts";
import { intent } from "../../support/trading.ts";

const venues = ["uniswap-v2", "pancakeswap-v2", "uniswap-v3"] as const;
const v2 = { venue: "uniswap-v2", feeBps: 30 } as const;
const v3 = { venue: "uniswap-v3", feeBps: 30 } as const;

describe("routesFor", () => {
  it("returns for a buy only v2, which checks the amount that arrives, and the quoted v3 pool", () => {
    const { v3FeeBps: _, ...any } = intent();
    const byV2 = { ...any, ...routesFor("buy", venues, v2) };
    const pancake = { ...v2, venue: "pancakeswap-v2" } as const;
    expect([v2, pancake, v3].map((route) => allowsRoute(byV2, route))).toEqual([true, true, false]);
    const byV3 = intent(routesFor("buy", venues, v3));
    expect([v2, v3].map((route) => allowsRoute(byV3, route))).toEqual([true, true]);
    expect(allowsRoute(byV3, { ...v3, feeBps: 100 })).toBe(false);
  });

  it("returns for a sale all routes of the chain, since every router checks the coin that arrives", () => {
    const sale = intent({ side: "sell", ...routesFor("sell", venues, v2) });
    expect(allowsRoute(sale, { ...v3, feeBps: 100 })).toBe(true);
    expect(allowsRoute(intent({ side: "sell", venues: ["uniswap-v2"] }), v3)).toBe(false);
  });
});
