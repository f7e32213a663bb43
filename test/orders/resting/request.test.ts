import { describe, expect, it } from "vitest";
import { type GivenResting, restingProblem } from "../../../lib/orders/resting/request.ts";

const common = { chain: "base", wallet: "0xf39F", side: "sell", token: "0x5409", amount: "5000" } as const;
const limit = { ...common, type: "limit", price: "0.0002" } as const;
const stop = { ...common, type: "stop", stopPrice: "0.00008" } as const;
const oco = {
  ...common,
  type: "oco",
  takeProfit: { price: "0.0002" },
  stopLoss: { stopPrice: "0.00008" },
} as const;

describe("restingProblem", () => {
  it.each<GivenResting>([
    limit,
    { ...limit, side: "buy" },
    stop,
    { ...stop, price: "0.00007", amount: undefined, percent: 50 },
    oco,
    { ...oco, stopLoss: { stopPrice: "0.00008", price: "0.00007" } },
    { ...oco, slippage: 50, gasPreset: "turbo", maxGasPrice: 3, mevProtection: true, allowUnsafe: true },
    { ...limit, expiresInSeconds: 60, maxNetworkFee: "0.05", dryRun: true },
    { ...limit, chain: "sol", priorityFee: 0.01, expiresInSeconds: 7_776_000 },
  ])("accepts %j", (request) => {
    expect(restingProblem(request)).toBeUndefined();
  });

  it.each<[string, GivenResting]>([
    ["price", { ...limit, price: undefined }],
    ["stopPrice", { ...stop, stopPrice: undefined }],
    ["takeProfit", { ...oco, takeProfit: undefined }],
    ["stopLoss", { ...oco, stopLoss: undefined }],
    ["takeProfit.price", { ...oco, takeProfit: {} }],
    ["stopLoss.stopPrice", { ...oco, stopLoss: { price: "1" } }],
    ["stopPrice", { ...limit, stopPrice: "1" }],
    ["price", { ...oco, price: "1" }],
    ["takeProfit.stopPrice", { ...oco, takeProfit: { price: "1", stopPrice: "1" } }],
    ["stopLoss.percent", { ...oco, stopLoss: { stopPrice: "1", percent: -10 } }],
    ["minAmountOut", { ...limit, minAmountOut: "1" }],
    ["maxPriceImpact", { ...limit, maxPriceImpact: 1 }],
    ["validForSeconds", { ...limit, validForSeconds: 60 }],
    ["pool", { ...limit, pool: "0x5409" }],
    ["exits", { ...limit, exits: [] }],
    ["trailPercent", { ...stop, trailPercent: 5 }],
    ["slices", { ...limit, slices: 2 }],
    ["auto", { ...limit, auto: "buy" }],
    ["side", { ...stop, side: "buy" }],
    ["side", { ...oco, side: "buy" }],
    ["amount", { ...limit, amount: undefined }],
    ["percent", { ...limit, percent: 50 }],
    ["percent", { ...limit, side: "buy", amount: undefined, percent: 50 }],
    ["priorityFee", { ...limit, priorityFee: 0.01 }],
    ["gasPreset", { ...limit, chain: "sol", gasPreset: "fast" }],
    ["maxGasPrice", { ...limit, chain: "sol", maxGasPrice: 3 }],
    ["slippage", { ...limit, slippage: 50.0001 }],
    ["expiresInSeconds", { ...limit, expiresInSeconds: 59 }],
    ["expiresInSeconds", { ...limit, expiresInSeconds: 7_776_001 }],
    ["expiresInSeconds", { ...limit, expiresInSeconds: 60.5 }],
  ])("names %s in %j", (field, request) => {
    expect(restingProblem(request)?.[0]).toBe(field);
  });

  it("names a field of another type before a missing one, and that before a wrong side", () => {
    const { stopPrice, ...others } = stop;
    expect(restingProblem({ ...others, side: "buy", slices: 2 })?.[0]).toBe("slices");
    expect(restingProblem({ ...others, side: "buy" })?.[0]).toBe("stopPrice");
    expect(restingProblem({ ...others, side: "buy", stopPrice })?.[0]).toBe("side");
  });
});
