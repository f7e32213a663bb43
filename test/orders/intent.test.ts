import { describe, expect, it } from "vitest";
import { allowsRoute } from "../../lib/chains/evm/rules/intent.ts";
import { intent, v2, v3 } from "../support/trading.ts";

describe("allowsRoute", () => {
  it.each(["buy", "sell"] as const)("allows a %s only the routes that it names", (side) => {
    const own = intent({ side, routes: [v2, v3] });
    expect([v2, { ...v3 }].map((route) => allowsRoute(own, route))).toEqual([true, true]);
    const others = [
      { ...v3, feeBps: 100 },
      { ...v2, router: v3.router },
      { ...v2, venue: "pancakeswap-v2" } as const,
    ];
    expect(others.map((route) => allowsRoute(own, route))).toEqual([false, false, false]);
    expect(allowsRoute({ routes: [] }, v2)).toBe(false);
  });
});
