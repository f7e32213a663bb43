import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { binPrice, v2ReservesOf, wordOfReserves } from "../../../../lib/chains/evm/rules/pool-price.ts";

describe("binPrice", () => {
  const middle = 2n ** 23n;
  const rate = ({ out, in: sold }: { out: bigint; in: bigint }) => Number(out) / Number(sold);

  it("raises the price by one step from bin to bin", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100 }),
        fc.integer({ min: -100_000, max: 100_000 }),
        (step, away) => {
          // The contracts reject bins whose price needs more than 128 bits before or after the binary point.
          fc.pre(Math.abs(away) * Math.log2(1 + step / 10_000) < 100);
          const bin = middle + BigInt(away);
          const exact = (1 + step / 10_000) ** away;
          expect(rate(binPrice(bin, step, true)) / exact).toBeCloseTo(1, 6);
          expect(rate(binPrice(bin, step, false)) * exact).toBeCloseTo(1, 6);
        },
      ),
    );
  });

  it("returns a price of 1 for the middle bin", () => {
    for (const isFirstSold of [true, false]) expect(rate(binPrice(middle, 25, isFirstSold))).toBe(1);
  });
});

describe("v2ReservesOf", () => {
  it("splits reserves that wordOfReserves has joined", () => {
    const most = 2n ** 112n - 1n;
    expect(v2ReservesOf(wordOfReserves(most, 7n))).toEqual([most, 7n]);
    expect(v2ReservesOf(wordOfReserves(7n, most))).toEqual([7n, most]);
  });
});
