import { describe, expect, it } from "vitest";
import { numberOf } from "./asked.ts";
import { exitsOf } from "./exits.ts";
import { coin, startMs } from "./fixtures.ts";

/** Makes the exits of a buy that has paid 2 coins for 100 tokens. */
const exitsFor = (...exits: object[]) =>
  exitsOf({
    buy: {
      orderId: "buy",
      userID: "ann",
      chain: "avax",
      wallet: "0xA",
      createdAtMs: startMs,
      decimals: 18,
      body: { side: "buy", type: "market", token: "moon", amount: "2", exits },
    },
    spent: 2n * coin,
    received: 100n * coin + 1n,
    filledAtMs: startMs,
    exitIds: ["a", "b", "c"],
  });

const shown = exitsFor(
  { percent: 33.3, takeProfit: { percent: 50 }, stopLoss: { percent: -20 } },
  { percent: 33.3, takeProfit: { price: "0.05" } },
  { percent: 33.4, stopLoss: { stopPrice: "0.01", price: "0.005" } },
).map(({ orderId, side, amount, legs }) => ({
  orderId,
  side,
  amount,
  legs: legs.map((leg) => {
    const at = "at" in leg ? numberOf(leg.at) : undefined;
    return [leg.name, at, leg.worst && numberOf(leg.worst)];
  }),
}));

describe("exitsOf", () => {
  it("reads prices, those in percent by what the buy has paid, and gives the last exit the rest", () => {
    const part = (333n * (100n * coin + 1n)) / 1000n;
    const near = (price: number) => expect.closeTo(price, 12);
    expect(shown).toEqual([
      {
        orderId: "a",
        side: "sell",
        amount: part,
        legs: [
          ["takeProfit", near(0.03), near(0.03)],
          ["stopLoss", near(0.016), near(0.0128)],
        ],
      },
      { orderId: "b", side: "sell", amount: part, legs: [["limit", 0.05, 0.05]] },
      { orderId: "c", side: "sell", amount: 100n * coin + 1n - 2n * part, legs: [["stop", 0.01, 0.005]] },
    ]);
  });

  it("keeps the part of a single exit, whose stop trails beside a take-profit", () => {
    const [exit] = exitsFor({ percent: 40, takeProfit: { percent: 10 }, trailing: { trailPercent: 5 } });
    expect(exit?.amount).toBe(40n * coin);
    expect(exit?.legs).toMatchObject([
      { name: "takeProfit", kind: "limit" },
      { name: "trailing", kind: "trailing", trail: 0.05 },
    ]);
  });
});
