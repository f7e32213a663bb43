import { describe, expect, it } from "vitest";
import type { MessageTerms } from "../../../../lib/trading/chains/sol/message-terms.ts";
import { mostFeeLamportsOf, objectionToSpending } from "../../../../lib/trading/chains/sol/order-money.ts";
import { buyTerms, byJupiter, clearTerms, solKey } from "../../../support/sol-terms.ts";

/** Pays 300,000 lamports of priority fee, for 150,000 units at two lamports each, and a tip of 300,000. */
const attempt = buyTerms;

const cap = 5_000n;

describe("mostFeeLamportsOf", () => {
  it("adds base fees, the priority fee and the tip", async () => {
    expect(mostFeeLamportsOf(attempt, cap)).toBe(605_000n);
    expect(mostFeeLamportsOf(clearTerms, cap)).toBe(305_000n);
    expect(mostFeeLamportsOf(await byJupiter(attempt), cap)).toBe(610_000n);
  });

  it("rounds the priority fee up", () => {
    const terms = { ...clearTerms, computeUnitLimit: 3, microLamportsPerUnit: 333_334n };
    expect(mostFeeLamportsOf(terms, 0n)).toBe(2n);
    expect(mostFeeLamportsOf({ ...terms, microLamportsPerUnit: 1n }, 0n)).toBe(1n);
    expect(mostFeeLamportsOf({ ...terms, microLamportsPerUnit: 0n }, 0n)).toBe(0n);
  });
});

describe("objectionToSpending", () => {
  const objection = (terms: MessageTerms, signed: MessageTerms[], lamports = 10_000_000n) =>
    objectionToSpending(terms, { budgetLamports: lamports - 1_000n, baseFeesLamports: 1_000n, signed }, cap);

  it("allows three attempts and a clear", () => {
    const later = { ...attempt, blockhash: solKey("later").address, microLamportsPerUnit: 1n };
    expect(objection(attempt, [])).toBeUndefined();
    expect(objection(later, [attempt, attempt])).toBeUndefined();
    expect(objection(clearTerms, [attempt, later, attempt])).toBeUndefined();
    expect(objection(attempt, [clearTerms])).toBeUndefined();
    expect(objection({ ...attempt, amountIn: 1n, minAmountOut: 1n }, [attempt])).toBeUndefined();
  });

  it("sums the fees of all messages", () => {
    expect(objection(attempt, [], 605_000n)).toBeUndefined();
    expect(objection(attempt, [], 604_999n)).toEqual({ refused: expect.stringContaining("budget") });
    expect(objection(attempt, [attempt], 1_210_000n)).toBeUndefined();
    expect(objection(attempt, [attempt], 1_209_999n)).toEqual({ refused: expect.stringContaining("budget") });
    expect(objection(attempt, [clearTerms], 909_999n)).toEqual({
      refused: expect.stringContaining("budget"),
    });
    expect(objection(clearTerms, [attempt], 910_000n)).toBeUndefined();
  });

  it.each<[string, MessageTerms, MessageTerms[]]>([
    ["had all its attempts", attempt, [attempt, attempt, attempt]],
    ["had all its attempts", clearTerms, [attempt, attempt, attempt, attempt]],
    ["had its clear", clearTerms, [clearTerms]],
    ["had its clear", clearTerms, [attempt, clearTerms]],
    ["another order's", { ...attempt, orderId: `${attempt.orderId.slice(0, -1)}0` }, [attempt]],
    ["another order's", { ...clearTerms, wallet: solKey("thief").address }, [attempt]],
    ["trades something else", { ...attempt, side: "sell" }, [clearTerms, attempt]],
    ["trades something else", { ...attempt, mint: solKey("another").address }, [attempt]],
  ])("refuses: %s (%#)", (reason, terms, signed) => {
    expect(objection(terms, signed)).toEqual({ refused: expect.stringContaining(reason) });
  });
});
