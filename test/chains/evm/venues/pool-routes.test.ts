import { describe, expect, it } from "vitest";
import type { EvmRoute } from "../../../../lib/chains/evm/rules/intent.ts";
import type { PoolQuotes } from "../../../../lib/chains/evm/venues/pool-quotes.ts";
import { areAt, poolRoutesOf } from "../../../../lib/chains/evm/venues/pool-routes.ts";
import { v2, v2OverUSDC, v3 } from "../../../support/trading.ts";

const block = { number: 7, time: 100 };
const quoted = (route: EvmRoute, ...amountsOut: (bigint | undefined)[]): PoolQuotes["routes"][number] => ({
  route: { ...route, pool: `${route.venue} ${route.feeBps}` },
  amountsOut,
});

describe("poolRoutesOf", () => {
  it("sorts the routes of each trade by the amount that they pay", () => {
    const direct = { block, routes: [quoted(v2, 5n, 50n), quoted(v3, 6n, 40n)] };
    const bridged = [{ block, routes: [quoted(v2OverUSDC, 7n, 45n)] }];
    const { routes, found } = poolRoutesOf({ direct, bridged });
    expect(routes.map((each) => each.map(({ amountOut }) => amountOut))).toEqual([
      [7n, 6n, 5n],
      [50n, 45n, 40n],
    ]);
    expect(found).toHaveLength(3);
  });

  it("leaves out routes that pay nothing, and reports whether that is because the amount is too small", () => {
    const direct = { block, routes: [quoted(v2, 0n, 5n), quoted(v3, undefined, 6n)] };
    const { routes, isTooSmall } = poolRoutesOf({ direct, bridged: [] });
    expect(routes).toMatchObject([[], [{ amountOut: 6n }, { amountOut: 5n }]]);
    expect(isTooSmall).toEqual([true, false]);
  });
});

describe("areAt", () => {
  it("requires all pools to be read at the same block", () => {
    const direct = { block, routes: [] };
    expect(areAt({ direct, bridged: [direct] }, block)).toBe(true);
    const later = { block: { ...block, number: 8 }, routes: [] };
    expect(areAt({ direct, bridged: [later] }, block)).toBe(false);
    expect(areAt({ direct, bridged: [] }, { ...block, time: 101 })).toBe(false);
  });
});
