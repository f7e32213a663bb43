import fc from "fast-check";
import { valueOf as valuationOf } from "trading-terminal-client/markets";
import { describe, expect, it } from "vitest";
import { parseDecimal } from "../../../lib/core/decimal.ts";
import { positionValue } from "../../../lib/markets/core/position-value.ts";

const asOf = "2026-11-21T09:30:00.000Z";
const market = { flags: [], asOf, price: "0.5", priceUsd: "1000", liquidity: "10" } as const;
const position = { chain: "eth", amount: "4", cost: "1.5", costFees: "0.6" } as const;

/** An exact fraction of whole numbers, independent of the tested decimals. */
type Rational = { top: bigint; bottom: bigint };
const rational = (text: string): Rational => {
  const [whole = "", places = ""] = text.replace("-", "").split(".");
  const top = BigInt(whole + places);
  return { top: text.startsWith("-") ? -top : top, bottom: 10n ** BigInt(places.length) };
};
const times = (a: Rational, b: Rational) => ({ top: a.top * b.top, bottom: a.bottom * b.bottom });
const minus = (a: Rational, b: Rational) => ({
  top: a.top * b.bottom - b.top * a.bottom,
  bottom: a.bottom * b.bottom,
});
const over = (a: Rational, b: Rational) => ({ top: a.top * b.bottom, bottom: a.bottom * b.top });
const size = ({ top }: Rational) => (top < 0n ? -top : top);

/** True if two numbers differ by at most half a unit in the last of these decimals. */
function isNear(a: Rational, b: Rational, decimals: number): boolean {
  const difference = minus(a, b);
  return size(difference) * 2n * 10n ** BigInt(decimals) <= difference.bottom;
}

const decimalText = (most: bigint) =>
  fc.tuple(fc.bigInt({ min: 1n, max: most }), fc.integer({ min: 0, max: 18 })).map(([digits, places]) => {
    const text = String(digits).padStart(places + 1, "0");
    const whole = places === 0 ? text : `${text.slice(0, -places)}.${text.slice(-places)}`;
    return whole as `${number}`;
  });

describe("valueOf", () => {
  it("multiplies the amount by the price in coin and dollars, and estimates a sale", () => {
    expect(valuationOf(position, market)).toEqual({
      status: "valued",
      price: "0.5",
      value: "2",
      unrealizedPnl: "0.5",
      netUnrealizedPnl: "-0.1",
      percent: 33.3333,
      // 2 × 500 ÷ 502.
      exitValue: "1.992031872509960159",
      isThin: false,
      priceAsOf: asOf,
      usd: {
        price: "1000",
        value: "4000",
        unrealizedPnl: "1000",
        netUnrealizedPnl: "-200",
        exitValue: "3984.06374501992032",
      },
    });
  });

  it("subtracts the pool's fee from a sale, as given by the market or the caller", () => {
    const pool = { venue: "uniswap-v2", pool: "0x1", feeBps: 100, quote: "native" } as const;
    const exitOf = (...given: Parameters<typeof valuationOf>) => {
      const valued = valuationOf(...given);
      return valued.status === "valued" ? Number(valued.exitValue) : undefined;
    };
    const without = exitOf(position, market) ?? 0;
    expect(exitOf(position, { ...market, pool })).toBeCloseTo(without * 0.99, 12);
    expect(exitOf(position, market, { feeBps: 0.5 })).toBeCloseTo(without * 0.99995, 12);
  });

  it("calls a market thin if a sale yields over 5 % less than the value", () => {
    const isThin = (liquidity: `${number}`) =>
      (valuationOf({ ...position, amount: "38" }, { ...market, liquidity }) as { isThin: boolean }).isThin;
    // A value of 19 in a reserve of 361 loses exactly 5 %.
    expect([isThin("7.22"), isThin("7.21"), isThin("0")]).toEqual([false, true, true]);
  });

  it("returns no value without a current market, a price or an amount", () => {
    expect(valuationOf(position, { ...market, flags: ["STALE"] })).toEqual({
      status: "stale",
      priceAsOf: asOf,
    });
    expect(valuationOf(position, { ...market, flags: ["THIN"] })).toMatchObject({ status: "valued" });
    const { price: _, ...unpriced } = market;
    expect(valuationOf(position, unpriced)).toEqual({ status: "unpriced" });
    expect(valuationOf(position, undefined)).toEqual({ status: "unpriced" });
    expect(valuationOf({ ...position, amount: "1e5" }, market)).toEqual({ status: "unpriced" });
  });

  it("omits figures that need an unknown cost, depth or coin price", () => {
    const valued = valuationOf({ chain: "eth", amount: "4" }, { flags: [], asOf, price: "0.5" });
    expect(valued).toEqual({
      status: "valued",
      price: "0.5",
      value: "2",
      isThin: false,
      priceAsOf: asOf,
    });
    expect(valuationOf({ ...position, cost: "0" }, market)).not.toHaveProperty("percent");
  });

  it("values each position like the service, and within half a unit of the exact fraction", () => {
    const held = fc.record({
      chain: fc.constantFrom("eth", "sol" as const),
      amount: decimalText(10n ** 30n),
      cost: decimalText(10n ** 24n),
      costFees: decimalText(10n ** 20n),
    });
    const rates = fc.tuple(decimalText(10n ** 18n), decimalText(10n ** 18n), decimalText(10n ** 20n));
    fc.assert(
      fc.property(held, rates, (of, [price, coinUsd, liquidity]) => {
        const valued = valuationOf(of, { flags: [], asOf, price, priceUsd: coinUsd, liquidity });
        if (valued.status !== "valued") return expect.fail("it has no value");
        const { value, unrealizedPnl = "", netUnrealizedPnl = "", exitValue = "", usd } = valued;
        const parsed = parseDecimal(price) ?? expect.fail("no price");
        expect({ value, unrealizedPnl, netUnrealizedPnl }).toEqual(positionValue(of, parsed));
        const decimals = of.chain === "sol" ? 9 : 18;
        const whole = times(rational(of.amount), rational(price));
        expect(isNear(rational(value), whole, decimals)).toBe(true);
        const reserve = times(rational(liquidity), { top: 50n, bottom: 1n });
        const shown = rational(value);
        const sum = minus(reserve, { top: -shown.top, bottom: shown.bottom });
        // First rounds the depth to a unit of the coin.
        if (decimals === 18)
          expect(isNear(rational(exitValue), over(times(shown, reserve), sum), 18)).toBe(true);
        const dollars = times(rational(of.amount), rational(coinUsd));
        const error = minus(rational(usd?.value ?? ""), dollars);
        expect(size(error) * dollars.bottom * 10n ** 17n <= dollars.top * error.bottom).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
