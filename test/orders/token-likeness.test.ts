import { describe, expect, it } from "vitest";
import { likenessTo } from "../../lib/orders/token-likeness.ts";

const isLike = likenessTo([
  { symbol: "USDC", name: "USD Coin" },
  { symbol: "USDT", name: "Tether" },
  { symbol: "MOON", name: "Moon" },
]);

describe("likenessTo", () => {
  it.each([
    ["no change", "USDC"],
    ["another case", "usDc"],
    ["Cyrillic letters", "UЅDС"],
    ["small Cyrillic letters", "мооn"],
    ["a Greek letter", "USDϹ"],
    ["an Armenian letter", "ՍSDC"],
    ["a Cherokee letter", "ᎷOON"],
    ["a letter of Lisu", "ꓟOON"],
    ["full width", "ＵＳＤＣ"],
    ["letters in squares", "🅄🅂🄳🄲"],
    ["marks", "ÚSḌC"],
    ["a space of no width", "USD\u200bC"],
    ["a dot", "USDC."],
    ["a dollar sign before it", "$MOON"],
    ["a dollar sign in it", "U$DC"],
    ["the sign of tugriks", "USD₮"],
    ["a hyphen", "MOON-"],
    ["a slash", "MOON/"],
    ["signs in between", "U_S|D·C"],
    ["digits for letters", "M00N"],
    ["a small L for a capital I", "USD Coln"],
    ["an emoji", "MOON🌙"],
  ])("recognizes an imitation with %s", (_, text) => {
    expect(isLike({ symbol: text, name: "Mine" })).toBe(true);
    expect(isLike({ symbol: "MINE", name: text })).toBe(true);
  });

  it.each(["USDCC", "USDC.e", "USD", "MOON2", "NOOM", "", "$", "🌙"])(
    "accepts %j as a different name",
    (text) => {
      expect(isLike({ symbol: text, name: "Mine" })).toBe(false);
    },
  );

  it("tells different emoji apart, and finds no likeness of tokens without a name", () => {
    expect(likenessTo([{ symbol: "🐕" }])({ symbol: "🐈" })).toBe(false);
    expect(likenessTo([{ symbol: "🐕" }])({ symbol: "🐕" })).toBe(true);
    expect(isLike({ symbol: undefined, name: undefined })).toBe(false);
  });
});
