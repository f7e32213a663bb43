import { describe, expect, it } from "vitest";
import { numberOf } from "./asked.ts";
import { birthOf, closedAtMs, exitsOf, type Swap } from "./exits.ts";
import { askedFor, coin, pair, recordsOf, startMs, trailing } from "./fixtures.ts";

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

  it("keeps the part of a single exit, whose stop trails next to a take-profit", () => {
    const [exit] = exitsFor({ percent: 40, takeProfit: { percent: 10 }, trailing: { trailPercent: 5 } });
    expect(exit?.amount).toBe(40n * coin);
    expect(exit?.legs).toMatchObject([
      { name: "takeProfit", kind: "limit" },
      { name: "trailing", kind: "trailing", trail: 0.05 },
    ]);
  });
});

describe("birthOf", () => {
  const second = (from: number, to: number) => ({ fromMs: startMs + 1000 * from, toMs: startMs + 1000 * to });

  it.each([
    ["rests at a price far above its stop", pair, () => 1, "rests"],
    ["rests just far enough from its stop", pair, () => 0.931, "rests"],
    ["is suspended just too close to its stop", pair, () => 0.925, "suspended"],
    ["is suspended below its stop", pair, () => 0.8, "suspended"],
    ["is not certain while prices move past its stop", pair, (at: number) => 1 - at / 100, "unclear"],
    ["rests without a stop, or with one that trails", trailing, () => 0.8, "rests"],
  ] as const)("says that an exit %s", (_, terms, price, birth) => {
    expect(birthOf(askedFor("avax", terms), recordsOf("avax", price), second(5, 10))).toBe(birth);
  });

  it("goes by the last price before its time, and by none after it", () => {
    const records = recordsOf("avax", (at) => (at < 5 ? 0.9 : at < 20 ? 1 : 0.9));
    const asked = askedFor("avax", pair);
    expect(birthOf(asked, records, second(6.5, 16))).toBe("rests");
    expect(birthOf(asked, records, second(4.5, 16))).toBe("unclear");
    expect(birthOf(asked, records, second(-5, 1))).toBe("unclear");
  });
});

describe("closedAtMs", () => {
  const swap = (hash: string, side: Swap["side"], tokens: bigint, atMs: number) => ({
    hash,
    side,
    tokens,
    atMs,
  });
  const buy = swap("a", "buy", 10n, 1);

  it.each<[string, Swap[], number | undefined]>([
    ["open while a token is left", [buy, swap("b", "sell", 9n, 2)], undefined],
    ["closed by the sale of the last token", [buy, swap("b", "sell", 9n, 2), swap("c", "sell", 1n, 3)], 3],
    ["closed by a sale of more than it holds", [buy, swap("b", "sell", 11n, 2), swap("c", "buy", 5n, 3)], 2],
    ["open after earlier sales of other tokens", [swap("b", "sell", 11n, 0), buy], undefined],
    ["larger by other buys", [swap("b", "buy", 5n, 0), buy, swap("c", "sell", 10n, 2)], undefined],
    ["new after a closed one", [swap("b", "buy", 5n, -2), swap("c", "sell", 5n, -1), buy], undefined],
  ])("says that a position is %s", (_, swaps, closed) => {
    expect(closedAtMs(swaps, "a")).toBe(closed);
  });
});
