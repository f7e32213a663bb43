import { describe, expect, it } from "vitest";
import { objectionToSlice } from "../../../lib/orders/resting/slice-rule.ts";
import { child, mandate, nowMs } from "./fixtures.ts";

/** Three slices, one each minute. The order was placed a moment after the full second. */
const three = { amount: 1000n, createdAt: nowMs + 1, slices: { count: 3, everySeconds: 60 } };

describe("objectionToSlice", () => {
  const objectionTo = (slice: number | undefined, ms: number, signed?: string) =>
    objectionToSlice(
      three,
      child({ parent: { ...child().parent, ...(slice !== undefined && { slice }) } }),
      signed === undefined ? undefined : { slices: [{ slice: 2, child: signed }] },
      nowMs + ms,
    );

  it("signs a slice from its time on, to a minute after its turn", () => {
    expect([61_000, 180_999].map((ms) => objectionTo(2, ms))).toEqual([undefined, undefined]);
  });

  it.each<[string, number | undefined, number, string?]>([
    ["a slice before its time", 2, 60_999],
    ["a slice that was missed", 2, 181_000],
    ["another child of a slice", 2, 61_000, "C0"],
  ])("postpones %s", (_, slice, ms, signed) => {
    expect(objectionTo(slice, ms, signed)).toHaveProperty("later");
  });

  it("signs a slice's own child again", () => {
    expect(objectionTo(2, 61_000, "C1")).toBeUndefined();
    expect(objectionTo(3, 121_000, "C0")).toBeUndefined();
  });

  it.each([undefined, 0, 4])("refuses slice %s of three", (slice) => {
    expect(objectionTo(slice, 121_000)).toHaveProperty("refused");
  });

  it("refuses a slice of an order without slices", () => {
    const of = child({ parent: { ...child().parent, slice: 1 } });
    expect(objectionToSlice(mandate(), of, undefined, nowMs)).toHaveProperty("refused");
    expect(objectionToSlice(mandate(), child(), undefined, nowMs)).toBeUndefined();
  });
});
