import { describe, expect, it } from "vitest";
import { outOf } from "./pools.ts";

describe("outOf", () => {
  it("subtracts fees and taxes, and takes the best route", () => {
    const pool = (coins: number, fee: number) => ({ reserves: { native: coins, moon: 1000 }, fee });
    const route = (coins: number, fee: number) => ({ path: ["native", "moon"], pools: [pool(coins, fee)] });
    const market = { tax: 0.05, routes: [route(1000, 0), route(1000, 0.003)] };
    expect(outOf(market, "buy", 100n)).toBeCloseTo((0.95 * 1000 * 100) / 1100, 9);
    expect(outOf(market, "sell", 100n)).toBeCloseTo((1000 * 95) / 1095, 9);
  });

  it("passes through two pools in the direction of the trade", () => {
    const bridge = { reserves: { native: 1000, usdx: 2000 }, fee: 0 };
    const pool = { reserves: { usdx: 4000, moon: 1000 }, fee: 0 };
    const market = { tax: 0, routes: [{ path: ["native", "usdx", "moon"], pools: [bridge, pool] }] };
    const dollars = (2000 * 100) / 1100;
    expect(outOf(market, "buy", 100n)).toBeCloseTo((1000 * dollars) / (4000 + dollars), 9);
    const back = (4000 * 100) / 1100;
    expect(outOf(market, "sell", 100n)).toBeCloseTo((1000 * back) / (2000 + back), 9);
  });
});
