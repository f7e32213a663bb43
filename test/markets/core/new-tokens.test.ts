import { describe, expect, it } from "vitest";
import {
  dueLook,
  type NewTokenPool,
  type NewTokens,
  newTokensIn,
  type TokenLook,
} from "../../../lib/markets/core/new-tokens.ts";

const now = 1_795_000_000;
const pool = (token: string, age: number): NewTokenPool => ({
  pool: `${token} ${age}`,
  venue: "uniswap-v2",
  token,
  time: now - age,
  isConfirmed: true,
});
const found: TokenLook = {
  symbol: "MOON",
  name: "Moon",
  decimals: 18,
  listed: false,
  sellable: true,
  buyTax: 0,
  sellTax: 0,
  flags: [],
  liquidity: "2",
};
const of = (pools: NewTokenPool[], looks: NewTokens["looks"]): NewTokens => ({
  pools,
  looks,
  readAt: now,
  since: now - 86_400,
  state: undefined,
});

describe("newTokensIn", () => {
  it("lists each token that has a price once, with its newest pool", () => {
    const pools = [pool("A", 5), pool("B", 6), pool("A", 7), pool("C", 8), pool("D", 86_400)];
    const looks = { A: { at: now, found }, B: { at: now }, D: { at: now, found } };
    expect(newTokensIn(of(pools, looks), now)).toEqual([{ ...found, token: "A", pool: pools[0] }]);
  });
});

describe("dueLook", () => {
  it("looks first at the newest token that was never looked at", () => {
    const pools = [pool("A", 5), pool("B", 6), pool("A", 7), pool("C", 8)];
    expect(dueLook(pools, {}, now)).toBe("A");
    expect(dueLook(pools, { A: { at: now - 70 }, B: { at: now - 4 } }, now)).toBe("C");
  });

  it("looks again after a minute while a pool is fresh, and later after ten", () => {
    const looks = { A: { at: now - 60 }, B: { at: now - 599 }, C: { at: now - 600 } };
    const pools = [pool("A", 100), pool("B", 900), pool("C", 900)];
    expect(dueLook(pools, looks, now)).toBe("C");
    expect(dueLook(pools, { ...looks, C: { at: now - 4 } }, now)).toBe("A");
    expect(dueLook(pools, { ...looks, A: { at: now - 59 }, C: { at: now - 4 } }, now)).toBeUndefined();
  });

  it("looks at a single token in four seconds, however many are new", () => {
    const pools = Array.from({ length: 100 }, (_, index) => pool(`T${index}`, index));
    const looks: Record<string, { at: number }> = {};
    for (let time = now; time < now + 60; time++) {
      const due = dueLook(pools, looks, time);
      if (due !== undefined) looks[due] = { at: time };
    }
    expect(Object.keys(looks)).toHaveLength(15);
  });
});
