import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type LossChecks, objectionToLoss, unlistedPurchases } from "../../lib/orders/large-loss.ts";
import type { Life } from "../../lib/orders/trade-order.ts";
import { intent, tradeOrder } from "../support/trading.ts";

/** Terms of a buy that spends half of the coin on an unlisted token, and accepts half of the quoted output. */
const fine: LossChecks = {
  side: "buy",
  amount: 50n,
  minAmountOut: 500n,
  quotedOut: 1000n,
  priceImpact: 0,
  isListed: false,
  coins: 100n,
  unlisted: { open: 0n, filled: 0n },
};

describe("objectionToLoss", () => {
  it.each<[string, Partial<LossChecks>]>([
    ["half of the value and of the coin", {}],
    ["half of the value by its impact", { priceImpact: 50, minAmountOut: 1000n }],
    ["more than half of the coin, for a listed token", { amount: 100n, isListed: true }],
    ["the rest of the coin, without a wallet", { amount: 100n, coins: undefined }],
    ["a sale of any amount", { side: "sell", amount: 100n }],
    [
      "half of the coin after a purchase that has filled",
      { amount: 20n, coins: 70n, unlisted: { open: 0n, filled: 30n } },
    ],
  ])("allows an order for %s", (_, changes) => {
    expect(objectionToLoss({ ...fine, ...changes })).toBeUndefined();
  });

  it.each<[string, Partial<LossChecks>]>([
    ["a minimum below half of the quote", { minAmountOut: 499n }],
    ["an impact of more than half", { minAmountOut: 1000n, priceImpact: 50.0001 }],
    [
      "a minimum and an impact that together lose more than half",
      { minAmountOut: 750n, priceImpact: 33.3334 },
    ],
    ["an impact of all", { minAmountOut: 1000n, priceImpact: 100 }],
    ["a sale for one unit", { side: "sell", minAmountOut: 1n }],
    ["more than half of the coin for an unlisted token", { amount: 51n }],
    [
      "the second half, while an order for the first is open",
      { amount: 10n, unlisted: { open: 41n, filled: 0n } },
    ],
    ["half of the rest, after a first half has filled", { amount: 1n, unlisted: { open: 0n, filled: 100n } }],
  ])("requires a sign-in for %s", (_, changes) => {
    expect(objectionToLoss({ ...fine, ...changes })).toMatchObject({
      code: "SIGN_IN_REQUIRED",
      details: { maxAgeSeconds: 300 },
    });
  });
});

describe("unlistedPurchases", () => {
  const of = (life: Partial<Life>, changes: Parameters<typeof intent>[0] = {}) => {
    const order = tradeOrder({ intent: intent({ token: "0xBAD", amount: 10n, ...changes }), amount: 10n });
    return { ...order, life: { ...order.life, ...life } };
  };

  it("adds up open and filled purchases of unlisted tokens", () => {
    const filled = { status: "filled", stage: "done", spent: 7n } as const;
    const orders = [
      ...[of({}), of(filled), of({}, { token: "0xLISTED" }), of(filled, { token: "0xLISTED" })],
      ...[of({}, { side: "sell" }), of({ status: "expired", stage: "done" })],
    ];
    expect(unlistedPurchases(orders, ["0xLISTED"])).toEqual({ open: 10n, filled: 7n });
  });
});

describe("a thief who splits one purchase into several", () => {
  const coins = 100n;
  const step = fc.record({ amount: fc.bigInt({ min: 1n, max: 60n }), fills: fc.boolean() });

  /** Checks that a thief's requests leave half of the coin while no order is final, even if some of them fill. */
  const half = (sum: typeof unlistedPurchases) =>
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      let held = coins;
      let orders: ReturnType<typeof tradeOrder>[] = [];
      for (const { amount, fills } of steps) {
        const unlisted = sum(orders, []);
        if (objectionToLoss({ ...fine, amount, coins: held, unlisted }) === undefined)
          orders.push(tradeOrder({ intent: intent({ token: "0xBAD", amount }), amount }));
        if (!fills) continue;
        const open = orders.filter(({ life }) => life.status === "open");
        held -= open.reduce((total, order) => total + order.amount, 0n);
        orders = orders.map((order) => ({
          ...order,
          life: { ...order.life, status: "filled", stage: "done", spent: order.amount },
        }));
      }
      return orders.reduce((total, order) => total + order.amount, 0n) * 2n <= coins;
    });

  it("lets a thief get at most half of the coin until an order is final", () => {
    expect(fc.check(half(unlistedPurchases)).failed).toBe(false);
  });

  it.each<[string, typeof unlistedPurchases]>([
    ["open orders", (...asked) => ({ ...unlistedPurchases(...asked), open: 0n })],
    ["filled orders", (...asked) => ({ ...unlistedPurchases(...asked), filled: 0n })],
  ])("would let a thief get more if %s did not count", (_, mutant) => {
    expect(fc.check(half(mutant)).failed).toBe(true);
  });
});
