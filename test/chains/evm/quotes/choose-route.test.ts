import { describe, expect, it } from "vitest";
import { routesToTry, workingRoutes } from "../../../../lib/chains/evm/quotes/choose-route.ts";
import type { EvmRoute } from "../../../../lib/chains/evm/rules/intent.ts";
import type { PoolRoute } from "../../../../lib/chains/evm/venues/pool-routes.ts";
import { defaultChains } from "../../../../lib/infra/default-chains.ts";
import { v2, v2OverUSDC, v3, v3OverUSDC } from "../../../support/trading.ts";

const paying = (route: EvmRoute, amountOut: bigint, pool = `${route.venue} ${route.feeBps}`): PoolRoute => ({
  ...route,
  pool,
  amountOut,
});

describe("routesToTry", () => {
  // Narrow pools priced slightly above the market, which a token's owner can create.
  const narrow = [1, 5, 10].map((feeBps, index) => paying({ ...v3, feeBps }, 1030n - BigInt(index)));
  const deep = paying({ ...v3, feeBps: 100 }, 1010n);
  const [onV2, overUSDC] = [paying(v2, 1000n), paying(v2OverUSDC, 990n, "over USDC")];

  it("tries the two best pools of a kind, and also the deepest", () => {
    const [one, two] = narrow as [PoolRoute, PoolRoute];
    const routes = [...narrow, deep, onV2, overUSDC];
    const ofMore = [deep, onV2, ...narrow].map((route) => ({ ...route, amountOut: 4n * route.amountOut }));
    expect(routesToTry(routes, ofMore)).toEqual([onV2, overUSDC, one, two, deep]);
    expect(routesToTry(routes)).toEqual([onV2, overUSDC, one, two]);
  });

  it("tries each pool of the token once, even if several bridges lead to it", () => {
    const over = [v3OverUSDC, { ...v3OverUSDC, feeBps: 30 }].map((route) => paying(route, 1000n, "0x3"));
    expect(routesToTry(over, over.toReversed())).toEqual([over[0]]);
  });
});

describe("workingRoutes", () => {
  it("counts only the amount that each route's own router is allowed to take", () => {
    const fees = { maxFeePerGas: 1n, maxPriorityFeePerGas: 0n };
    const request = {
      ...({ wallet: "0xA", side: "sell", token: "0xB", amountIn: 1000n, fees, baseFee: 0n } as const),
      allowances: new Map([
        [v3.router, 1000n],
        [v2.router, 999n],
      ]),
      hasTokens: false,
    };
    const routes = [paying(v2, 5n), paying(v3, 5n), paying(v2OverUSDC, 5n)];
    const chain = { chain: "eth", configuration: defaultChains.eth } as const;
    const working = workingRoutes(chain, request, routes, { outcomes: [], l1Fees: [] });
    expect(working.map(({ allowance, approvals }) => [allowance, approvals])).toEqual([
      [999n, 1],
      [1000n, 0],
      [1000n, 0],
    ]);
  });
});
