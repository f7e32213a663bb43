import { describe, expect, it } from "vitest";
import { type Preset, readPreset, switchesOf, warningsOfLimits } from "../../lib/orders/preset.ts";
import { openPolicy } from "../../lib/orders/wallet-policy.ts";

const given: Preset = { wallet: "0x1", buyAmount: "0.10", exits: [], maxBuyTax: 5, maxSellTax: 5 };
const refused = (field: string) => expect.objectContaining({ code: "INVALID_REQUEST", details: { field } });

describe("readPreset", () => {
  it("writes amounts in their usual form, and adds switches, which are off, on chains without settings", () => {
    const read = { ...given, buyAmount: "0.1", minLiquidity: "12" };
    expect(readPreset("eth", { ...given, minLiquidity: "012.0" })).toEqual(read);
    expect(readPreset("bsc", { ...given, minLiquidity: "12", autoBuy: true })).toEqual({
      ...read,
      autoBuy: true,
      autoSell: false,
    });
  });

  it.each<[string, "eth" | "sol" | "avax", Partial<Preset>]>([
    ["buyAmount", "sol", { buyAmount: "0.0000000001" }],
    ["minLiquidity", "avax", { minLiquidity: "0.0000000000000000001" }],
    ["autoBuy", "eth", { autoBuy: false }],
    ["autoSell", "sol", { autoSell: true }],
  ])("refuses a %s that %s does not have or cannot hold", (field, chain, changes) => {
    expect(() => readPreset(chain, { ...given, ...changes })).toThrow(refused(field));
  });
});

describe("switchesOf", () => {
  const on = { autoBuy: true, autoSell: true };
  const off = { autoBuy: false, autoSell: false };

  it.each([
    ["eth", on, undefined, on],
    ["eth", undefined, on, off],
    ["avax", on, off, off],
    ["avax", undefined, on, on],
    ["bsc", on, undefined, off],
  ] as const)("reads the switches of %s, set by settings as %j and by a preset as %j, as %j", (...row) => {
    const [chain, settings, preset, expected] = row;
    expect(switchesOf(chain, settings, preset && { ...given, ...preset })).toMatchObject(expected);
  });
});

describe("warningsOfLimits", () => {
  it("warns of a wallet that may spend any amount in a day", () => {
    expect(warningsOfLimits(undefined)).toEqual(["NO_DAY_LIMIT"]);
    expect(warningsOfLimits({ ...openPolicy, maxPerOrder: 1n })).toEqual(["NO_DAY_LIMIT"]);
    expect(warningsOfLimits({ ...openPolicy, maxPerDay: 1n })).toEqual([]);
  });
});
