import { describe, expect, it } from "vitest";
import {
  coarseAmounts,
  depthOfReserves,
  fineAmounts,
  greatestSale,
  nearAmounts,
} from "../../../lib/markets/core/depth.ts";
import { priceImpact } from "../../../lib/orders/price-impact.ts";

const coin = 10n ** 18n;

describe("depthOfReserves", () => {
  it("returns a fiftieth of the coins, because selling that much has an impact of 2 %", () => {
    const reserves = { tokens: 1_000_000n * coin, coins: 100n * coin };
    const amountOut = depthOfReserves(reserves);
    expect(Number(amountOut) / 1e18).toBeCloseTo(2, 9);
    const fee = 30n;
    // Computes the sale that pays this amount after the fee.
    const amountIn =
      (((reserves.tokens * amountOut) / (reserves.coins - amountOut)) * 10_000n) / (10_000n - fee);
    const price = { in: reserves.tokens, out: reserves.coins };
    expect(priceImpact(price, { amountIn, amountOut, fees: [Number(fee)] })).toBe(2);
  });

  it("returns 0 if selling even one unit would have a greater impact", () => {
    expect(depthOfReserves({ tokens: 48n, coins: 10n * coin })).toBe(0n);
    expect(depthOfReserves({ tokens: 49n, coins: 10n * coin })).toBe(coin / 5n);
    for (const empty of [0n, -1n]) expect(depthOfReserves({ tokens: empty, coins: coin })).toBe(0n);
  });
});

describe("computing series of test amounts", () => {
  it("tests amounts that are worth 0.05 to 500,000 coins", () => {
    const amounts = coarseAmounts({ in: 10_000n, out: 1n });
    expect(amounts).toHaveLength(8);
    expect([amounts[0], amounts[7]]).toEqual([500n * coin, 5_000_000_000n * coin]);
  });

  it("raises amounts by about 15 % from step to step", () => {
    const amounts = [1000n, ...fineAmounts(1000n), 10_000n];
    for (const [index, amount] of amounts.slice(1).entries()) {
      const ratio = Number(amount) / Number(amounts[index]);
      expect(ratio).toBeGreaterThan(1.06);
      expect(ratio).toBeLessThan(1.16);
    }
  });

  it("tests amounts around a previously known depth", () => {
    const amounts = nearAmounts({ in: 10_000n, out: 1n }, 2n * coin).map((amount) => Number(amount / coin));
    expect([amounts[0], amounts.at(-1)]).toEqual([5000, 80_000]);
    expect(amounts).toContain(20_000);
  });

  it("omits amounts of zero, and amounts that are too large for any pool", () => {
    expect(coarseAmounts({ in: 1n, out: 10n ** 18n })).toEqual([5n, 50n, 500n, 5000n, 50_000n, 500_000n]);
    expect(coarseAmounts({ in: 10n ** 14n, out: 1n })).toHaveLength(4);
    expect(coarseAmounts({ in: 1n, out: 0n })).toEqual([]);
    expect(coarseAmounts({ in: 0n, out: 1n })).toEqual([]);
  });
});

describe("greatestSale", () => {
  const terms = { price: { in: 2n, out: 1n }, fees: [30] };
  /** Computes the payment for a sale of this amount with this impact in percent. */
  const paid = (amount: bigint, impact: number) =>
    ((((amount / 2n) * 9970n) / 10_000n) * BigInt(Math.round((100 - impact) * 100))) / 10_000n;
  const amounts = [10n ** 12n, 10n ** 13n, 10n ** 14n];
  const saleBy = (...impacts: (number | undefined)[]) =>
    greatestSale(
      terms,
      amounts,
      impacts.map((impact, index) =>
        impact === undefined ? impact : paid(amounts[index] as bigint, impact),
      ),
    );

  it("returns the last sale with an impact of at most 2 %, after fees", () => {
    expect(saleBy(0, 1, 2)).toEqual({ index: 2, amountOut: paid(amounts[2] as bigint, 2) });
    expect(saleBy(0, 1, 2.01)?.index).toBe(1);
    expect(saleBy(0, 3, 1)?.index).toBe(0);
  });

  it("stops at the amount that would empty the pool", () => {
    expect(saleBy(0, undefined, 1)?.index).toBe(0);
    for (const impacts of [[undefined, 0, 0], [3, 3, 3], []]) expect(saleBy(...impacts)).toBeUndefined();
  });
});
