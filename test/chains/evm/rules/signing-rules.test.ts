import { describe, expect, it } from "vitest";
import type { Evm } from "../../../../lib/chains/evm/rules/family.ts";
import { replacing } from "../../../../lib/chains/evm/rules/fee-bumps.ts";
import { clearGas } from "../../../../lib/chains/evm/rules/fees.ts";
import {
  type ApproveCall,
  type EvmRoute,
  type SwapCall,
  swapBy,
  type UnsignedEvmTransaction,
} from "../../../../lib/chains/evm/rules/intent.ts";
import { feeBudget } from "../../../../lib/chains/evm/rules/signing-rules.ts";
import type { EvmAttempt } from "../../../../lib/chains/evm/rules/slot.ts";
import type { SigningView } from "../../../../lib/orders/effects.ts";
import { unstarted } from "../../../../lib/orders/trade-order.ts";
import { attempt } from "../../../support/lane-states.ts";
import { intent, signedFee, slot, tradeOrder, v2, v3, wideLimits } from "../../../support/trading.ts";
import { fees, ledger, nowMs, objection, swap } from "./support/objections.ts";

describe("objectionToTransaction", () => {
  it("accepts the order's own swap", () => {
    expect(objection()).toBeUndefined();
  });

  it.each<[string, Partial<SwapCall>]>([
    ["another recipient", { recipient: "0xBAD" }],
    ["another token", { token: "0xBAD" }],
    ["the other side", { side: "sell" }],
    ["a lower minimum", { minAmountOut: swap.minAmountOut - 1n }],
    ["another deadline", { deadline: swap.deadline + 1 }],
    ["more than the order's amount", { amountIn: swap.amountIn + 1n, value: swap.value + 1n }],
    ["another value than its amount", { value: swap.value - 1n }],
    ["nothing at all", { amountIn: 0n, value: 0n }],
    ["no refund", { hasRefund: false }],
  ])("rejects a swap with %s", (_, change) => {
    expect(objection({ call: { ...swap, ...change } })).toHaveProperty("refused");
  });

  it.each<[string, Partial<UnsignedEvmTransaction>]>([
    ["more gas than twice the intent's", { gasLimit: 2n * 134_415n + 1n }],
    ["a fee above the highest gas price", { maxFeePerGas: 100_000_000_001n }],
    ["a tip above the whole fee", { maxPriorityFeePerGas: 1_750_000_001n }],
  ])("rejects a transaction with %s", (_, change) => {
    expect(objection(change)).toHaveProperty("refused");
  });

  it("rejects more than 1.5 million gas, even if the intent allows it", () => {
    const order = tradeOrder({ intent: intent({ gasLimit: 1_000_000n }) });
    expect(objection({ gasLimit: 1_500_001n }, { order })).toHaveProperty("refused");
  });

  it.each<[string, readonly EvmRoute[]]>([
    ["does not name", [v2]],
    ["names with another fee", [v2, { ...v3, feeBps: 100 }]],
    ["names with another router", [v2, { ...v3, router: v2.router }]],
    ["lists among more than three routes", [v3, v2, { ...v3, feeBps: 5 }, { ...v3, feeBps: 100 }]],
  ])("rejects a route that the intent %s", (_, routes) => {
    const order = tradeOrder({ intent: intent({ routes }) });
    expect(objection({}, { order })).toHaveProperty("refused");
  });

  it("rejects an intent without routes, or with a forged MAC", () => {
    const order = tradeOrder({ intent: intent({ routes: [] }) });
    expect(objection({}, { order })).toHaveProperty("refused");
    expect(objection({}, {}, { isGenuine: false })).toHaveProperty("refused");
  });

  const { userID, createdAt: before = 0, ...terms } = intent();
  const withoutTime = { ...terms, userID };

  it.each<[string, Partial<SigningView<Evm>>, number]>([
    ["at its deadline", {}, Date.parse("2026-11-21T20:02:00.000Z")],
    ["while trading is stopped", { isStopped: true }, nowMs],
    ["with a retired wallet", { isRetired: true }, nowMs],
    ["of an order being cancelled", { order: tradeOrder({ isCancelling: true }) }, nowMs],
    ["that the user has cancelled, whatever the order says", { isCancelled: true }, nowMs],
    ["that was placed before the user cancelled all orders", { cutoffs: { all: { userID, before } } }, nowMs],
    ["that was placed before its wallet was retired", { cutoffs: { wallet: { userID, before } } }, nowMs],
    [
      "without a time, once the user has ever cancelled all orders of its chain",
      { order: tradeOrder({ intent: withoutTime }), cutoffs: { all: { userID, eth: 1 } } },
      nowMs,
    ],
    [
      "of an order that has ended",
      { order: tradeOrder({ life: { ...unstarted, status: "expired" } }) },
      nowMs,
    ],
    ["at a nonce that is used", { slot: slot({ state: "mined" }) }, nowMs],
    ["without a slot", { slot: undefined }, nowMs],
  ])("postpones a swap %s", (_, view, atMs) => {
    expect(objection({}, view, { atMs })).toHaveProperty("later");
  });

  it("rejects a second nonce and a second call for the order's swap", () => {
    const signed = { fees: { 7: signedFee(fees) }, swap: { nonce: 7, call: swap } };
    expect(objection({}, { ledger: ledger(signed) })).toBeUndefined();
    expect(objection({ nonce: 8 }, { ledger: ledger(signed) })).toHaveProperty("refused");
    const call = { ...swap, amountIn: swap.amountIn - 1n, value: swap.value - 1n };
    expect(objection({ call }, { ledger: ledger(signed) })).toHaveProperty("refused");
  });

  it("requires fees at least an eighth higher for each further attempt", () => {
    const signed = ledger({ fees: { 7: signedFee(fees) }, swap: { nonce: 7, call: swap } });
    const raised = { maxFeePerGas: 1_968_750_000n, maxPriorityFeePerGas: 1_125_000_000n };
    expect(objection(raised, { ledger: signed })).toBeUndefined();
    expect(
      objection({ ...raised, maxFeePerGas: raised.maxFeePerGas - 1n }, { ledger: signed }),
    ).toHaveProperty("later");
  });

  describe("the order's budget for fees", () => {
    const sale = intent({ side: "sell" });
    const order = tradeOrder({ intent: sale });
    const call: ApproveCall = { purpose: "approve", token: "0x5FbD", router: v2.router, amount: 1n };
    const highest = { maxFeePerGas: sale.maxGasPrice, maxPriorityFeePerGas: sale.maxGasPrice };

    it("allows two approvals and a swap that use all allowed gas at the highest gas price", () => {
      const most = sale.approvalGas * sale.maxGasPrice;
      const approved = ledger({ approveNonces: [5], fees: { 5: { ...fees, most } } });
      const approval = { call, gasLimit: sale.approvalGas, ...highest };
      expect(objection(approval, { order, ledger: approved })).toBeUndefined();
      const twice = ledger({ approveNonces: [5, 6], fees: { 5: { ...fees, most }, 6: { ...fees, most } } });
      const swapOfAll = swapBy(sale, v2, sale.amount);
      const last = { call: swapOfAll, gasLimit: 2n * sale.gasLimit, ...highest };
      expect(objection(last, { order, ledger: twice })).toBeUndefined();
      const above = ledger({ fees: { 5: { ...fees, most: 2n * most }, 6: { ...fees, most: 1n } } });
      expect(objection(last, { order, ledger: above })).toHaveProperty("refused");
      expect(objection({ ...approval, gasLimit: sale.approvalGas + 1n }, { order })).toHaveProperty(
        "refused",
      );
    });

    it("counts replaced transactions of a nonce only once", () => {
      const signed = ledger({ fees: { 7: { ...fees, most: feeBudget(sale) } } });
      const swapOfAll = swapBy(sale, v2, sale.amount);
      const raised = { call: swapOfAll, gasLimit: 2n * sale.gasLimit, ...highest };
      expect(objection(raised, { order, ledger: signed })).toBeUndefined();
      expect(objection({ ...raised, nonce: 8 }, { order, ledger: signed })).toHaveProperty("refused");
    });
  });

  it("rejects a nonce more than 20 above the wallet's nonce at placing, and accepts a lower one", () => {
    const order = tradeOrder({ intent: intent({ nextNonce: 10 }) });
    for (const nonce of [7, 30]) expect(objection({ nonce }, { order })).toBeUndefined();
    expect(objection({ nonce: 31 }, { order })).toHaveProperty("refused");
  });

  it("postpones signing if the deadline is more than ten minutes away", () => {
    const order = tradeOrder({ intent: intent({ validUntil: nowMs / 1000 + 600 }) });
    const call = swapBy(order.intent, v3, order.amount);
    expect(objection({ call }, { order })).toBeUndefined();
    expect(objection({ call }, { order }, { atMs: nowMs - 1 })).toHaveProperty("later");
  });

  it("accepts orders that were placed a millisecond after cancellations of all orders", () => {
    const cutoffs = {
      all: { userID, before: before - 1, eth: before - 1, base: before },
      wallet: { userID, before: before - 1 },
    };
    expect(objection({}, { cutoffs })).toBeUndefined();
  });

  it("postpones signing for an order that is more than 5 seconds from the future", () => {
    const at = (createdAt: number) => objection({}, { order: tradeOrder({ intent: intent({ createdAt }) }) });
    expect(at(nowMs + 5000)).toBeUndefined();
    expect(at(nowMs + 5001)).toEqual({ later: "the order is from the future" });
  });

  it("rejects a transaction that may pay the network more than the operators allow", () => {
    const chainLimits = { maxNetworkFee: signedFee(fees).most };
    expect(objection({}, { chainLimits })).toBeUndefined();
    const raised = { maxFeePerGas: fees.maxFeePerGas + 1n };
    expect(objection(raised, { chainLimits })).toHaveProperty("refused");
  });

  it("postpones a buy above the operators' limit, but never a sale", () => {
    const chainLimits = { ...wideLimits, maxOrder: intent().amount };
    expect(objection({}, { chainLimits })).toBeUndefined();
    const lower = { ...chainLimits, maxOrder: intent().amount - 1n };
    expect(objection({}, { chainLimits: lower })).toHaveProperty("later");
    const order = tradeOrder({ intent: intent({ side: "sell" }) });
    const call = swapBy(order.intent, v2, order.amount);
    expect(objection({ call }, { order, chainLimits: lower })).toBeUndefined();
  });

  describe("objections to an approval", () => {
    const order = tradeOrder({ intent: intent({ side: "sell" }) });
    const call: ApproveCall = {
      purpose: "approve",
      token: "0x5FbD",
      router: v2.router,
      amount: order.amount,
    };

    it("accepts an approval of the order's amount or 0, at two nonces at most", () => {
      expect(objection({ call }, { order })).toBeUndefined();
      expect(objection({ call: { ...call, amount: 0n } }, { order })).toBeUndefined();
      expect(objection({ call }, { order, ledger: ledger({ approveNonces: [5, 6] }) })).toHaveProperty(
        "refused",
      );
    });

    it("rejects an approval of a router outside the bound routes", () => {
      const onlyV3 = tradeOrder({ intent: intent({ side: "sell", routes: [v3] }) });
      expect(objection({ call }, { order: onlyV3 })).toHaveProperty("refused");
      expect(objection({ call: { ...call, router: "0xBAD" } }, { order })).toHaveProperty("refused");
    });

    it("rejects an approval of a higher amount, of another token, for a buy, or at the swap's nonce", () => {
      expect(objection({ call: { ...call, amount: order.amount + 1n } }, { order })).toHaveProperty(
        "refused",
      );
      expect(objection({ call: { ...call, token: "0xBAD" } }, { order })).toHaveProperty("refused");
      expect(objection({ call })).toHaveProperty("refused");
      const signed = ledger({ swap: { nonce: 7, call: swap } });
      expect(objection({ call }, { order, ledger: signed })).toHaveProperty("refused");
    });
  });

  describe("objections to a clear", () => {
    const clear = {
      call: { purpose: "clear" },
      gasLimit: clearGas,
      maxFeePerGas: 3_000_000_000n,
      maxPriorityFeePerGas: 2_000_000_000n,
    } as const;
    const signed = { slot: slot({ state: "signed" }), ledger: ledger({ fees: { 7: signedFee(fees) } }) };

    it("accepts a clear after the deadline, a stop or a cancellation", () => {
      const order = tradeOrder({ isCancelling: true });
      const cutoffs = { all: { userID: "alice", before: Number.POSITIVE_INFINITY } };
      const view = { ...signed, order, isStopped: true, isRetired: true, isCancelled: true, cutoffs };
      expect(objection(clear, view, { atMs: nowMs * 2 })).toBeUndefined();
    });

    it("rejects a clear of a nonce at which nothing was signed, or of another wallet's nonce", () => {
      expect(objection(clear, { slot: signed.slot })).toHaveProperty("refused");
      const others = { ...signed, ledger: { ...signed.ledger, wallet: "0xBAD" } };
      expect(objection(clear, others)).toHaveProperty("refused");
    });

    it("limits a clear to the fee already signed at the nonce if the intent's MAC is forged", () => {
      const maxFeePerGas = signedFee(fees).most / clearGas;
      const atMost = { ...clear, maxFeePerGas };
      expect(objection(atMost, signed, { isGenuine: false })).toBeUndefined();
      const more = { ...clear, maxFeePerGas: maxFeePerGas + 1n };
      expect(objection(more, signed)).toBeUndefined();
      expect(objection(more, signed, { isGenuine: false })).toHaveProperty("refused");
      expect(objection(clear, { slot: signed.slot }, { isGenuine: false })).toHaveProperty("refused");
    });

    it("allows a clear at the user's current highest gas price, or the order's", () => {
      const maxFeePerGas = 150_000_000_000n;
      expect(objection({ ...clear, maxFeePerGas }, { ...signed, maxGasPrice: maxFeePerGas })).toBeUndefined();
      expect(objection(clear, { ...signed, maxGasPrice: 1n })).toBeUndefined();
    });

    it("postpones a clear, without an alarm, if the user has lowered the gas price since it was planned", () => {
      const lowered = { ...signed, maxGasPrice: 149_999_999_999n };
      expect(objection({ ...clear, maxFeePerGas: 150_000_000_000n }, lowered)).toHaveProperty("later");
    });

    it("lets a clear pay enough to replace the order's own transaction, but not to replace another clear", () => {
      const highest = { maxFeePerGas: 100_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };
      const raised = { maxFeePerGas: 112_500_000_000n, maxPriorityFeePerGas: 2_000_000_000n };
      const view = (...attempts: EvmAttempt[]) => ({
        slot: slot({ state: "signed", attempts }),
        ledger: ledger({ fees: { 7: signedFee(highest) } }),
      });
      expect(objection({ ...clear, ...raised }, view(attempt(highest)))).toBeUndefined();
      const isTooMuch = { ...raised, maxFeePerGas: raised.maxFeePerGas + 1n };
      expect(objection({ ...clear, ...isTooMuch }, view(attempt(highest)))).toHaveProperty("later");
      const cleared = attempt({ ...highest, purpose: "clear" });
      expect(objection({ ...clear, ...raised }, view(cleared))).toHaveProperty("later");
    });

    it("limits a clear to the rest of the order's budget, whatever the settings", () => {
      const view = { ...signed, maxGasPrice: 10n ** 18n };
      const maxFeePerGas = feeBudget(intent()) / clearGas;
      expect(objection({ ...clear, maxFeePerGas }, view)).toBeUndefined();
      expect(objection({ ...clear, maxFeePerGas: maxFeePerGas + 1n }, view)).toHaveProperty("refused");
      const slotOfMuch = slot({ state: "signed", attempts: [attempt({ maxFeePerGas: 10n ** 18n })] });
      expect(
        objection({ ...clear, maxFeePerGas: maxFeePerGas + 1n }, { ...signed, slot: slotOfMuch }),
      ).toHaveProperty("refused");
    });

    it("always lets a clear cost as much as any transaction already signed at the nonce", () => {
      const used = ledger({ fees: { 6: { ...fees, most: feeBudget(intent()) }, 7: signedFee(fees) } });
      const view = { ...signed, ledger: used, maxGasPrice: 10n ** 18n };
      const maxFeePerGas = signedFee(fees).most / clearGas;
      expect(maxFeePerGas).toBeGreaterThan(replacing(fees).maxFeePerGas);
      expect(objection({ ...clear, maxFeePerGas }, view)).toBeUndefined();
      expect(objection({ ...clear, maxFeePerGas: maxFeePerGas + 1n }, view)).toHaveProperty("refused");
    });

    it("allows a clear after the operators have lowered their limit, but no more than before", () => {
      const view = { ...signed, chainLimits: { maxNetworkFee: 1n }, maxGasPrice: 10n ** 18n };
      const maxFeePerGas = signedFee(fees).most / clearGas;
      expect(objection({ ...clear, maxFeePerGas }, view)).toBeUndefined();
      expect(objection({ ...clear, maxFeePerGas: maxFeePerGas + 1n }, view)).toHaveProperty("refused");
    });

    it("rejects a clear with more than twice the usual gas", () => {
      expect(objection({ ...clear, gasLimit: 42_000n }, signed)).toBeUndefined();
      expect(objection({ ...clear, gasLimit: 42_001n }, signed)).toEqual({
        refused: "the gas limit is too high",
      });
    });

    it.each([0n, 20_999n])("rejects a clear with %d gas, which no block can include", (gasLimit) => {
      expect(objection({ ...clear, gasLimit }, signed)).toEqual({ refused: "the gas limit is too low" });
    });

    it("limits the price of a clear by its own gas", () => {
      const view = { ...signed, maxGasPrice: 10n ** 18n };
      const dear = { ...clear, gasLimit: 30_000n };
      const maxFeePerGas = feeBudget(intent()) / 30_000n;
      expect(objection({ ...dear, maxFeePerGas }, view)).toBeUndefined();
      expect(objection({ ...dear, maxFeePerGas: maxFeePerGas + 1n }, view)).toHaveProperty("refused");
    });
  });
});
