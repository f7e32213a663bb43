import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { EnvelopeErrorSchema } from "../../lib/api/error-schemas.ts";
import { type EvmOrderChecks, objectionToEvmOrder } from "../../lib/chains/evm/rules/order-checks.ts";
import type { Need } from "../../lib/orders/needs.ts";
import { quoteWarnings, type Warned, warningsOf } from "../../lib/orders/quote-warnings.ts";
import { unknownSafety } from "../../lib/orders/token-safety.ts";
import { openPolicy, type WalletPolicy } from "../../lib/orders/wallet-policy.ts";
import { freeFees } from "../support/trading.ts";

const coin = 10n ** 18n;
const gwei = 10n ** 9n;

const need = (changes: Partial<Need> = {}): Need => ({
  token: "native",
  symbol: "ETH",
  decimals: 18,
  needed: coin,
  available: coin,
  ...changes,
});

const swapGas = { estimate: 100_000n, gasLimit: 125_000n, l1Fee: 0n };

const fine: EvmOrderChecks = {
  chain: "eth",
  side: "buy",
  token: "0xA0",
  amount: coin,
  isStopped: false,
  openOrders: 19,
  maxOrder: coin,
  adds: coin,
  minAmountOut: 990_000n,
  quotedOut: 1_000_000n,
  rules: {
    policy: { ...openPolicy, maxPerOrder: coin, maxPerDay: coin, tokens: ["0xA0"], maxSlippage: 10_000n },
    spent: 0n,
    fees: freeFees,
  },
  maxGasPrice: 2n * gwei,
  fees: { maxFeePerGas: 5n * gwei, maxPriorityFeePerGas: gwei },
  baseFee: gwei,
  maxNetworkFee: 250_000n * gwei,
  transactions: [swapGas],
  needs: [need()],
  safety: { sellable: true, buyTax: 25, sellTax: 25, hasLoss: false },
  flags: ["TAXED"],
  allowUnsafe: false,
  priceImpact: 15,
  maxPriceImpact: 15,
};

/** Changes that trigger a single reason each, in order of precedence. */
const reasons: [string, Partial<EvmOrderChecks>, object | undefined][] = [
  ["TRADING_DISABLED", { isStopped: true }, undefined],
  ["WALLET_BUSY", { openOrders: 20 }, undefined],
  ["POLICY_LIMIT", { maxOrder: coin / 2n }, { rule: "maxOrder", limit: "0.5", requested: "1" }],
  ["GAS_PRICE_TOO_HIGH", { maxGasPrice: 2n * gwei - 1n }, { gasPrice: "2", limit: "1.999999999" }],
  [
    "INSUFFICIENT_BALANCE",
    { needs: [need(), need({ token: "0x5FbD", symbol: "MOON", decimals: 6, available: 1n })] },
    { token: "0x5FbD", symbol: "MOON", needed: "1000000000000", available: "0.000001" },
  ],
  [
    "TOKEN_UNSAFE",
    { safety: { sellable: false, buyTax: 1, sellTax: null, hasLoss: false } },
    { flags: ["TAXED"], buyTax: 1, sellTax: null },
  ],
  ["NO_REFERENCE", { lacksLeast: true }, { field: "minAmountOut" }],
  ["PRICE_IMPACT_TOO_HIGH", { priceImpact: 15.0001 }, { priceImpact: 15.0001, limit: 15 }],
  [
    "SIGN_IN_REQUIRED",
    { loss: { isListed: false, coins: coin, unlisted: { open: 0n, filled: 0n } } },
    { maxAgeSeconds: 300 },
  ],
];

describe("objectionToOrder", () => {
  it("allows orders that are exactly at the limits", () => {
    expect(objectionToEvmOrder(fine)).toBeUndefined();
  });

  it.each(reasons)("returns %s with its details", (code, changes, details) => {
    const objection = objectionToEvmOrder({ ...fine, ...changes });
    expect(objection).toMatchObject({ code, message: expect.any(String) });
    expect(objection?.details).toEqual(details);
  });

  it("returns only the first of several reasons", () => {
    reasons.forEach(([code], index) => {
      const changes = Object.assign({}, ...reasons.slice(index).map(([, change]) => change));
      expect(objectionToEvmOrder({ ...fine, ...changes })?.code).toBe(code);
    });
  });

  const policies: {
    [Rule in Exclude<keyof WalletPolicy, "anyLoss" | "maxNetworkFeesPerDay">]-?: [
      Partial<WalletPolicy>,
      object,
    ];
  } = {
    tradingEnabled: [{ tradingEnabled: false }, {}],
    tokens: [{ tokens: ["0xB0"] }, { limit: "0", requested: "1" }],
    maxPerOrder: [{ maxPerOrder: coin - 1n }, { limit: "0.999999999999999999", requested: "1" }],
    maxPerDay: [{ maxPerDay: (coin * 5n) / 4n }, { limit: "1.25", requested: "1.5" }],
    maxSlippage: [{ maxSlippage: 9_999n }, { limit: 0.9999, requested: 1 }],
  };
  const salesToo = ["tradingEnabled", "maxSlippage"];

  it.each(Object.entries(policies))(
    "names the policy's rule %s in the details of POLICY_LIMIT",
    (rule, [changes, details]) => {
      const rules = { policy: { ...openPolicy, ...changes }, spent: coin / 2n, fees: freeFees };
      const refusal = { code: "POLICY_LIMIT", details: { rule, ...details } };
      const objection = objectionToEvmOrder({ ...fine, rules });
      expect(objection).toMatchObject(refusal);
      expect(v.is(EnvelopeErrorSchema, { ...refusal, message: objection?.message })).toBe(true);
      const ofSale = objectionToEvmOrder({ ...fine, side: "sell", rules });
      if (salesToo.includes(rule)) expect(ofSale).toMatchObject(refusal);
      else expect(ofSale).toBeUndefined();
    },
  );

  it.each(["buy", "sell"] as const)(
    "names the day's limit of network fees and when it resets, for a %s",
    (side) => {
      const rules = {
        ...fine.rules,
        policy: openPolicy,
        fees: { ...freeFees, counted: coin, limit: 2n * coin },
      };
      const checks = { ...fine, side, rules } as EvmOrderChecks;
      expect(objectionToEvmOrder({ ...checks, networkFees: coin })).toBeUndefined();
      const objection = objectionToEvmOrder({ ...checks, networkFees: coin + 1n });
      const refusal = {
        code: "POLICY_LIMIT",
        details: {
          rule: "networkFeesPerDay",
          limit: "2",
          requested: "2.000000000000000001",
          resetsAt: "2026-11-23T00:00:00.000Z",
        },
      };
      expect(objection).toMatchObject(refusal);
      expect(v.is(EnvelopeErrorSchema, { ...refusal, message: objection?.message })).toBe(true);
    },
  );

  it("counts the L1 fee as gas", () => {
    const transactions = [{ ...swapGas, l1Fee: 1n }];
    expect(objectionToEvmOrder({ ...fine, transactions })).toMatchObject({
      code: "GAS_PRICE_TOO_HIGH",
      details: { gasPrice: "2.000000001", limit: "2" },
    });
  });

  it("returns GAS_PRICE_TOO_HIGH if any transaction would cost more than the operators' limit", () => {
    const approval = { ...swapGas, gasLimit: 250_000n };
    for (const checks of [{ maxNetworkFee: 250_000n * gwei - 1n }, { transactions: [approval, swapGas] }])
      expect(objectionToEvmOrder({ ...fine, ...checks })).toMatchObject({
        code: "GAS_PRICE_TOO_HIGH",
        details: { gasPrice: "2", limit: "transactions" in checks ? "1" : "1.999999999" },
      });
  });

  it("never blocks a sale because of its token or amount", () => {
    const safety = { sellable: false, buyTax: 99, sellTax: 99, hasLoss: true };
    expect(objectionToEvmOrder({ ...fine, side: "sell", maxOrder: 0n, safety })).toBeUndefined();
  });

  it("allows an unsafe token if the user agrees, and any token of unknown safety", () => {
    const safety = { sellable: false, buyTax: 99, sellTax: 99, hasLoss: true };
    expect(objectionToEvmOrder({ ...fine, safety, allowUnsafe: true })).toBeUndefined();
    expect(objectionToEvmOrder({ ...fine, safety: unknownSafety })).toBeUndefined();
  });
});

describe("warningsOf", () => {
  const calm: Warned = {
    side: "buy",
    submission: "private",
    coins: 100n,
    networkFee: { expected: 20n, max: 30n },
    left: 60n,
    slippage: 10,
    marketImpact: 4.9999,
    bounds: { least: 90n, quoted: 90n },
  };

  it("gives no warning exactly at the limits", () => {
    expect(warningsOf(calm)).toEqual([]);
    expect(warningsOf({ ...calm, submission: "sequencer", left: undefined })).toEqual([]);
  });

  it.each<[string, Partial<Warned>]>([
    ["MEV_UNPROTECTED", { submission: "public" }],
    ["NO_GAS_TO_SELL", { left: 59n }],
    ["FEE_ABOVE_VALUE", { coins: 99n }],
    ["SLIPPAGE_HIGH", { slippage: 10.0001 }],
    ["PRICE_IMPACT_HIGH", { marketImpact: 5 }],
    ["AMOUNT_TINY", { marketImpact: undefined }],
    ["MINIMUM_ABOVE_QUOTE", { bounds: { least: 91n, quoted: 90n } }],
  ])("gives only the warning %s if only its reason is present", (warning, changes) => {
    expect(warningsOf({ ...calm, ...changes })).toEqual([warning]);
  });

  it("returns all warnings in a fixed order", () => {
    const changes = {
      submission: "public",
      left: -1n,
      coins: 0n,
      slippage: 50,
      isBelowMarket: true,
      bounds: { least: 1n, quoted: 0n },
    } as const;
    const most = quoteWarnings.filter((warning) => warning !== "AMOUNT_TINY");
    expect(warningsOf({ ...calm, ...changes, marketImpact: 5 })).toEqual(most);
  });

  it("compares a wallet's remaining coin with the reserve for a later sale, if both amounts are known", () => {
    const gas = { ...calm, left: 10n, exitReserve: 10n };
    expect(warningsOf(gas)).toEqual([]);
    expect(warningsOf({ ...gas, exitReserve: 11n })).toEqual(["NO_GAS_TO_SELL"]);
  });

  it("does not warn sellers that they lack coin for a later sale", () => {
    expect(warningsOf({ ...calm, side: "sell", left: 0n })).toEqual([]);
  });
});
