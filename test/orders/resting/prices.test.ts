import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  distanceOf,
  floorOf,
  isCrossed,
  outAt,
  ratioFrom,
  scaled,
} from "../../../lib/orders/resting/prices.ts";
import { limit, stop } from "./fixtures.ts";

const places40 = `0.${"0".repeat(39)}1`;
const highest = `1${"0".repeat(40)}`;

describe("ratioFrom", () => {
  it("reads the price of a whole token as units of the coin for units of the token", () => {
    expect(ratioFrom("sol", "0.5", 6, "price")).toEqual({ coins: 500n, tokens: 1n });
    expect(ratioFrom("eth", "0.0002", 18, "price")).toEqual({ coins: 1n, tokens: 5000n });
  });

  it("keeps all digits of tokens with 0 or 24 decimals", () => {
    expect(ratioFrom("eth", places40, 0, "price")).toEqual({ coins: 1n, tokens: 10n ** 22n });
    expect(ratioFrom("eth", highest, 24, "price")).toEqual({ coins: 10n ** 34n, tokens: 1n });
  });

  it.each([
    ...["0", "0.0", "", "-1", "+1", "1e3", ".5", "1.", " 1", "1,5", "0x1", "NaN"],
    ...[`${highest}.1`, `1${highest}`, `${places40}0`, `2${"0".repeat(40)}`],
  ])("rejects the price %j and names its field", (text) => {
    expect(() => ratioFrom("eth", text, 18, "stopLoss.price")).toThrow(
      expect.objectContaining({ code: "INVALID_REQUEST", details: { field: "stopLoss.price" } }),
    );
  });
});

const ratio = fc.record({
  coins: fc.bigInt({ min: 1n, max: 10n ** 60n }),
  tokens: fc.bigInt({ min: 1n, max: 10n ** 60n }),
});
const amount = fc.bigInt({ min: 1n, max: 2n ** 128n });

describe("outAt", () => {
  it("is the lowest whole output that respects the price, on both sides", () => {
    fc.assert(
      fc.property(ratio, amount, (price, spent) => {
        const sold = outAt("sell", price, spent);
        expect(sold * price.tokens >= spent * price.coins).toBe(true);
        expect((sold - 1n) * price.tokens < spent * price.coins).toBe(true);
        const bought = outAt("buy", price, spent);
        expect(spent * price.tokens <= bought * price.coins).toBe(true);
        expect(spent * price.tokens > (bought - 1n) * price.coins).toBe(true);
      }),
    );
  });

  it("asks for whole units of coins without decimals and of tokens with 24", () => {
    const priceOf = (text: string, decimals: number) => ratioFrom("eth", text, decimals, "price");
    // One token cannot be divided, and costs a third of the coin's smallest unit.
    const third = priceOf("0.000000000000000000333333333333", 0);
    expect([1n, 3n, 4n].map((tokens) => outAt("sell", third, tokens))).toEqual([1n, 1n, 2n]);
    expect(outAt("buy", third, 1n)).toBe(4n);
    // A coin buys two and a half tokens.
    const dear = priceOf("0.4", 0);
    expect([outAt("buy", dear, 10n ** 18n), outAt("sell", dear, 1n)]).toEqual([3n, 4n * 10n ** 17n]);
    const fine = priceOf("0.4", 24);
    expect(outAt("buy", fine, 1n)).toBe(2_500_000n);
    expect([1n, 2_500_000n, 2_500_001n].map((units) => outAt("sell", fine, units))).toEqual([1n, 1n, 2n]);
  });

  it("rounds up", () => {
    expect(outAt("sell", { coins: 1n, tokens: 3n }, 10n)).toBe(4n);
    expect(outAt("buy", { coins: 3n, tokens: 1n }, 10n)).toBe(4n);
  });
});

describe("scaled", () => {
  it("takes a share of a price without rounding", () => {
    expect(scaled({ coins: 1n, tokens: 3n }, 800_000n)).toEqual({ coins: 4n, tokens: 15n });
  });
});

describe("floorOf", () => {
  it("asks for the price of a limit, and for the worst price of a stop", () => {
    expect(floorOf("sell", limit, 1000n)).toBe(2000n);
    expect(floorOf("sell", stop, 1001n)).toBe(801n);
    expect(floorOf("buy", limit, 1001n)).toBe(501n);
  });
});

describe("isCrossed", () => {
  it("requires a thousandth more than the price of a limit", () => {
    expect(isCrossed("sell", limit, 1000n, 2001n)).toBe(false);
    expect(isCrossed("sell", limit, 1000n, 2002n)).toBe(true);
    expect(isCrossed("buy", limit, 20_000n, 10_009n)).toBe(false);
    expect(isCrossed("buy", limit, 20_000n, 10_010n)).toBe(true);
  });

  it("accepts a stop at its price and below, to the last unit", () => {
    expect(isCrossed("sell", stop, 1000n, 1001n)).toBe(false);
    expect(isCrossed("sell", stop, 1000n, 1000n)).toBe(true);
    expect(isCrossed("sell", stop, 1000n, 0n)).toBe(true);
  });
});

describe("distanceOf", () => {
  // Each leg with an amount and its quoted output. The limit is at 2 coins a token, and the stop at 1.
  it.each([
    ["sell", limit, 1000n, 1600n, 25],
    ["sell", stop, 1000n, 1600n, 37.5],
    ["buy", limit, 20_000n, 8000n, 20],
    ["buy", limit, 20_000n, 5000n, 50],
    ["sell", limit, 1000n, 2500n, 0],
    ["sell", stop, 1000n, 900n, 0],
    ["buy", limit, 20_000n, 12_000n, 0],
  ] as const)(
    "is how far the price has to move, on either side (%s, %o)",
    (side, leg, amount, out, percent) => {
      expect(distanceOf(side, leg, amount, out)).toBe(percent);
    },
  );
});
