import { describe, expect, it } from "vitest";
import { type PolicyText, policyStateText, readPolicy } from "../../lib/wallets/policy-text.ts";

const dai = "0x6B175474E89094C44Da98b954EedeAC495271d0F";
const usdc = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
const asked = (changes: Partial<PolicyText> = {}): PolicyText => ({
  tokens: "any",
  tradingEnabled: true,
  ...changes,
});

describe("readPolicy", () => {
  it("reads amounts in units of the network's coin", () => {
    const limits = asked({ maxPerOrder: "0.5", maxPerDay: "00.000000001" });
    const rest = { tokens: "any", tradingEnabled: true };
    expect(readPolicy("base", limits)).toEqual({
      maxPerOrder: 5n * 10n ** 17n,
      maxPerDay: 10n ** 9n,
      ...rest,
    });
    const fees = asked({ maxNetworkFeesPerDay: "1.5" });
    const read = readPolicy("eth", fees);
    expect(read).toEqual({ maxNetworkFeesPerDay: 15n * 10n ** 17n, ...rest });
    expect(policyStateText("eth", { policy: read }).policy).toEqual(fees);
    expect(readPolicy("sol", limits)).toEqual({ maxPerOrder: 5n * 10n ** 8n, maxPerDay: 1n, ...rest });
  });

  it.each([0.0001, 0.29, 1.1, 12.3457, 100])(
    "reads a slippage of %s %% exactly, and shows it unchanged",
    (maxSlippage) => {
      const policy = readPolicy("eth", asked({ maxSlippage }));
      expect(String(policy.maxSlippage)).toBe((maxSlippage * 10_000).toFixed());
      expect(policyStateText("eth", { policy }).policy).toEqual(asked({ maxSlippage }));
    },
  );

  it("reads and shows `anyLoss` only if it is true", () => {
    expect(readPolicy("eth", asked({ anyLoss: false }))).toEqual(readPolicy("eth", asked()));
    const policy = readPolicy("eth", asked({ anyLoss: true }));
    expect(policyStateText("eth", { policy }).policy).toEqual(asked({ anyLoss: true }));
  });

  it("writes EVM addresses in one form, and each token once", () => {
    const tokens = [dai.toLowerCase(), dai, `0x${dai.slice(2).toUpperCase()}`];
    expect(readPolicy("avax", asked({ tokens }))).toMatchObject({ tokens: [dai] });
    expect(readPolicy("sol", asked({ tokens: [usdc, usdc] }))).toMatchObject({ tokens: [usdc] });
    expect(readPolicy("eth", asked({ tokens: [] }))).toMatchObject({ tokens: [] });
  });

  it.each<[string, "eth" | "sol", Partial<PolicyText>, string]>([
    ["more places than ether has", "eth", { maxPerOrder: `0.${"0".repeat(18)}1` }, "maxPerOrder"],
    ["more places than SOL has", "sol", { maxPerDay: "0.0000000001" }, "maxPerDay"],
    ["0", "eth", { maxPerDay: "0.0" }, "maxPerDay"],
    ["no network fees at all", "eth", { maxNetworkFeesPerDay: "0" }, "maxNetworkFeesPerDay"],
    ["a negative limit", "eth", { maxPerOrder: "-1" }, "maxPerOrder"],
    [
      "more than fits into 256 bits",
      "eth",
      { maxPerOrder: "9".repeat(40), maxPerDay: "9".repeat(60) },
      "maxPerDay",
    ],
    ["a wrong checksum", "eth", { tokens: [dai, dai.replace("B", "b")] }, "tokens.1"],
    ["the zero address", "eth", { tokens: [`0x${"0".repeat(40)}`] }, "tokens.0"],
    ["a Solana address on an EVM network", "eth", { tokens: [usdc] }, "tokens.0"],
    ["an EVM address on Solana", "sol", { tokens: [dai] }, "tokens.0"],
    ["base58 of 31 bytes", "sol", { tokens: ["1".repeat(31)] }, "tokens.0"],
    ["a very long text", "sol", { tokens: ["1".repeat(45)] }, "tokens.0"],
  ])("rejects %s, and names the field", (_, network, changes, field) => {
    expect(() => readPolicy(network, asked(changes))).toThrow(
      expect.objectContaining({ code: "INVALID_REQUEST", details: { field } }),
    );
  });
});

describe("policyStateText", () => {
  it("shows the policy in force and the pending policy in whole coins", () => {
    const policy = { maxPerOrder: 15n * 10n ** 17n, tokens: [dai], tradingEnabled: false };
    const pending = {
      policy: { maxPerDay: 1n, tokens: "any", tradingEnabled: true } as const,
      effectiveAt: "later",
    };
    expect(policyStateText("eth", { policy, pending })).toEqual({
      policy: { maxPerOrder: "1.5", tokens: [dai], tradingEnabled: false },
      pending: {
        policy: { maxPerDay: "0.000000000000000001", tokens: "any", tradingEnabled: true },
        effectiveAt: "later",
      },
    });
    expect(policyStateText("sol", { policy: { ...policy, maxPerOrder: 5n } })).toEqual({
      policy: { maxPerOrder: "0.000000005", tokens: [dai], tradingEnabled: false },
    });
  });
});
