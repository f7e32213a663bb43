import { describe, expect, it } from "vitest";
import { openMarket, trade } from "../../venue/market.ts";

describe("trade", () => {
  it.each([...openMarket().values()])(
    "moves the price of $id up and down, and numbers its trades",
    (product) => {
      const higher = trade(product, 1);
      expect(higher.price).toBeGreaterThan(product.price);
      const lower = trade(product, 0);
      expect(lower.price).toBeLessThan(product.price);
      expect(trade(higher, 0)).toMatchObject({
        sequence: product.sequence + 2,
        tradeId: product.tradeId + 2,
      });
    },
  );
});
