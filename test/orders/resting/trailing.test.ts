import { describe, expect, it } from "vitest";
import { newResting, type RestingOrder } from "../../../lib/orders/resting/life.ts";
import type { Leg } from "../../../lib/orders/resting/mandate.ts";
import type { Samples } from "../../../lib/orders/resting/touch.ts";
import { firstMark, hintsOf, markAfter, pricedLeg } from "../../../lib/orders/resting/trailing.ts";
import { limit, mandate, nowMs, stop, trailing } from "./fixtures.ts";

const one = { coins: 1n, tokens: 1n };
const of = (chain: "base" | "sol" = "base", legs: readonly Leg[] = [trailing]): RestingOrder => {
  const terms = mandate({ chain, legs, createdAt: nowMs - 15_000 });
  return newResting(terms, "mac", firstMark(terms, one));
};

/** What both hosts say that 1000 units bring. */
const sight = (samples: Samples, atMs = nowMs) => ({
  amount: 1000n,
  samples,
  askedMs: atMs,
  answeredMs: atMs,
});

describe("pricedLeg", () => {
  it("fires a trailing leg below its mark, and others at their own prices", () => {
    const order = of("base", [limit, trailing]);
    expect(pricedLeg(order, 0)).toBe(limit);
    expect(pricedLeg(order, 1)).toMatchObject({ kind: "stop", trigger: { coins: 9n, tokens: 10n } });
  });

  it("keeps the worst price of placing, however far the mark rises", () => {
    const order = { ...of(), mark: { price: { coins: 10n, tokens: 1n }, sinceMs: nowMs } };
    expect(pricedLeg(order, 0)).toEqual({
      kind: "stop",
      trigger: { coins: 9n, tokens: 1n },
      worst: { coins: 18n, tokens: 25n },
    });
  });

  it("sells an exit of a buy at no less than the worst price that follows from the buy", () => {
    const entry = { spent: 1n, received: 1n, trailWorst: { coins: 4n, tokens: 5n } };
    expect(pricedLeg({ ...of(), entry }, 0)).toMatchObject({ worst: { coins: 4n, tokens: 5n } });
  });

  it("fires no trailing leg without a mark above its worst price", () => {
    expect(pricedLeg({ mandate: mandate({ legs: [trailing] }) }, 0)).toMatchObject({
      trigger: { coins: 18n, tokens: 25n },
    });
  });
});

describe("hintsOf", () => {
  it("names the price at which a mark may rise, besides those at which the order fires", () => {
    expect(hintsOf(of("base", [limit, trailing]))).toMatchObject([
      limit,
      { kind: "stop", trigger: { coins: 9n, tokens: 10n } },
      { kind: "limit", price: { coins: 251n, tokens: 250n }, isOfMark: true },
    ]);
    expect(hintsOf({ mandate: mandate() })).toEqual([limit, stop]);
  });
});

describe("markAfter", () => {
  const rise = (samples: Samples, order = of()) => markAfter(order, 0, sight(samples));

  it("raises the mark to the lowest of all samples", () => {
    expect(rise([1100n, 1050n, 1200n])).toEqual({
      mark: { price: { coins: 1050n, tokens: 1000n }, sinceMs: nowMs },
      rise: undefined,
    });
  });

  it.each<[string, Samples, RestingOrder?]>([
    ["falls", [900n, 900n]],
    ["has not risen at a single sample", [2000n, 1004n, 2000n]],
    ["has risen by less than a half percent", [1004n, 1004n]],
    [
      "has risen by less than a twentieth of a wide trail",
      [1024n, 1024n],
      of("base", [{ ...trailing, trailPpm: 500_000n } as Leg]),
    ],
    [
      "has risen less than 15 seconds before",
      [2000n, 2000n],
      { ...of(), mark: { price: one, sinceMs: nowMs - 14_999 } },
    ],
  ])("keeps the mark if the price %s", (_, samples, order = of()) => {
    expect(rise(samples, order).mark).toBe(order.mark);
  });

  it("keeps the mark if hosts have not answered, or the leg does not trail", () => {
    expect(markAfter(of(), 0, undefined).mark).toEqual(of().mark);
    const order = of("base", [limit, trailing]);
    expect(markAfter(order, 0, sight([2000n])).mark).toBe(order.mark);
  });

  /** Reads prices on sol, one every 2.7 seconds. */
  const readings = (...outs: bigint[]) => {
    let order = of("sol");
    for (const [at, out] of outs.entries())
      order = { ...order, ...markAfter(order, 0, sight([out, out], nowMs + 2700 * at)) };
    return order;
  };

  it("raises the mark on sol after four readings in a row, to the lowest of them", () => {
    expect(readings(1100n, 1050n, 1200n)).toMatchObject({ mark: { price: one }, rise: { seen: { n: 3 } } });
    expect(readings(1100n, 1050n, 1200n, 1100n)).toMatchObject({
      mark: { price: { coins: 1050n, tokens: 1000n } },
      rise: undefined,
    });
  });

  it("begins anew on sol after a reading that is too low", () => {
    const { mark, rise: after } = readings(1100n, 1050n, 1001n, 1300n, 1200n, 1250n);
    expect(mark?.price).toEqual(one);
    expect(after).toMatchObject({ seen: { n: 3 }, price: { coins: 1200n, tokens: 1000n } });
  });
});
