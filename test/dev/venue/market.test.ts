import { describe, expect, it } from "vitest";
import { openMarket, trade } from "../../../lib/dev/venue/market.ts";

describe("the simulated market", () => {
  it("has the native assets of the chains", () => {
    expect([...openMarket().keys()]).toEqual(["ETH-USD", "SOL-USD", "BNB-USD", "AVAX-USD"]);
  });

  it.each([...openMarket().values()])(
    "keeps the price of $id near its anchor, whatever the random numbers",
    (product) => {
      for (const chance of [() => 0, () => 1, Math.random]) {
        let traded = product;
        for (let count = 0; count < 20_000; count++) traded = trade(traded, chance());
        expect(Math.abs(traded.price / product.price - 1)).toBeLessThan(0.35);
        expect(traded.price).toBe(Number(traded.price.toFixed(2)));
      }
    },
  );

  it("moves prices up and down, and numbers the trades", () => {
    const ether = openMarket().get("ETH-USD");
    if (ether === undefined) throw new Error("There is no ether");
    expect(trade(ether, 1).price).toBeGreaterThan(ether.price);
    expect(trade(ether, 0).price).toBeLessThan(ether.price);
    expect(trade(trade(ether, 1), 0)).toMatchObject({
      sequence: ether.sequence + 2,
      tradeID: ether.tradeID + 2,
    });
  });
});
