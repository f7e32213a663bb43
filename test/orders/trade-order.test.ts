import { describe, expect, it } from "vitest";
import type { EvmSnapshot } from "../../lib/chains/evm/rules/host-snapshot.ts";
import { evmLifeOf } from "../../lib/chains/evm/rules/order-life.ts";
import type { EvmSlot } from "../../lib/chains/evm/rules/slot.ts";
import { changed, type Life, shownOrder, unstarted } from "../../lib/orders/trade-order.ts";
import { orderOf } from "../chains/sol/fixtures.ts";
import { intent, slot, tradeOrder, v2 } from "../support/trading.ts";

const nowMs = Date.parse("2026-11-21T20:00:03.400Z");

const filled = {
  status: "filled",
  stage: "done",
  settled: true,
  networkFee: 161_298_000_000_000n,
  spent: 500_000_000_000_000_000n,
  received: 4_960_273_038_901_078_125_544n,
  txHash: "0x9c1f",
} as const;

describe("shownOrder", () => {
  it("shows a new order as in the example of the API contract", () => {
    expect(shownOrder(tradeOrder())).toEqual({
      orderId: "01KAMZ3Q5T9WJ2M4N6P8R0S1V3",
      clientOrderId: "k-1",
      wallet: "0xf39F",
      chain: "eth",
      symbol: "MOON/ETH",
      baseSymbol: "MOON",
      quoteSymbol: "ETH",
      token: "0x5FbD",
      side: "buy",
      type: "market",
      status: "open",
      stage: "queued",
      settled: false,
      amount: "0.5",
      amountToken: "native",
      filledAmount: "0",
      minAmountOut: "4910.670308512067344288",
      slippage: 1,
      networkFee: "0",
      validUntil: "2026-11-21T20:02:00.000Z",
      createdAt: "2026-11-21T20:00:00.000Z",
      updatedAt: "2026-11-21T20:00:00.000Z",
      version: 1,
    });
  });

  it("shows a symbol that contains a slash, but no base symbol for orders of earlier versions", () => {
    const { baseSymbol: _, ...placed } = tradeOrder().placed;
    const odd = { ...placed, symbol: "MOON/v2/ETH", baseSymbol: "MOON/v2" };
    expect(shownOrder(tradeOrder({ placed: odd }))).toMatchObject({
      symbol: "MOON/v2/ETH",
      baseSymbol: "MOON/v2",
      quoteSymbol: "ETH",
    });
    const old = shownOrder(tradeOrder({ placed }));
    expect(old.symbol).toBe("MOON/ETH");
    expect(old).not.toHaveProperty("baseSymbol");
  });

  it("shows the amounts and the price of a filled buy", () => {
    expect(shownOrder(tradeOrder({ life: filled }))).toMatchObject({
      status: "filled",
      stage: "done",
      filledAmount: "0.5",
      receivedAmount: "4960.273038901078125544",
      averagePrice: "0.000100800902708124373",
      networkFee: "0.000161298",
      txHash: "0x9c1f",
    });
  });

  it("shows a sale's amounts in its token, and its proceeds in coin", () => {
    const of = intent({ side: "sell", amount: 1_500_000n, minAmountOut: 1n });
    const placed = { ...tradeOrder().placed, decimals: 6, percent: 50 };
    const life = { ...filled, spent: 1_500_000n, received: 3_000_000_000_000_000_000n };
    expect(shownOrder(tradeOrder({ intent: of, placed, amount: of.amount, life }))).toMatchObject({
      amount: "1.5",
      amountToken: "0x5FbD",
      percent: 50,
      filledAmount: "1.5",
      receivedAmount: "3",
      averagePrice: "2",
      minAmountOut: "0.000000000000000001",
    });
  });

  it("shows the coin that an order leaves as rent in accounts, if any", () => {
    expect(shownOrder(orderOf())).not.toHaveProperty("rent");
    expect(shownOrder(orderOf({ life: { ...unstarted, rent: 2_937_120n } }))).toMatchObject({
      chain: "sol",
      networkFee: "0",
      rent: "0.00293712",
    });
  });
});

describe("changed", () => {
  it("raises the version and updates the time when clients see a change", () => {
    const after = changed(tradeOrder(), { life: { ...unstarted, stage: "sent", txHash: "0x1" } }, nowMs);
    expect(after).toMatchObject({ revision: 2, version: 2, updatedAt: "2026-11-21T20:00:03.400Z" });
  });

  it("keeps the time of the previous version if the clock is behind it", () => {
    const after = changed(tradeOrder(), { life: { ...unstarted, stage: "sent", txHash: "0x1" } }, 0);
    expect(after).toMatchObject({ version: 2, updatedAt: "2026-11-21T20:00:00.000Z" });
  });

  it("changes only the revision when clients see no change", () => {
    const after = changed(tradeOrder(), { swapNonce: 7, life: { ...unstarted } }, nowMs);
    expect(after).toMatchObject({ revision: 2, version: 1, updatedAt: "2026-11-21T20:00:00.000Z" });
  });
});

describe("shownOrder", () => {
  it("explains why an order has ended, in words and as a code", () => {
    const life = { ...unstarted, status: "expired", stage: "done", reasonCode: "NOT_INCLUDED" } as const;
    expect(shownOrder(tradeOrder({ life }))).toMatchObject({
      reason: "No block included the transaction in time",
      reasonCode: "NOT_INCLUDED",
    });
    expect(shownOrder(tradeOrder())).not.toHaveProperty("reason");
  });
});

describe("lifeOf", () => {
  it("keeps an order expired if its approval is mined after its end", () => {
    const of = intent({ side: "sell" });
    const life = { ...unstarted, status: "expired", stage: "done", reasonCode: "NOT_INCLUDED" } as const;
    const attempt = { purpose: "approve", hash: "0x1", gasLimit: 1n, signedAtMs: nowMs } as const;
    const fees = { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n };
    const block = { number: 9, hash: "0xb", time: of.validUntil + 1 };
    const approval = slot(
      {
        state: "mined",
        call: { purpose: "approve", token: of.token, router: v2.router, amount: of.amount },
        attempts: [{ ...attempt, ...fees }],
        receipt: {
          hash: "0x1",
          status: "ok",
          block,
          fee: 1n,
          l1Fee: 0n,
          gasUsed: 1n,
          gasPrice: 1n,
          spent: 0n,
          received: 0n,
        },
      },
      of,
    );
    const order = tradeOrder({ intent: of, approveNonces: [7], life });
    const snapshot = { latest: block } as EvmSnapshot;
    expect(evmLifeOf(order, [approval], [snapshot, snapshot])).toMatchObject({
      status: "expired",
      reasonCode: "NOT_INCLUDED",
    });
  });

  describe("an order with a signed transaction", () => {
    const of = intent();
    const attempt = {
      purpose: "swap",
      hash: "0x1",
      gasLimit: 1n,
      signedAtMs: nowMs,
      maxFeePerGas: 1n,
      maxPriorityFeePerGas: 1n,
    } as const;
    const clear = { ...attempt, purpose: "clear", hash: "0x2" } as const;
    const sent = { ...unstarted, stage: "sent", txHash: "0x1" } as const;
    const at = (time: number) => {
      const seen = { latest: { number: 9, hash: "0xb", time } } as EvmSnapshot;
      return [seen, seen] as const;
    };
    const early = at(of.validUntil);
    const late = at(of.validUntil + 1);
    const signedSlot = (changes: Partial<EvmSlot> = {}) =>
      slot({ state: "signed", attempts: [attempt], ...changes });
    const minedClear = (time: number, status: "ok" | "failed" = "ok") =>
      signedSlot({
        state: "mined",
        attempts: [attempt, clear],
        receipt: {
          hash: "0x2",
          fee: 1n,
          l1Fee: 0n,
          gasUsed: 1n,
          gasPrice: 1n,
          block: { number: 9, hash: "0xb", time },
          ...(status === "ok" ? { status, spent: 0n, received: 0n } : { status, isSlippage: false }),
        },
      });
    const lifeWith = (
      changes: Partial<EvmSlot>,
      { life = sent as Life, isCancelling = false, seen = early as typeof early } = {},
    ) => evmLifeOf(tradeOrder({ swapNonce: 7, life, isCancelling }), [signedSlot(changes)], seen);

    it.each([
      ["the relay takes nothing", {}, "RELAY_UNAVAILABLE"],
      ["no host takes anything", { isPrivate: false }, "CHAIN_UNAVAILABLE"],
      ["no host takes the clear", { attempts: [attempt, clear] }, "CHAIN_UNAVAILABLE"],
      ["it pays too little", { refusal: "underpriced" }, "GAS_PRICE_TOO_HIGH"],
      ["the wallet's coin was spent meanwhile", { refusal: "unfunded" }, "INSUFFICIENT_BALANCE"],
    ] as const)("waits if %s, and later expires with that reason", (_, changes, reasonCode) => {
      const waiting = lifeWith({ isUndelivered: true, ...changes });
      expect(waiting).toMatchObject({ status: "open", stage: "waiting", reasonCode });
      const expired = lifeWith({ isUndelivered: true, ...changes }, { life: waiting, seen: late });
      expect(expired).toMatchObject({ status: "expired", reasonCode });
      const freed = minedClear(of.validUntil + 12);
      const order = tradeOrder({ swapNonce: 7, life: expired });
      expect(evmLifeOf(order, [freed], late)).toMatchObject({ status: "expired", reasonCode });
    });

    it(`returns to the stage "sent", without a reason, once a host takes the transaction`, () => {
      const life = { ...sent, stage: "waiting", reasonCode: "RELAY_UNAVAILABLE" } as const;
      const after = lifeWith({ isUndelivered: false }, { life });
      expect(after).toMatchObject({ stage: "sent" });
      expect(after).not.toHaveProperty("reasonCode");
      expect(lifeWith({}, { seen: late })).toMatchObject({ status: "expired", reasonCode: "NOT_INCLUDED" });
    });

    it("expires at its deadline while its clear is still waiting", () => {
      const after = lifeWith({ attempts: [attempt, clear] }, { isCancelling: true, seen: late });
      expect(after).toMatchObject({ status: "expired", reasonCode: "NOT_INCLUDED" });
    });

    it.each([
      ["its clear was mined in time", minedClear(of.validUntil), early],
      ["its clear was mined after the deadline", minedClear(of.validUntil + 12), late],
      ["its clear used the nonce, though it failed", minedClear(of.validUntil, "failed"), early],
      ["another program took the nonce", signedSlot({ state: "taken" }), early],
    ] as const)("counts an order as cancelled by its user if %s", (_, own, seen) => {
      const order = tradeOrder({ swapNonce: 7, life: sent, isCancelling: true });
      expect(evmLifeOf(order, [own], seen)).toMatchObject({
        status: "cancelled",
        stage: "done",
        reasonCode: "CANCELLED_BY_USER",
      });
    });
  });
});
