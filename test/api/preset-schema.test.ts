import { describe, expect, it } from "vitest";
import { GivenPresetSchema } from "../../lib/api/preset-schema.ts";
import { validate } from "../../lib/runtime/validate.ts";

const exit = (percent: number) => ({ percent, stopLoss: { percent: -50 }, takeProfit: { percent: 100 } });
const least = { wallet: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266", buyAmount: "0.1", exits: [] };

describe("GivenPresetSchema", () => {
  it("reads taxes of 5 % where none are given, and all fields otherwise", () => {
    expect(validate(GivenPresetSchema, least)).toEqual({ ...least, maxBuyTax: 5, maxSellTax: 5 });
    const all = { ...least, slippage: 50, maxBuyTax: 0, maxSellTax: 100, minLiquidity: "3", autoBuy: true };
    expect(validate(GivenPresetSchema, all)).toEqual(all);
  });

  it.each<[string, unknown[]]>([
    ["wallet", [undefined, "", "alice", 1]],
    ["buyAmount", [undefined, "0", "-1", 1, "1e3", ""]],
    ["slippage", [0, 50.1, "5", null]],
    ["exits", [undefined, null, {}, [exit(60), exit(41)], Array(4).fill(exit(1))]],
    ["exits.0", [[{ percent: 50 }]]],
    ["exits.0.takeProfit.price", [[{ percent: 50, takeProfit: { price: "1" } }]]],
    ["maxBuyTax", [-1, 100.1, "5", null, 0.00001]],
    ["maxSellTax", [-1, 100.1, "5", null, 0.00001]],
    ["minLiquidity", ["0", 3, null]],
    ["autoBuy", ["yes", 1, null]],
    ["autoSell", ["yes", 1, null]],
    ["percent", [1]],
  ])("refuses an invalid %s, and names it", (field, values) => {
    for (const value of values)
      expect(() => validate(GivenPresetSchema, { ...least, [field]: value }), `${value}`).toThrow(
        expect.objectContaining({
          details: { field: expect.stringMatching(`^${field}`) },
          message: expect.not.stringMatching(/[<>]|Array|Object/),
        }),
      );
  });
});
