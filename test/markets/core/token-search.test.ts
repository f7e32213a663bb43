import { describe, expect, it } from "vitest";
import {
  assessing,
  type IndexedToken,
  readSearch,
  type SearchedToken,
  searchTokens,
} from "../../../lib/markets/core/token-search.ts";

const nowMs = Date.parse("2026-11-22T20:00:00Z");
const dayAgo = nowMs / 1000 - 24 * 3600;

const token = (symbol: string, name = symbol, rest: Partial<SearchedToken> = {}): SearchedToken => ({
  chain: "base",
  token: `0x${symbol}`,
  symbol,
  name,
  decimals: 18,
  ...rest,
});

const indexed = (symbol: string, rest: Partial<IndexedToken> = {}): IndexedToken => ({
  ...token(symbol),
  depthUsd: 10_000,
  firstSeen: dayAgo,
  ...rest,
});

const none = { listed: [], own: [], others: [], made: [] };

const symbolsOf = (wanted: string, among: Partial<Parameters<typeof searchTokens>[1]>) =>
  searchTokens(wanted, { ...none, ...among }, nowMs).map(({ symbol }) => symbol);

describe("readSearch", () => {
  it.each([
    ["MOON", "moon"],
    ["  moon ", "moon"],
    ["ＭＯＯＮ", "moon"],
    ["usd coin", "usd coin"],
    ["币安", "币安"],
    ["🚀🚀", "🚀🚀"],
    ["a".repeat(64), "a".repeat(64)],
  ])("reads the query %j as %j", (text, wanted) => {
    expect(readSearch(text)).toEqual({ wanted });
  });

  it.each(["", "m", " m ", "🚀", "a".repeat(65), "ﷺ".repeat(4), "a".repeat(10_000)])(
    "rejects the query %j for its length",
    (text) => {
      expect(readSearch(text)).toEqual({ problem: "must have 2 to 64 characters" });
    },
  );

  it.each(["mo\u202eon", "\u200fmoon", "mo\u0000on", "mo\u200bon", "mo\u00adon", "mo\u2066on"])(
    "rejects invisible characters in %j",
    (text) => {
      expect(readSearch(text)).toEqual({ problem: "must not have invisible characters" });
    },
  );
});

describe("searchTokens", () => {
  it("finds listed tokens first, then the user's own tokens, and then other tokens by depth", () => {
    const others = [indexed("MOON1", { depthUsd: 20_000 }), indexed("MOON2", { depthUsd: 30_000 })];
    expect(symbolsOf("moon", { listed: [token("XMOON")], own: [token("MOON0")], others })).toEqual([
      ...["XMOON", "MOON0", "MOON2", "MOON1"],
    ]);
  });

  it("finds tokens with new pools last, and marks only those that are known for nothing else", () => {
    const [known, made] = [token("MOON1"), token("MOON", "\u{1f680}".repeat(32))];
    const found = searchTokens("moon", { ...none, own: [known], made: [made, { ...known }] }, nowMs);
    expect(found).toMatchObject([{ symbol: "MOON1" }, { symbol: "MOON", isNew: true }]);
    expect(found[0]).not.toHaveProperty("isNew");
  });

  it("ranks a symbol before a name, and a whole match before a partial one", () => {
    const listed = [
      token("A", "About the moon"),
      token("B", "full-moon"),
      token("MOONS"),
      token("C", "Moon"),
      token("MOON"),
      token("HONEYMOON"),
    ];
    expect(symbolsOf("moon", { listed })).toEqual(["MOON", "MOONS", "A", "C", "B", "HONEYMOON"]);
  });

  it.each([
    ["below $10,000", { depthUsd: 9999.99 }],
    ["younger than a day", { firstSeen: dayAgo + 1 }],
  ])("hides tokens that are %s, except the user's own", (_, rest) => {
    const hidden = indexed("MOON", rest);
    expect(symbolsOf("moon", { others: [hidden] })).toEqual([]);
    expect(symbolsOf("moon", { own: [hidden], others: [hidden] })).toEqual(["MOON"]);
  });

  it("shows each token once, and at most 20 tokens", () => {
    const listed = Array.from({ length: 15 }, (_, index) => token(`MOON${index}`));
    const others = Array.from({ length: 15 }, (_, index) => indexed(`MOON${index + 10}`));
    const found = symbolsOf("moon", { listed, own: listed, others });
    expect(found).toHaveLength(20);
    expect(new Set(found).size).toBe(20);
  });

  it("distinguishes tokens of two chains at the same address", () => {
    const others = [indexed("MOON"), indexed("MOON", { chain: "bsc" })];
    expect(symbolsOf("moon", { others })).toHaveLength(2);
  });
});

describe("assessing", () => {
  const listed = [token("USDC", "USD Coin"), token("ETH", "Ether", { token: "native" })];
  const assess = assessing(listed);

  it.each([
    ["the same symbol", "USDC", "Mine"],
    ["changed case", "uSdC", "Mine"],
    ["a Cyrillic letter", "USDС", "Mine"],
    ["full width", "ＵＳＤＣ", "Mine"],
    ["signs", "$USDC!", "Mine"],
    ["the name", "MINE", "usd coin"],
    ["a coin's symbol", "ЕТН", "Mine"],
  ])("detects an imitation by %s", (_, symbol, name) => {
    const imitation = token(symbol, name, { token: "0xA11CE" });
    expect(assess(imitation)).toMatchObject({ isListed: false, isImitation: true });
  });

  it("treats neither a listed token nor a different one as an imitation", () => {
    expect(assess(token("USDC", "USD Coin"))).toMatchObject({ isListed: true, isImitation: false });
    expect(assess(token("USDCAT", "Cat"))).toMatchObject({ isListed: false, isImitation: false });
    expect(assessing([token("🐕", "🐕")])(token("🐈", "🐈"))).toMatchObject({ isImitation: false });
  });

  it("compares a token with those listed on other chains", () => {
    const twin = token("USDC", "USD Coin", { chain: "bsc" });
    expect(assess(twin)).toMatchObject({ isListed: false, isImitation: true });
  });
});
