import type { SolQuotedRoute, SolTradeFacts } from "../../lib/chains/sol/rules/trade-facts.ts";

export const solMint = "9Qr8UnrGQ1iF13KXFjiYfGaqRTnEjJgnsrduu7xP49o7";

export const solRoute = (pool: string, amountOut: bigint): SolQuotedRoute => ({
  venue: "raydium-cpmm",
  pool,
  config: "config",
  feeBps: 25,
  amountOut,
});

/** Facts about a buy for one coin by a wallet that holds ten coins. */
export const solFacts: SolTradeFacts = {
  slot: 100,
  identity: {
    token: solMint,
    symbol: "MOON",
    name: "Moon",
    decimals: 6,
    isListed: true,
    isImpersonator: false,
    isOdd: false,
  },
  mint: { program: "token", decimals: 6, transferFeeBps: 0, flags: [] },
  amount: 1_000_000_000n,
  amountOut: 1_000_000n,
  priceImpact: 0.2,
  lacksReference: false,
  market: { impact: 0.1, reference: { in: 100_000_000n, out: 100_100n } },
  routes: [solRoute("a", 1_000_000n)],
  costs: {
    computeUnitLimit: 150_000,
    baseFee: 5_000n,
    marketPrice: 0n,
    rents: { marker: 897_840n, wsol: 2_039_280n, tokenAccount: 2_039_280n, market: 0n },
  },
  safety: { sellable: true, buyTax: 0, sellTax: 0, hasLoss: false },
  flags: [],
  liquidity: 20_000_000_000n,
  held: { coins: 10_000_000_000n, tokens: 0n },
};
