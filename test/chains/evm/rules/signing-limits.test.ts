import { describe, expect, it } from "vitest";
import type { Evm } from "../../../../lib/chains/evm/rules/family.ts";
import { clearGas } from "../../../../lib/chains/evm/rules/fees.ts";
import { swapBy } from "../../../../lib/chains/evm/rules/intent.ts";
import { mostFeeOf } from "../../../../lib/chains/evm/rules/slot.ts";
import type { SigningView } from "../../../../lib/orders/effects.ts";
import { counted, openPolicy, type WalletPolicy } from "../../../../lib/orders/wallet-policy.ts";
import {
  intent,
  signedFee,
  slot,
  tradeOrder,
  transaction,
  v2,
  v3,
  wideLimits,
} from "../../../support/trading.ts";
import { fees, ledger, nowMs, objection, swap } from "./support/objections.ts";

describe("objectionTo with a daily limit of network fees", () => {
  const { chain, wallet, userID } = intent();
  const { most } = signedFee(fees);
  const sale = tradeOrder({ intent: intent({ side: "sell" }) });
  const approval = { purpose: "approve", token: "0x5FbD", router: v2.router, amount: 1n } as const;
  const counting = (fees: bigint) =>
    counted({ chain, wallet, userID }, undefined, { adds: fees, fees, nowMs });
  const view = (left: bigint, changes: Partial<SigningView<Evm>> = {}) => ({
    limits: { stored: undefined, count: counting(9n * most) },
    chainLimits: { ...wideLimits, maxNetworkFeesPerDay: 9n * most + left },
    ...changes,
  });
  const late = { later: "the policy forbids it: networkFeesPerDay" };
  const raised = {
    maxFeePerGas: 2n * fees.maxFeePerGas,
    maxPriorityFeePerGas: 2n * fees.maxPriorityFeePerGas,
  };
  const signed = {
    ledger: ledger({ fees: { 7: signedFee(fees) }, swap: { nonce: 7, call: swap } }),
    slot: slot({ state: "signed" }),
  };

  it.each([
    ["a buy", {}, {}],
    ["a sale", { call: swapBy(sale.intent, v2, sale.amount) }, { order: sale }],
    ["an approval", { call: approval }, { order: sale }],
  ])("counts the highest network fee of %s", (_, changed, changes) => {
    const own = mostFeeOf(transaction(changed));
    expect(objection(changed, view(own, changes))).toBeUndefined();
    expect(objection(changed, view(own - 1n, changes))).toEqual(late);
  });

  it("limits a day to ten times the operators' limit per transaction by default", () => {
    const limits = (fees: bigint) => ({ stored: undefined, count: counting(fees) });
    const chainLimits = { maxNetworkFee: most };
    expect(objection({}, { chainLimits, limits: limits(9n * most) })).toBeUndefined();
    expect(objection({}, { chainLimits, limits: limits(9n * most + 1n) })).toEqual(late);
  });

  it("counts nothing if the same bytes are signed again, or if fees fall", () => {
    expect(objection({}, view(0n, signed))).toBeUndefined();
    const lower = { ...fees, most: 3n * most };
    const ledgerOf = ledger({ fees: { 7: lower }, swap: { nonce: 7, call: swap } });
    expect(objection(raised, view(0n, { ...signed, ledger: ledgerOf }))).toBeUndefined();
  });

  it("counts only the additional fee of a replacement", () => {
    expect(objection(raised, view(most, signed))).toBeUndefined();
    expect(objection(raised, view(most - 1n, signed))).toEqual(late);
  });

  it("starts a new count at midnight UTC", () => {
    const midnightMs = Date.parse("2026-11-22T00:00:00.000Z");
    const order = tradeOrder({ intent: intent({ validUntil: midnightMs / 1000 + 60 }) });
    const call = swapBy(order.intent, v3, order.amount);
    expect(objection({ call }, view(0n, { order }), { atMs: midnightMs - 1 })).toEqual(late);
    expect(objection({ call }, view(0n, { order }), { atMs: midnightMs })).toBeUndefined();
  });

  it("never rejects a clear that costs no more than its nonce's highest fee, and counts only costs above that", () => {
    const clear = { call: { purpose: "clear" }, gasLimit: clearGas } as const;
    const free = { ...raised, maxFeePerGas: most / clearGas };
    expect(
      objection({ ...clear, ...free }, view(-most, { ...signed, maxGasPrice: 10n ** 18n })),
    ).toBeUndefined();
    const dear = { ...raised, maxFeePerGas: most / clearGas + 1n };
    const adds = clearGas * dear.maxFeePerGas - most;
    const changes = { ...signed, maxGasPrice: 10n ** 18n };
    expect(objection({ ...clear, ...dear }, view(adds, changes))).toBeUndefined();
    expect(objection({ ...clear, ...dear }, view(adds - 1n, changes))).toEqual({
      later: "the limit forbids it: networkFeesPerDay",
    });
  });

  it("applies the owner's limit to a clear only if it is higher than the operators'", () => {
    const dear = { ...raised, maxFeePerGas: most / clearGas + 1n };
    const clear = { call: { purpose: "clear" }, gasLimit: clearGas, ...dear } as const;
    const adds = clearGas * dear.maxFeePerGas - most;
    const objectionWith = (left: bigint, maxNetworkFeesPerDay: bigint) => {
      const { limits, ...rest } = view(left, { ...signed, maxGasPrice: 10n ** 18n });
      const policy = { ...openPolicy, maxNetworkFeesPerDay };
      const stored = { chain, wallet, userID, policy, revision: 1 };
      return objection(clear, { ...rest, limits: { ...limits, stored } });
    };
    expect(objectionWith(-1n, 9n * most + adds)).toBeUndefined();
    expect(objectionWith(-1n, 9n * most + adds - 1n)).toHaveProperty("later");
    expect(objectionWith(adds, 1n)).toBeUndefined();
  });
});

describe("objectionTo with a wallet's policy", () => {
  const { chain, wallet, userID, amount } = intent();
  const key = { chain, wallet, userID };
  const spent = 5n;
  const fee = mostFeeOf(transaction());
  const count = counted(key, undefined, { fees: 0n, adds: spent, swapOf: "another", nowMs });
  const limits = (changes: Partial<WalletPolicy>) => ({
    limits: { stored: { ...key, policy: { ...openPolicy, ...changes }, revision: 1 }, count },
  });
  const signed = ledger({ fees: { 7: signedFee(fees) }, swap: { nonce: 7, call: swap } });

  const sale = tradeOrder({ intent: intent({ side: "sell" }) });
  const call = swapBy(sale.intent, v2, sale.amount);
  const approval = { purpose: "approve", token: "0x5FbD", router: v2.router, amount: 1n } as const;

  it.each<[string, Partial<WalletPolicy>]>([
    ["while trading is off", { tradingEnabled: false }],
    ["with a minimum too far below the quote", { maxSlippage: 9_999n }],
  ])("postpones a buy, a sale and an approval %s", (_, changes) => {
    expect(objection({}, limits(changes))).toHaveProperty("later");
    for (const each of [call, approval])
      expect(objection({ call: each }, { order: sale, ...limits(changes) })).toHaveProperty("later");
  });

  it.each<[string, Partial<WalletPolicy>]>([
    ["of a token that is not listed", { tokens: ["0xBAD"] }],
    ["above the limit of an order", { maxPerOrder: amount - 1n }],
    ["above the rest of the day, with its fee", { maxPerDay: amount + fee + spent - 1n }],
  ])("postpones a buy %s, and allows every sale", (_, changes) => {
    expect(objection({}, limits(changes))).toHaveProperty("later");
    expect(objection({ call }, { order: sale, ...limits(changes) })).toBeUndefined();
  });

  it("accepts a buy exactly at the limits", () => {
    const changes = {
      tokens: [intent().token],
      maxPerOrder: amount,
      maxPerDay: amount + fee + spent,
      maxSlippage: 10_000n,
    };
    expect(objection({}, limits(changes))).toBeUndefined();
  });

  it("counts an order once, and later only what higher fees add", () => {
    const raised = {
      maxFeePerGas: 2n * fees.maxFeePerGas,
      maxPriorityFeePerGas: 2n * fees.maxPriorityFeePerGas,
    };
    for (const [maxPerDay, isAllowed] of [
      [spent + fee, true],
      [spent + fee - 1n, false],
    ] as const) {
      const view = { ledger: signed, ...limits({ maxPerDay }) };
      expect(objection({}, view)).toBeUndefined();
      const answer = objection(raised, view);
      if (isAllowed) expect(answer).toBeUndefined();
      else expect(answer).toEqual({ later: "the policy forbids it: maxPerDay" });
    }
    expect(objection({}, { ledger: signed, ...limits({ tokens: [] }) })).toHaveProperty("later");
  });

  it("accepts clears under any policy, even beyond the day's limit", () => {
    const clear = { call: { purpose: "clear" }, gasLimit: clearGas } as const;
    const raised = { maxFeePerGas: 3_000_000_000n, maxPriorityFeePerGas: 2_000_000_000n };
    const view = {
      slot: slot({ state: "signed" }),
      ledger: signed,
      ...limits({ tradingEnabled: false, maxPerDay: 1n }),
    };
    expect(objection({ ...clear, ...raised }, view)).toBeUndefined();
  });

  it("applies the policy in force, even if a pending policy's time has come", () => {
    const pending = { policy: openPolicy, effectiveAt: new Date(nowMs - 1).toISOString() };
    const stored = { ...key, policy: { ...openPolicy, tradingEnabled: false }, pending, revision: 1 };
    expect(objection({}, { limits: { stored, count: undefined } })).toHaveProperty("later");
  });
});
