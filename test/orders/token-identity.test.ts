import { describe, expect, it } from "vitest";
import { type TokenClaims, tokenIdentity } from "../../lib/orders/token-identity.ts";
import { likenessTo } from "../../lib/orders/token-likeness.ts";
import {
  bestSafety,
  flagsOf,
  isUnsafe,
  safetyOf,
  type TokenSafety,
  unknownSafety,
  worseSafety,
} from "../../lib/orders/token-safety.ts";
import { shortAddress, shownName, shownSymbol } from "../../lib/orders/token-text.ts";

const token = "0x5409e03Dda8614EFE68ACFB5d2DaD1A351Cb5094";
const usdc = {
  token: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
  symbol: "USDC",
  name: "USD Coin",
  decimals: 6,
};

const honest: TokenClaims = {
  decimals: 18n,
  balance: 0n,
  totalSupply: 10n ** 27n,
  symbol: "MOON",
  name: "Moon Coin",
};

const isTaken = likenessTo([usdc, { symbol: "ETH", name: "Ether" }]);

const identify = (claims: Partial<TokenClaims>, address = token) =>
  tokenIdentity(address, { ...honest, ...claims }, [usdc], isTaken);

describe("shownSymbol", () => {
  it.each(["MOON", "$WIF", "币安人生", "🚀", "a", "M".repeat(32), "€"])(
    "shows the symbol %s unchanged",
    (text) => {
      expect(shownSymbol(text)).toBe(text);
    },
  );

  it.each([
    ["nothing", ""],
    ["33 characters", "M".repeat(33)],
    ["a space", "US DC"],
    ["a line break", "USDC\n"],
    ["a mark that turns the text around", "\u202eCDSU"],
    ["a space of no width", "USDC\u200b"],
    ["an invisible letter", "USDC\u3164"],
    ["an empty pattern of Braille", "\u2800"],
    ["marks that pile up", "U\u0301\u0301\u0301\u0301"],
    ["a character of private use", "\ue000"],
    ["half a character", "\ud83d"],
  ])("rejects %s in a symbol", (_, text) => {
    expect(shownSymbol(text)).toBeUndefined();
  });
});

describe("shownName", () => {
  it("allows a name of several words", () => {
    expect(shownName("Binance Pegged USD Coin")).toBe("Binance Pegged USD Coin");
    for (const text of ["", " Moon", "Moon ", "Mo  on", "Moon\tCoin", "M".repeat(65), undefined])
      expect(shownName(text)).toBeUndefined();
  });
});

describe("tokenIdentity", () => {
  it("returns a token's own description", () => {
    expect(identify({})).toEqual({
      token,
      symbol: "MOON",
      name: "Moon Coin",
      decimals: 18,
      isListed: false,
      isImpersonator: false,
      isOdd: false,
    });
  });

  it("returns the configured description of a listed token", () => {
    const claims = { decimals: undefined, symbol: "HACKED", totalSupply: 10n ** 70n };
    expect(identify(claims, usdc.token)).toMatchObject({ ...usdc, isListed: true, isImpersonator: false });
  });

  it.each<[string, Partial<TokenClaims>]>([
    ["does not answer decimals", { decimals: undefined }],
    ["does not answer balanceOf", { balance: undefined }],
    ["has 37 decimals", { decimals: 37n }],
    ["has 2^255 decimals", { decimals: 1n << 255n }],
    ["has amounts beyond 40 digits", { decimals: 0n, totalSupply: 10n ** 40n }],
  ])("returns undefined for an address that %s", (_, claims) => {
    expect(identify(claims)).toBeUndefined();
  });

  it.each<[Partial<TokenClaims>, number]>([
    [{ decimals: 0n, totalSupply: 10n ** 40n - 1n }, 0],
    [{ decimals: 36n, totalSupply: 10n ** 76n - 1n }, 36],
    [{ totalSupply: undefined }, 18],
  ])("accepts decimals within the limits: %o", (claims, decimals) => {
    expect(identify(claims)?.decimals).toBe(decimals);
  });

  it("shows a shortened address if the symbol cannot be shown", () => {
    const short = shortAddress(token);
    expect(short).toBe("0x5409…5094");
    expect(identify({ symbol: "\u202eX" })).toMatchObject({ symbol: short, name: "Moon Coin", isOdd: true });
    expect(identify({ name: "" })).toMatchObject({ symbol: "MOON", name: "MOON", isOdd: true });
    expect(identify({ symbol: undefined, name: undefined })).toMatchObject({ symbol: short, name: short });
  });

  it("detects imitations of the coin and of listed tokens, even with hidden characters", () => {
    for (const claims of [
      { symbol: "usdc" },
      { symbol: "ETH" },
      { symbol: "USDC\u200b" },
      { name: "USD-Coin" },
    ])
      expect(identify(claims)).toMatchObject({ isImpersonator: true });
    expect(identify({ symbol: "USDCC" })).toMatchObject({ isImpersonator: false });
    expect(identify({ symbol: undefined, name: undefined })).toMatchObject({ isImpersonator: false });
  });
});

describe("safetyOf", () => {
  const whole = { sent: 10_000_000n, arrived: 10_000_000n };

  it("computes taxes from the amounts that arrive", () => {
    const sold = { sent: 9_500_000n, arrived: 8_550_000n };
    const taxed = { sellable: true, buyTax: 5, sellTax: 10, hasLoss: false };
    expect(safetyOf({ bought: { ...whole, arrived: 9_500_000n }, sold })).toEqual(taxed);
  });

  it("detects a transfer loss that is too small for a tax", () => {
    const loss = { ...whole, arrived: 9_999_999n };
    expect(safetyOf({ bought: loss, sold: whole })).toMatchObject({ buyTax: 0, hasLoss: true });
    expect(safetyOf({ bought: whole, sold: loss })).toMatchObject({ sellTax: 0, hasLoss: true });
    expect(safetyOf({ bought: whole, sold: whole })).toMatchObject({ hasLoss: false });
  });

  it("reports a token whose sales all fail", () => {
    expect(safetyOf({ bought: whole })).toEqual({
      sellable: false,
      buyTax: 0,
      sellTax: null,
      hasLoss: false,
    });
  });
});

describe("bestSafety", () => {
  it("prefers pools where the token can be sold, then pools with the lowest taxes", () => {
    const sellable = (buyTax: number): TokenSafety => ({
      sellable: true,
      buyTax,
      sellTax: 0,
      hasLoss: false,
    });
    const trap = safetyOf({ bought: { sent: 1n, arrived: 1n } });
    expect(bestSafety([unknownSafety, trap, sellable(5), sellable(1)])).toEqual(sellable(1));
    expect(bestSafety([unknownSafety, trap])).toEqual(trap);
    expect(bestSafety([])).toEqual(unknownSafety);
  });
});

describe("worseSafety", () => {
  const good: TokenSafety = { sellable: true, buyTax: 1, sellTax: 2, hasLoss: false };

  it("returns the worse of two findings", () => {
    const trap: TokenSafety = { sellable: false, buyTax: 0, sellTax: null, hasLoss: true };
    const worse = { sellable: false, buyTax: 1, sellTax: 2, hasLoss: true };
    expect(worseSafety(good, trap)).toEqual(worse);
    expect(worseSafety(trap, good)).toEqual(worse);
    expect(worseSafety(good, { ...good, sellTax: 30 })).toEqual({ ...good, sellTax: 30 });
  });

  it("returns the finding for the larger amount if the probe shows nothing", () => {
    expect(worseSafety(unknownSafety, good)).toEqual(good);
  });
});

describe("flagsOf", () => {
  const identity = { ...usdc, isListed: true, isImpersonator: false, isOdd: false };
  const good: TokenSafety = { sellable: true, buyTax: 0, sellTax: 0, hasLoss: false };
  const pool = { liquidity: 10n ** 18n, coin: 10n ** 18n };

  it("returns no warnings for a good listed token", () => {
    expect(flagsOf(identity, good, pool)).toEqual([]);
  });

  it("returns each warning for its own reason", () => {
    const bad = { ...identity, isListed: false, isImpersonator: true, isOdd: true };
    expect(flagsOf(bad, good, pool)).toEqual(["NOT_LISTED", "IMPERSONATES", "ODD_METADATA"]);
    expect(flagsOf(identity, { ...good, buyTax: 0.0001 }, pool)).toEqual(["TAXED"]);
    expect(flagsOf(identity, { ...good, sellTax: 1 }, pool)).toEqual(["TAXED"]);
    expect(flagsOf(identity, { ...good, hasLoss: true }, pool)).toEqual(["TRANSFER_LOSS"]);
    expect(flagsOf(identity, { ...good, sellable: false }, pool)).toEqual(["CANNOT_SELL"]);
    expect(flagsOf(identity, unknownSafety, pool)).toEqual(["SELLABILITY_UNKNOWN"]);
    expect(flagsOf(identity, good, { ...pool, liquidity: pool.liquidity - 1n })).toEqual(["LOW_LIQUIDITY"]);
  });

  it("adds warnings for the rights that a mint on sol grants", () => {
    const [stranger, coin] = [{ ...identity, isListed: false }, 10n ** 9n];
    const ofMint = ["NON_TRANSFERABLE", "SEIZABLE", "FREEZABLE"] as const;
    const flags = ["NOT_LISTED", "FREEZABLE", "SEIZABLE", "NON_TRANSFERABLE"];
    expect(flagsOf(stranger, good, { liquidity: coin, coin }, ofMint)).toEqual(flags);
    expect(flagsOf(identity, good, { liquidity: coin - 1n, coin })).toEqual(["LOW_LIQUIDITY"]);
  });
});

describe("isUnsafe", () => {
  const good: TokenSafety = { sellable: true, buyTax: 25, sellTax: 25, hasLoss: false };

  it("returns true for a token that cannot be sold or has a tax above 25 %", () => {
    expect(isUnsafe(good)).toBe(false);
    expect(isUnsafe(unknownSafety)).toBe(false);
    for (const change of [{ sellable: false }, { buyTax: 25.0001 }, { sellTax: 25.0001 }])
      expect(isUnsafe({ ...good, ...change })).toBe(true);
  });
});
