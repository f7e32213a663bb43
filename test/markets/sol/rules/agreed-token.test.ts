import { describe, expect, it } from "vitest";
import { formatDecimal } from "../../../../lib/core/decimal.ts";
import type { SolToken } from "../../../../lib/markets/sol/pools.ts";
import { agreedToken } from "../../../../lib/markets/sol/rules/agreed-token.ts";
import { decimal } from "../../support/markets.ts";

const poolOf = (pool: string, depth: string): SolToken["pools"][number] => ({
  pool,
  quote: "native",
  venue: "raydium-cpmm",
  feeBps: 25,
  depth: decimal(depth),
  accounts: [pool],
  amounts: { coins: 1n, tokens: 1n, held: 1n },
  price: decimal("1"),
});

const shown = (pools: readonly [pool: string, depth: string][], supply?: string): SolToken => ({
  token: {
    chain: "sol",
    token: "MoonMint",
    symbol: "MOON",
    name: "Moon",
    decimals: 6,
    ...(supply !== undefined && { supply: decimal(supply) }),
  },
  pools: pools.map(([pool, depth]) => poolOf(pool, depth)),
  block: { number: 1, time: 1 },
});

describe("agreedToken", () => {
  it.each<[string, [string, string][], [string, string][], string[] | "not agreed"]>([
    ["takes the lower depths of pools that both show", [["A", "10"]], [["A", "9"]], ["A 9"]],
    [
      "leaves out a pool that one host invents",
      [
        ["A", "10"],
        ["B", "1"],
      ],
      [["A", "10"]],
      ["A 10"],
    ],
    [
      "does not let a host hide the deepest pool",
      [
        ["A", "10"],
        ["B", "1"],
      ],
      [["B", "1"]],
      "not agreed",
    ],
    [
      "does not let a host make the deepest pool shallow",
      [
        ["A", "10"],
        ["B", "1"],
      ],
      [
        ["A", "1"],
        ["B", "1"],
      ],
      "not agreed",
    ],
    [
      "does not let a host invent the deepest pool",
      [["A", "10"]],
      [
        ["B", "99"],
        ["A", "10"],
      ],
      "not agreed",
    ],
  ])("%s", (_, one, other, expected) => {
    const agreed = agreedToken(shown(one), shown(other));
    const pools =
      typeof agreed === "object"
        ? agreed.pools.map(({ pool, depth }) => `${pool} ${formatDecimal(depth)}`)
        : agreed;
    expect(pools).toEqual(expected);
  });

  it("considers the eight deepest of forty pools", () => {
    const pools = Array.from({ length: 40 }, (_, index): [string, string] => [
      `P${index}`,
      String(index + 1),
    ]);
    const agreed = agreedToken(shown(pools), shown(pools));
    expect(typeof agreed === "object" && agreed.pools.map(({ pool }) => pool)).toEqual(
      Array.from({ length: 8 }, (_, index) => `P${39 - index}`),
    );
  });

  it.each([
    ["1000", "1000", "1000"],
    ["1000", "995", "995"],
    ["1000", "9", undefined],
    ["1000", "1000000", undefined],
    ["1000", undefined, undefined],
    [undefined, undefined, undefined],
  ])("shows a supply only if both hosts show nearly the same: %s and %s", (one, other, expected) => {
    const agreed = agreedToken(shown([["A", "1"]], one), shown([["A", "1"]], other));
    const supply = typeof agreed === "object" ? agreed.token.supply : undefined;
    expect(supply && formatDecimal(supply)).toBe(expected);
  });
});
