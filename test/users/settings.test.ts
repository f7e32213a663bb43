import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chains } from "../../lib/core/network.ts";
import { checkPatch, defaultSettings, gasPresets, settingsInForce } from "../../lib/users/settings.ts";

const chain = fc.constantFrom(...chains);
const patch = fc.record(
  {
    slippage: fc.double({ min: 0.0001, max: 100, noNaN: true }),
    gasPreset: fc.constantFrom(...gasPresets),
    maxGasPrice: fc.double({ min: 1e-9, max: 1e9, noNaN: true }),
    priorityFee: fc.double({ min: 0, max: 1e6, noNaN: true }),
    mevProtection: fc.boolean(),
    autoBuy: fc.boolean(),
    autoSell: fc.boolean(),
  },
  { requiredKeys: [] },
);

describe("settingsInForce", () => {
  it("returns the defaults if nothing is set", () => {
    for (const name of chains) expect(settingsInForce(name)).toEqual(defaultSettings[name]);
  });

  it("returns exactly the fields of the chain, whatever is stored", () => {
    fc.assert(
      fc.property(chain, patch, (name, stored) => {
        expect(Object.keys(settingsInForce(name, stored)).sort()).toEqual(
          Object.keys(defaultSettings[name]).sort(),
        );
      }),
    );
  });

  it("keeps the last change of each field, in any order of changes", () => {
    fc.assert(
      fc.property(chain, fc.array(patch, { maxLength: 6 }), (name, patches) => {
        const changed = Object.assign({}, ...patches);
        const inForce = settingsInForce(name, changed) as Record<string, unknown>;
        for (const field of Object.keys(defaultSettings[name])) {
          const last = patches.findLast((one) => Object.hasOwn(one, field));
          const expected = (last ?? defaultSettings[name]) as Record<string, unknown>;
          expect(inForce[field]).toBe(expected[field]);
        }
      }),
    );
  });

  it("never changes the defaults", () => {
    const before = structuredClone(defaultSettings);
    settingsInForce("eth", { slippage: 42 });
    expect(defaultSettings).toEqual(before);
  });
});

describe("checkPatch", () => {
  it.each([
    ["sol", "gasPreset", "fast"],
    ["sol", "maxGasPrice", 1],
    ["eth", "priorityFee", 1],
    ["base", "priorityFee", 1],
  ] as const)("validates settings of %s and rejects %s", (name, field, value) => {
    expect(() => checkPatch(name, { [field]: value })).toThrow(`${field} is not a setting of chain ${name}`);
  });

  it("omits absent settings", () => {
    expect(checkPatch("eth", { slippage: 2, gasPreset: undefined })).toEqual({ slippage: 2 });
    expect(checkPatch("sol", { gasPreset: undefined })).toEqual({});
  });
});
