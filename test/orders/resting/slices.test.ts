import { describe, expect, it } from "vitest";
import { amountOfChild, dueAt, fillIdOf, sliceAt } from "../../../lib/orders/resting/slices.ts";
import { mandate, nowMs } from "./fixtures.ts";

const seconds = nowMs / 1000;

/** Three slices of 333, 333 and 334, one each minute. It was placed a moment after the full second. */
const three = { amount: 1000n, createdAt: nowMs + 1, slices: { count: 3, everySeconds: 60 } };

describe("dueAt", () => {
  it("rounds up to seconds", () => {
    expect([1, 2, 3].map((slice) => dueAt(three.createdAt, 60, slice))).toEqual([
      seconds + 1,
      seconds + 61,
      seconds + 121,
    ]);
    expect(dueAt(nowMs, 60, 1)).toBe(seconds);
  });
});

describe("sliceAt", () => {
  it.each([
    [999, undefined],
    [1000, 1],
    [60_999, 1],
    [61_000, 2],
    [121_000, 3],
    [180_999, 3],
    [181_000, undefined],
  ])("says after %i ms that it is the turn of slice %s", (ms, slice) => {
    expect(sliceAt(three, nowMs + ms)).toBe(slice);
  });

  it("knows no turn of an order without slices", () => {
    expect(sliceAt(mandate(), nowMs)).toBeUndefined();
  });
});

describe("amountOfChild", () => {
  it("gives the last slice the rest, and a child without a slice the whole amount", () => {
    expect([1, 2, 3].map((slice) => amountOfChild(three, slice))).toEqual([333n, 333n, 334n]);
    expect(amountOfChild(mandate(), undefined)).toBe(1000n);
  });
});

describe("fillIdOf", () => {
  it("names an order or its slice", () => {
    expect([fillIdOf({ orderId: "P" }), fillIdOf({ orderId: "P", slice: 24 })]).toEqual(["P", "P.24"]);
  });
});
