import { describe, expect, it } from "vitest";
import { isWalletName, tidyWalletName } from "../../lib/wallets/wallet-name.ts";

const family = "👨‍👩‍👧‍👦";

describe("isWalletName", () => {
  it.each([
    ["plain text", "Sniper 2"],
    ["one character", "x"],
    ["other scripts", "钱包 кошелёк محفظة"],
    ["40 characters", "a".repeat(40)],
    ["40 characters beyond the basic plane", "𝒜".repeat(40)],
    ["emoji", "🚀❤️"],
    ["an emoji with joiners", family],
    ["a flag of tag characters", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"],
    ["a skin tone", "👍🏽"],
    ["markup, which is text", "<b>&amp;"],
  ])("allows %s", (_, name) => {
    expect(isWalletName(tidyWalletName(name))).toBe(true);
  });

  it.each([
    ["nothing", ""],
    ["white space", " \t\u00a0\u3000"],
    ["41 characters", "a".repeat(41)],
    ["six families, of 7 code points each", family.repeat(6)],
    ["a line break", "a\nb"],
    ["a line separator", "a\u2028b"],
    ["a control character", "a\u0007"],
    ["NUL", "a\u0000"],
    ["a bidi override", "abc\u202edef"],
    ["a bidi isolate", "\u2066abc\u2069"],
    ["an Arabic letter mark", "a\u061cb"],
    ["a zero-width space", "a\u200bb"],
    ["a joiner outside of emoji", "a\u200db"],
    ["only a variation selector", "a\ufe0f"],
    ["40 emoji before a control character", `${"👍".repeat(39)}\u0000`],
    ["half of a surrogate pair", "a\ud83d"],
    ["a Hangul filler", "\u3164"],
    ["a blank of Braille", "\u2800"],
    ["a private character", "\ue000"],
  ])("rejects %s", (_, name) => {
    expect(isWalletName(tidyWalletName(name))).toBe(false);
  });
});

describe("tidyWalletName", () => {
  it("composes and trims names", () => {
    expect(tidyWalletName("  e\u0301 ")).toBe("\u00e9");
  });
});
