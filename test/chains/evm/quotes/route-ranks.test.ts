import { describe, expect, it } from "vitest";
import { expectedFor, firstsOf } from "../../../../lib/chains/evm/quotes/route-ranks.ts";
import { v2, v3 } from "../../../support/trading.ts";

describe("expectedFor", () => {
  /** A small pool pays best for 10, and a deep one for 1000. */
  const firsts = firstsOf(
    [
      { route: v2, outs: [20n, 100n] },
      { route: v3, outs: [19n, 1900n] },
    ],
    [10n, 1000n],
  );

  it.each([
    ["a pool that paid best for the amount, or for more", 10n, [v2, v3]],
    ["a pool that paid best for half of the amount", 20n, [v2, v3]],
    ["none that paid best only for less than that", 21n, [v3]],
    ["none for an amount that is far from all others", 2001n, []],
  ])("lists %s", (_, amount, routes) => {
    expect(expectedFor(firsts, amount)).toEqual(routes);
  });

  it("lists no pool that trades nothing", () => {
    expect(firstsOf([{ route: v2, outs: [0n] }], [10n])).toEqual([]);
  });
});
