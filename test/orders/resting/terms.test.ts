import * as v from "valibot";
import { describe, expect, it } from "vitest";
import type { Mandate } from "../../../lib/orders/resting/mandate.ts";
import type { RestingRequest } from "../../../lib/orders/resting/request.ts";
import { mandateTerms } from "../../../lib/orders/resting/schemas.ts";
import {
  gasPriceOf,
  legsOf,
  type MandateFacts,
  mandateOf,
  objectionToCrowd,
  slippageOf,
  stopFiringNow,
} from "../../../lib/orders/resting/terms.ts";
import { limit, mandate, nowMs, stop, trailing } from "./fixtures.ts";

const common = { chain: "base", wallet: "0xf39F", side: "sell", token: "0x5409", amount: "5000" } as const;
const oco = {
  ...common,
  type: "oco",
  takeProfit: { price: "2" },
  stopLoss: { stopPrice: "1", price: "0.8" },
} as const;

const now = { coins: 1n, tokens: 1n };

const facts: MandateFacts = {
  chain: "base",
  wallet: "0xf39F",
  userID: "alice",
  orderId: "01KAMZ3Q5T9WJ2M4N6P8R0S1V3",
  amount: 5000n,
  decimals: 18,
  value: 1000n,
  now,
  feeOfChild: 10n,
  isPrivate: false,
  maxGasPrice: 7n,
  nowMs,
  cutoffs: {},
};

describe("legsOf", () => {
  it("reads a limit, a stop and a pair", () => {
    expect(legsOf({ ...common, type: "limit", price: "2" }, 18, now)).toEqual([limit]);
    expect(legsOf({ ...common, type: "stop", stopPrice: "1", price: "0.8" }, 18, now)).toEqual([stop]);
    expect(legsOf(oco, 18, now)).toEqual([limit, stop]);
  });

  it("sells a stop for at least 0.8 times its price by default", () => {
    expect(legsOf({ ...common, type: "stop", stopPrice: "1" }, 18, now)).toEqual([stop]);
  });

  it("sells a trailing stop for at least 0.8 times the first price at which it fires", () => {
    const request = { ...common, type: "trailing_stop", trailPercent: 10 } as const;
    expect(legsOf(request, 18, now)).toEqual([trailing]);
    expect(legsOf({ ...request, price: "0.5" }, 18, now)).toEqual([
      { ...trailing, worst: { coins: 1n, tokens: 2n } },
    ]);
  });

  it("by default, trades slices at a price 30 % beyond the current one", () => {
    const request = { ...common, type: "twap", slices: 2, intervalSeconds: 60 } as const;
    const worstOf = (changes: { price?: string; side?: "buy" }) =>
      legsOf({ ...request, ...changes }, 18, now);
    expect(worstOf({})).toEqual([{ kind: "slice", worst: { coins: 7n, tokens: 10n } }]);
    expect(worstOf({ side: "buy" })).toEqual([{ kind: "slice", worst: { coins: 13n, tokens: 10n } }]);
    expect(worstOf({ price: "2" })).toEqual([{ kind: "slice", worst: { coins: 2n, tokens: 1n } }]);
  });

  it.each<[string, RestingRequest]>([
    ["price", { ...common, type: "trailing_stop", trailPercent: 10, price: "0.9" }],
    ["price", { ...common, type: "trailing_stop", trailPercent: 10, price: "0.0089999" }],
    ["price", { ...common, type: "limit", price: "0" }],
    ["stopPrice", { ...common, type: "stop", stopPrice: "0" }],
    ["price", { ...common, type: "stop", stopPrice: "1", price: "1" }],
    ["price", { ...common, type: "stop", stopPrice: "1", price: "0.0099999" }],
    ["takeProfit.price", { ...oco, takeProfit: { price: "1e3" } }],
    ["stopLoss.stopPrice", { ...oco, stopLoss: { stopPrice: "-1" } }],
    ["stopLoss.price", { ...oco, stopLoss: { stopPrice: "1", price: "1.1" } }],
    ["takeProfit", { ...oco, takeProfit: { price: "1" } }],
  ])("names %s in %j", (field, request) => {
    expect(() => legsOf(request, 18, now)).toThrow(
      expect.objectContaining({ code: "INVALID_REQUEST", details: { field } }),
    );
  });

  it("allows a worst price of exactly a hundredth of the stop", () => {
    expect(legsOf({ ...common, type: "stop", stopPrice: "1", price: "0.01" }, 18, now)).toMatchObject([
      { worst: { coins: 1n, tokens: 100n } },
    ]);
  });
});

describe("mandateOf", () => {
  it("makes a mandate that the schema of stored mandates accepts, and gives each kind half of the fees", () => {
    const made = mandateOf(
      { ...oco, slippage: 2.5, expiresInSeconds: 60, maxNetworkFee: "0.000000000000000101" },
      facts,
    );
    expect(v.parse(mandateTerms, made)).toEqual(made);
    expect(made).toMatchObject({
      feesLimit: 50n,
      feesStop: 50n,
      slippagePpm: 25_000n,
      expiresAt: nowMs / 1000 + 60,
    });
  });

  it("accepts a stored mandate whose price is the highest, with the most digits", () => {
    const price = `9${"9".repeat(39)}.${"9".repeat(40)}`;
    const made = mandateOf({ ...common, type: "limit", price }, { ...facts, decimals: 0 });
    expect(v.is(mandateTerms, made)).toBe(true);
  });

  it("lets children pay a tenth of the value by default, and at least what six of them may cost", () => {
    const request = { ...common, type: "limit", price: "2" } as const;
    expect(mandateOf(request, facts)).toMatchObject({ feesLimit: 100n, feesStop: 0n });
    expect(mandateOf(request, { ...facts, feeOfChild: 17n })).toMatchObject({ feesLimit: 102n });
  });

  it("ends a day after the turn of the last slice, and lets each slice pay its fee by default", () => {
    const request = { ...common, type: "twap", slices: 30, intervalSeconds: 60 } as const;
    const made = mandateOf(request, { ...facts, nowMs: nowMs + 1 });
    expect(v.parse(mandateTerms, made)).toEqual(made);
    expect(made).toMatchObject({
      slices: { count: 30, everySeconds: 60 },
      expiresAt: nowMs / 1000 + 1 + 30 * 60 + 86_400,
      feesLimit: 300n,
    });
  });

  it("rests for 30 days by default", () => {
    expect(mandateOf(oco, facts).expiresAt).toBe(nowMs / 1000 + 30 * 86_400);
  });

  it("is placed after the last cancellation of all orders, even if that clock is ahead", () => {
    const upTo = (before: number) => ({ ...facts, cutoffs: { wallet: { userID: "alice", before } } });
    expect(mandateOf(oco, upTo(nowMs + 1000)).createdAt).toBe(nowMs + 1001);
    expect(mandateOf(oco, upTo(nowMs - 1000)).createdAt).toBe(nowMs);
  });

  it("has no gas price on chains without gas", () => {
    const { maxGasPrice: _, ...others } = facts;
    expect(mandateOf({ ...oco, chain: "sol" }, { ...others, chain: "sol" })).not.toHaveProperty(
      "maxGasPrice",
    );
  });
});

describe("stopFiringNow", () => {
  it("finds a stop at or above the current price, and lets a crossed limit pass", () => {
    expect(stopFiringNow({ mandate: mandate() }, 1000n)).toBe(stop);
    expect(stopFiringNow({ mandate: mandate() }, 1001n)).toBeUndefined();
    expect(stopFiringNow({ mandate: mandate() }, 3000n)).toBeUndefined();
  });
});

describe("objectionToCrowd", () => {
  const order = mandate();
  const limitBeside = (
    count: number,
    token: (index: number) => string,
    added: readonly Mandate[] = [order],
  ) =>
    objectionToCrowd(
      added,
      Array.from({ length: count }, (_, index) => ({
        state: "resting" as const,
        mandate: { ...order, token: token(index) },
      })),
    )?.details;

  it("allows 100 orders of a user and 20 of a wallet and token, including new ones", () => {
    expect(limitBeside(99, String)).toBeUndefined();
    expect(limitBeside(100, String)).toEqual({ limit: 100 });
    expect(limitBeside(19, () => order.token)).toBeUndefined();
    expect(limitBeside(20, () => order.token)).toEqual({ limit: 20 });
    expect(limitBeside(18, () => order.token, [order, order, order])).toEqual({ limit: 20 });
    expect(limitBeside(20, () => order.token, [{ ...order, wallet: "0x1" }])).toBeUndefined();
    expect(limitBeside(100, String, [])).toBeUndefined();
  });

  it("does not count orders that have filled", () => {
    const filled = Array.from({ length: 20 }, () => ({ state: "filled" as const, mandate: order }));
    expect(objectionToCrowd([order], filled)).toBeUndefined();
  });
});

describe("slippageOf", () => {
  it.each([
    ["limit", "public", 10_000],
    ["limit", "private", 10_000],
    ["stop", "public", 10_000],
    ["stop", "private", 100_000],
    ["stop", "sequencer", 100_000],
  ] as const)("of a %s with %s submission is %d millionths by default", (kind, submission, expected) => {
    const leg = kind === "limit" ? limit : stop;
    expect(slippageOf({}, leg, submission, 1, undefined)).toBe(BigInt(expected));
  });

  it("is the user's, but never above the policy's", () => {
    expect(slippageOf({ slippagePpm: 300_000n }, stop, "public", 1, undefined)).toBe(300_000n);
    expect(slippageOf({ slippagePpm: 300_000n }, stop, "public", 1, 20_000n)).toBe(20_000n);
  });
});

describe("gasPriceOf", () => {
  it("lets stops and exits pay three times the user's limit, but no slice", () => {
    const slice = { kind: "slice", worst: { coins: 1n, tokens: 2n } } as const;
    expect([limit, stop, slice].map((leg) => gasPriceOf(mandate(), leg))).toEqual([10n, 30n, 10n]);
    const exit = { of: "B", sharePpm: 1_000_000n };
    expect([limit, stop].map((leg) => gasPriceOf(mandate({ exit }), leg))).toEqual([30n, 30n]);
    expect(gasPriceOf({}, stop)).toBeUndefined();
  });
});
