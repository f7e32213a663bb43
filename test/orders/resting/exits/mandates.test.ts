import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { isTooClose, partOf } from "../../../../lib/orders/resting/exits/entry.ts";
import type { GivenExit } from "../../../../lib/orders/resting/exits/given.ts";
import { type BuyFacts, exitMandates } from "../../../../lib/orders/resting/exits/mandates.ts";
import { roundTripOf } from "../../../../lib/orders/resting/exits/round-trip.ts";
import type { Mandate } from "../../../../lib/orders/resting/mandate.ts";
import { floorOf } from "../../../../lib/orders/resting/prices.ts";
import { mandateTerms } from "../../../../lib/orders/resting/schemas.ts";
import { pricedLegs } from "../../../../lib/orders/resting/trailing.ts";
import { nowMs } from "../fixtures.ts";

const seconds = nowMs / 1000;

/** A buy of 1000 tokens for 1000 coins, both with 18 decimals. */
const buy: BuyFacts = {
  chain: "base",
  wallet: "0xf39F",
  userID: "alice",
  orderId: "01KAMZ3Q5T9WJ2M4N6P8R0S1V3",
  token: "0x5FbD",
  isPrivate: false,
  createdAt: nowMs,
  decimals: 18,
  quoted: { coins: 1000n, tokens: 1000n },
  feeOfChild: 10n,
  endsAt: seconds + 120,
};

const mandatesOf = (...exits: GivenExit[]) => exitMandates(exits, buy);
const mandateOf = (exit: GivenExit) => mandatesOf(exit)[0] as Mandate;
const paid = { spent: 1000n, received: 500n };

describe("exitMandates", () => {
  it("bounds amounts and prices so that exits sell all of a buy that fills twice as well as quoted, at its prices", () => {
    const exit = mandateOf({ percent: 50, takeProfit: { percent: 100 }, stopLoss: { percent: -20 } });
    expect(exit).toMatchObject({ amount: 1000n, exit: { of: buy.orderId, sharePpm: 500_000n } });
    const [gain, loss] = pricedLegs({ mandate: exit, entry: { spent: 1000n, received: 2000n } });
    expect(gain).toMatchObject({ price: { coins: 1n, tokens: 1n } });
    expect(loss).toMatchObject({ trigger: { coins: 2n, tokens: 5n }, worst: { coins: 8n, tokens: 25n } });
    expect(exit.legs.map((leg) => floorOf("sell", leg, 1000n))).toEqual([1000n, 320n]);
    expect(partOf(exit, 2000n)).toBe(1000n);
    expect(partOf(exit, 3000n)).toBe(1000n);
  });

  it("rests for 90 days after the buy's end, and pays the network like an order of its value", () => {
    const exit = mandateOf({ percent: 50, takeProfit: { percent: 10 }, stopLoss: { percent: -20 } });
    expect(exit).toMatchObject({ expiresAt: seconds + 120 + 7_776_000, feesLimit: 30n, feesStop: 30n });
    expect(v.is(mandateTerms, exit)).toBe(true);
  });

  it("lets only the last one of 100 % sell what the others leave", () => {
    const thirds = [{ percent: 33.3333 }, { percent: 33.3333 }, { percent: 33.3334 }];
    const exits = mandatesOf(...thirds.map((each) => ({ ...each, takeProfit: { percent: 10 } })));
    expect(exits.map((exit) => partOf(exit, 100n))).toEqual([33n, 33n, 34n]);
    const half = mandateOf({ percent: 50, takeProfit: { percent: 10 } });
    expect(partOf(half, 101n)).toBe(50n);
    expect(partOf(half, 1n)).toBe(0n);
  });

  it("takes absolute prices as they are", () => {
    const exit = mandateOf({ percent: 100, takeProfit: { price: "3" }, stopLoss: { stopPrice: "0.5" } });
    expect(exit.legs).toEqual([
      { kind: "limit", price: { coins: 3n, tokens: 1n } },
      { kind: "stop", trigger: { coins: 1n, tokens: 2n }, worst: { coins: 2n, tokens: 5n } },
    ]);
  });

  it.each([
    ["exits.0.takeProfit", { takeProfit: { price: "1" }, stopLoss: { stopPrice: "2" } }],
    ["exits.0.stopLoss.price", { stopLoss: { stopPrice: "2", price: "3" } }],
    ["exits.0.takeProfit.price", { takeProfit: { price: "0" } }],
  ])("names %s if its prices make no sense", (field, exit) => {
    expect(() => mandateOf({ percent: 100, ...exit })).toThrow(
      expect.objectContaining({ code: "INVALID_REQUEST", details: { field } }),
    );
  });

  it("gives each exit of a buy an id of its own, the same each time", () => {
    const exits = () =>
      mandatesOf({ percent: 50, takeProfit: { percent: 1 } }, { percent: 50, takeProfit: { percent: 1 } });
    const ids = exits().map(({ orderId }) => orderId);
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id.slice(0, 10)).toBe(buy.orderId.slice(0, 10));
    expect(exits().map(({ orderId }) => orderId)).toEqual(ids);
  });
});

describe("pricedLegs", () => {
  it("prices an exit by what the buy has paid, not by its quote", () => {
    const exit = mandateOf({ percent: 100, takeProfit: { percent: 50 }, stopLoss: { percent: -50 } });
    expect(pricedLegs({ mandate: exit, entry: paid })).toEqual([
      { kind: "limit", price: { coins: 3n, tokens: 1n } },
      { kind: "stop", trigger: { coins: 1n, tokens: 1n }, worst: { coins: 4n, tokens: 5n } },
    ]);
  });

  it("never goes below the mandate's worst price", () => {
    const exit = mandateOf({ percent: 100, takeProfit: { percent: 100 }, stopLoss: { percent: -20 } });
    const [gain, loss] = pricedLegs({ mandate: exit, entry: { spent: 1000n, received: 10_000n } });
    expect(gain).toMatchObject({ price: { coins: 1n, tokens: 1n } });
    expect(loss).toMatchObject({ worst: { coins: 8n, tokens: 25n } });
  });
});

describe("roundTripOf", () => {
  it("subtracts taxes, and the pool's fee both ways", () => {
    const quoted = { coins: 10n ** 6n, tokens: 10n ** 6n };
    const { coins, tokens } = roundTripOf(quoted, { buyTax: 5, sellTax: 5 }, [30]);
    expect(Number(coins) / Number(tokens)).toBeCloseTo(0.95 * 0.95 * 0.997 * 0.997, 9);
    expect(roundTripOf(quoted, { buyTax: null, sellTax: null }, [])).toEqual({ coins: 1n, tokens: 1n });
  });
});

describe("isTooClose", () => {
  it("requires a stop at least 3 % below what selling at once would bring", () => {
    const stopAt = (coins: bigint) =>
      ({ kind: "stop", trigger: { coins, tokens: 1000n }, worst: { coins: 1n, tokens: 1000n } }) as const;
    expect([970n, 971n].map((coins) => isTooClose(stopAt(coins), 1000n, 1000n))).toEqual([false, true]);
    expect(isTooClose({ kind: "limit", price: { coins: 1n, tokens: 1n } }, 1000n, 1000n)).toBe(false);
  });
});
