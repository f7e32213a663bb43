import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { GivenPolicySchema } from "../../lib/api/wallet-policy-schema.ts";
import { WalletEventPageSchema } from "../../lib/api/wallet-request-schema.ts";
import { validate } from "../../lib/runtime/validate.ts";

describe("WalletEventPageSchema", () => {
  it("shows how a policy changed, without other stored fields", () => {
    const policy = {
      maxPerDay: "2",
      tokens: ["0x1"],
      maxSlippage: 1.5,
      anyLoss: true,
      tradingEnabled: false,
    };
    const pending = {
      policy: { tokens: "any", tradingEnabled: true },
      effectiveAt: "2026-11-23T12:00:00.000Z",
    };
    const shown = { type: "policyChanged", time: "2026-11-22T12:00:00.000Z", policy, pending };
    const answer = (event: object) => ({ success: true, data: { events: [event] }, timestamp: shown.time });
    const stored = { ...shown, userID: "alice", policy: { ...policy, secret: "x" } };
    expect(v.parse(WalletEventPageSchema, answer(stored))).toEqual(answer(shown));
  });
});

const read = (asked: object) => validate(GivenPolicySchema, asked);
const open = { tokens: "any", tradingEnabled: true };

describe("GivenPolicySchema", () => {
  it("reads a missing limit as no limit, and a missing list of tokens as any token", () => {
    expect(read({ tradingEnabled: true })).toEqual(open);
    const tokens = Array.from({ length: 100 }, () => "0x1");
    const limits = {
      maxPerOrder: "0.5",
      maxPerDay: "12",
      maxNetworkFeesPerDay: "3",
      tokens,
      maxSlippage: 0.0001,
      anyLoss: true,
      tradingEnabled: false,
    };
    expect(read(limits)).toEqual(limits);
  });

  const amountRule = "must be a decimal number above 0 as text";
  const tokensRule = "must be any, or a list of at most 100 addresses";
  it.each<[string, unknown[], string]>([
    [
      "maxPerOrder",
      [0, 1, null, "0", "0.0", "-1", "1e3", "", "1".repeat(41), `0.${"1".repeat(41)}`],
      amountRule,
    ],
    ["maxPerDay", ["0", "-0.1", 5, {}, "NaN"], amountRule],
    ["tokens", [null, "all", 5, {}, [5], [null], [["0x1"]], Array(101).fill("0x1")], tokensRule],
    ["maxSlippage", [0, -1, 0.00009, 100.0001], "must be"],
    ["maxSlippage", [1.00001], "must have at most 4 decimal places"],
    ["maxSlippage", ["1", null, [1]], "must be a number"],
    ["anyLoss", [null, "true", 1], "must be a boolean"],
    ["tradingEnabled", [null, "true", 1], "must be a boolean"],
    ["trading", [true], "is not a known field"],
    ["pending", [{}], "is not a known field"],
  ])("rejects an invalid %s and names the field", (field, values, rule) => {
    for (const value of values)
      expect(() => read({ ...open, [field]: value })).toThrow(
        expect.objectContaining({ message: expect.stringContaining(rule), details: { field } }),
      );
  });

  it("requires the field tradingEnabled", () => {
    expect(() => read({ tokens: "any" })).toThrow(
      expect.objectContaining({ details: { field: "tradingEnabled" } }),
    );
  });
});
