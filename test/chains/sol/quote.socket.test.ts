import type { Address } from "@solana/web3.js";
import bs58 from "bs58";
import { ChainRefusal } from "trading-terminal-devnet/chain-refusal";
import * as v from "valibot";
import { beforeAll, describe, expect, it } from "vitest";
import { QuoteSchema } from "../../../lib/api/quote-schema.ts";
import { programs, tokenAccountOf, wsolMint } from "../../../lib/chains/sol/calls/addresses.ts";
import { readMint } from "../../../lib/chains/sol/calls/mint.ts";
import { accountsCall } from "../../../lib/chains/sol/calls/rpc-call.ts";
import { quoteSolTrade } from "../../../lib/chains/sol/quote.ts";
import type { SolTrader } from "../../../lib/chains/sol/rules/check-trade.ts";
import type { SolConfiguration } from "../../../lib/chains/sol/rules/configuration.ts";
import { createAssociatedAccount } from "../../../lib/chains/sol/venues/instructions.ts";
import type { QuoteRequest } from "../../../lib/orders/trade-request.ts";
import { quotedAt } from "../../support/quotes.ts";
import { solDeskForTests, solReaderOf } from "../../support/sol-reader.ts";
import { addMint, addPool, holdTokens } from "../../support/sol-tokens.ts";

const { chain, hosts } = solDeskForTests();
let payer: Address;
beforeAll(async () => {
  payer = (await chain.newWallet(10n ** 12n)).address;
});

const relay = {
  url: "http://127.0.0.1:1",
  tipAccounts: [bs58.encode(Buffer.alloc(32, 5))],
  leastTip: "0.00001",
};

const settings = { slippage: 1, priorityFee: 0.001, mevProtection: true };

type Asked = Partial<QuoteRequest>;

/** Quotes a trade, by default a buy of MOON for one coin. */
async function quote(
  asked: Asked = {},
  changes: Partial<SolConfiguration> = {},
  who: Partial<SolTrader> = {},
) {
  const reader = await solReaderOf(chain, [hosts[0]], { payer, ...changes });
  const trade = { side: "buy", token: chain.deployment.tokens.MOON.mint, ...asked } as const;
  const amount = asked.percent === undefined && { amount: asked.amount ?? "1" };
  const trader = { settings, orders: [], isStopped: false, mayLose: true, ...who };
  return quoteSolTrade(reader, { chain: "sol", ...trade, ...amount }, trader, quotedAt);
}

/** Makes a wallet with these lamports and tokens. */
async function holder(
  lamports: bigint,
  units: bigint,
  token: "MOON" | "FEEZ" | "TRAP" = "MOON",
): Promise<Address> {
  const { address } = await chain.newWallet(lamports);
  await holdTokens(chain, address, chain.deployment.tokens[token], units);
  return address;
}

/** Reserves of a pool with 500 coins and 5 million tokens, and a fee of 0.25 %. */
const paid = (amountIn: bigint, from: bigint, to: bigint) => {
  const traded = amountIn - (amountIn * 2500n + 999_999n) / 1_000_000n;
  return (to * traded) / (from + traded);
};
const [coins, tokens] = [500n * 10n ** 9n, 5n * 10n ** 12n];

describe("quoteSolTrade", () => {
  it("quotes a buy exactly, in the format of the API", async () => {
    const { MOON } = chain.deployment.tokens;
    const { address: wallet } = await chain.newWallet(10n ** 10n);
    const { block, ...shown } = await quote({ wallet });
    expect(shown).toEqual({
      chain: "sol",
      wallet,
      side: "buy",
      token: MOON.mint,
      symbol: "MOON/SOL",
      baseSymbol: "MOON",
      quoteSymbol: "SOL",
      amount: "1",
      amountToken: "native",
      amountOut: "9955.139496",
      minAmountOut: "9855.588101",
      slippage: 1,
      price: "0.000100450626573520392",
      priceImpact: 0.1991,
      marketImpact: 0.1792,
      referencePrice: "0.000100270626610939113",
      route: [{ venue: "raydium-cpmm", pool: MOON.pool, feeBps: 25, tokenIn: "native", tokenOut: MOON.mint }],
      buyTax: 0,
      sellTax: 0,
      sellable: true,
      flags: [],
      approval: false,
      networkFee: { expected: "0.000165", max: "0.001035", priority: "0.00016", tip: "0" },
      rent: "0.00214376",
      exitReserve: "0.00169032",
      balances: [{ token: "native", symbol: "SOL", needed: "1.0046672", available: "10", enough: true }],
      submission: "public",
      warnings: ["MEV_UNPROTECTED"],
      asOf: "2026-11-21T20:00:00.000Z",
      validUntil: "2026-11-21T20:00:30.000Z",
    });
    expect(9_955_139_496n).toBe(paid(10n ** 9n, coins, tokens));
    expect(block).toBeGreaterThan(0);
    expect(v.parse(QuoteSchema, { ...shown, block })).toEqual({ ...shown, block });
  });

  it("quotes a sale of an amount or a percentage", async () => {
    const wallet = await holder(10n ** 10n, 20_000_000_001n);
    const out = paid(10n ** 10n, tokens, coins);
    const sale = await quote({ side: "sell", wallet, amount: "10000" });
    expect(sale).toMatchObject({ amountOut: `0.${out}`, amountToken: chain.deployment.tokens.MOON.mint });
    expect(sale.balances).toEqual([
      { token: "native", symbol: "SOL", needed: "0.00317876", available: "10", enough: true },
      {
        token: chain.deployment.tokens.MOON.mint,
        symbol: "MOON",
        needed: "10000",
        available: "20000.000001",
        enough: true,
      },
    ]);
    expect(sale.rent).toBe("0.00065532");
    expect(sale).not.toHaveProperty("exitReserve");
    expect(sale.route).toMatchObject([{ tokenIn: chain.deployment.tokens.MOON.mint, tokenOut: "native" }]);
    const half = await quote({ side: "sell", wallet, percent: 50 });
    expect(half).toMatchObject({ percent: 50, amount: "10000", amountOut: sale.amountOut });
    expect((await quote({ side: "sell", wallet, percent: 100 })).amount).toBe("20000.000001");
  });

  it("includes a token's fee in both directions, and the size of its account", async () => {
    const { FEEZ, TRAP } = chain.deployment.tokens;
    const { address: wallet } = await chain.newWallet(10n ** 10n);
    const bought = await quote({ token: FEEZ.mint, wallet });
    const gross = paid(10n ** 9n, coins, tokens);
    const text = String(gross - (gross + 99n) / 100n);
    expect(bought).toMatchObject({
      amountOut: `${text.slice(0, -6)}.${text.slice(-6)}`,
      buyTax: 1,
      priceImpact: 0.1991,
    });
    // Rents of a 182-byte account (fixed owner and withheld fee) and of a 170-byte account (fixed owner only).
    expect(bought.rent).toBe("0.00223012");
    expect((await quote({ token: TRAP.mint, wallet })).rent).toBe("0.00216916");
    const seller = await holder(10n ** 10n, 10n ** 10n, "FEEZ");
    const sold = await quote({ token: FEEZ.mint, side: "sell", wallet: seller, amount: "10000" });
    const net = paid(99n * 10n ** 8n, tokens, coins);
    expect(sold).toMatchObject({ amountOut: `0.${net}`, priceImpact: 0.1971 });
  });

  it("computes for token accounts the same sizes as the chain", async () => {
    const wallet = await chain.newWallet();
    for (const { mint, program } of Object.values(chain.deployment.tokens)) {
      const account = await tokenAccountOf(wallet.address, mint, program);
      await chain.transact(wallet, [createAssociatedAccount(wallet.address, account, mint, program)]);
      const { method, params, read } = accountsCall([mint, account], {
        commitment: "processed" as "finalized",
      });
      const [made, own] = read(await chain.request(method, params)).accounts;
      expect(own?.data.length).toBe(made && readMint(made)?.accountBytes);
    }
  });

  it("needs no rent for an existing account", async () => {
    const wallet = await holder(10n ** 10n, 0n);
    const { rent, balances } = await quote({ wallet });
    expect([rent, balances?.[0]?.needed]).toEqual(["0.00065532", "1.00317876"]);
  });

  it("shows that an order for an unsafe token would be refused, unless the request allows it", async () => {
    const { mint: token } = chain.deployment.tokens.TRAP;
    expect((await quote({ token })).wouldBeRefused).toMatchObject({
      code: "TOKEN_UNSAFE",
      details: { flags: ["NOT_LISTED", "CANNOT_SELL", "FREEZABLE", "FROZEN_BY_DEFAULT"] },
    });
    expect(await quote({ token, allowUnsafe: true })).not.toHaveProperty("wouldBeRefused");
    expect(await quote({ token, side: "sell", amount: "1" })).not.toHaveProperty("wouldBeRefused");
  });

  it.each([
    [0n, false, "0.00217876"],
    [895_882n, false, "0.00217876"],
    [2_039_280n, false, "0.00217876"],
    [2_044_282n, false, "0.00217876"],
    [2_178_759n, false, "0.00217876"],
    [2_178_760n, true, "0.00217876"],
    [3_000_000n, true, "0.003"],
    [3_957_120n, true, "0.00317876"],
    [3_957_121n, true, "0.00317876"],
  ])(
    "decides whether a wallet with %d lamports can pay for a sale: %s",
    async (lamports, isEnough, needed) => {
      const wallet = await holder(lamports, 10n ** 10n);
      const { balances, wouldBeRefused } = await quote({ side: "sell", wallet, amount: "10000" });
      expect(balances?.[0]).toMatchObject({ needed, enough: isEnough });
      expect(wouldBeRefused?.code).toBe(isEnough ? undefined : "INSUFFICIENT_BALANCE");
    },
  );

  it("compares the pools of all configurations, and names at most three pools", async () => {
    const mint = await addMint(chain, 0);
    const fees = Array.from({ length: 16 }, (_, index) => (index === 15 ? 2_500n : 40_000n));
    const pools = [];
    for (const [index, fee] of fees.entries())
      pools.push(await addPool(chain, { mint, index, fee, coins, tokens: 5n * 10n ** 6n }));
    const bought = await quote({ token: mint, amount: "0.5" });
    expect(bought.route).toMatchObject([{ pool: pools[15], feeBps: 25 }]);
    expect(bought.amountOut).toBe(String(paid(5n * 10n ** 8n, coins, 5n * 10n ** 6n)));
    // Restores the first configuration's own fee.
    await addPool(chain, { mint, index: 0, fee: 2_500n, coins: 1n, tokens: 1n });
  });

  it("finds the compute units by a simulation that the wallet or the configured payer could pay", async () => {
    const prices = [{ slot: 1, prioritizationFee: 2_000_000 }];
    hosts[0].lie = (method, result) => (method === "getRecentPrioritizationFees" ? prices : result);
    const { address: wallet } = await chain.newWallet(10n ** 10n);
    const units = async (asked: Asked, changes = {}) => {
      // A price of 2 lamports per unit exceeds the budget for 200,000 units, but not for the few simulated ones.
      const { warnings } = await quote({ ...asked, priorityFee: 0.001 }, changes);
      return warnings.includes("PRIORITY_FEE_BELOW_MARKET") ? "usual" : "simulated";
    };
    expect(await units({ wallet })).toBe("simulated");
    expect(await units({})).toBe("simulated");
    expect(await units({}, { payer: bs58.encode(Buffer.alloc(32, 3)) })).toBe("usual");
    const { address: poor } = await chain.newWallet(10n);
    expect(await units({ wallet: poor })).toBe("simulated");
    expect(await units({ side: "sell", amount: "1" })).toBe("usual");
    const seller = await holder(10n ** 10n, 10n ** 6n);
    expect(await units({ side: "sell", amount: "1", wallet: seller })).toBe("simulated");
  });

  it("compares the price with a floor if the host refuses percentiles", async () => {
    hosts[0].lie = (method, result) => {
      if (method !== "getRecentPrioritizationFees") return result;
      throw new ChainRefusal(method, { code: -32602, message: "Invalid params: expected one" });
    };
    // The first attempt gets 16 % of the fee, for 200,000 units at most.
    const warns = async (priorityFee: number) =>
      (await quote({ priorityFee })).warnings.includes("PRIORITY_FEE_BELOW_MARKET");
    expect([await warns(0.0000001), await warns(0.001)]).toEqual([true, false]);
  });

  it("pays a relay if one is configured and protection is on", async () => {
    expect(await quote({}, { relay })).toMatchObject({
      networkFee: { expected: "0.000165", max: "0.001035", priority: "0.000112", tip: "0.000048" },
      submission: "private",
      warnings: [],
    });
    expect(await quote({ mevProtection: false }, { relay })).toMatchObject({
      submission: "public",
      networkFee: { tip: "0" },
      warnings: ["MEV_UNPROTECTED"],
    });
    expect((await quote({ priorityFee: 0.00003 }, { relay })).wouldBeRefused).toMatchObject({
      code: "PRIORITY_FEE_TOO_LOW",
      details: { priorityFee: "0.00003", least: "0.0000625" },
    });
  });

  it("warns about fees, slippage and a wallet that cannot sell later", async () => {
    const { address: wallet } = await chain.newWallet(1_009_000_000n);
    const { warnings } = await quote({ wallet, slippage: 11 });
    expect(warnings).toEqual(["MEV_UNPROTECTED", "SLIPPAGE_HIGH"]);
    // Sum of the amounts that are needed and reserved.
    const enough = 1_004_667_200n + 1_690_320n;
    const warningsWith = async (lamports: bigint) =>
      (await quote({ wallet: (await chain.newWallet(lamports)).address })).warnings;
    expect(await warningsWith(enough)).toEqual(["MEV_UNPROTECTED"]);
    expect(await warningsWith(enough - 1n)).toEqual(["MEV_UNPROTECTED", "NO_GAS_TO_SELL"]);
    expect((await quote({ amount: "0.0005" })).warnings).toContain("FEE_ABOVE_VALUE");
  });

  it("rejects trades without a quote", async () => {
    const { mint: moon } = chain.deployment.tokens.MOON;
    const alone = await addMint(chain, 9);
    const { address } = await chain.newWallet();
    const codeOf = (asked: Asked) =>
      quote(asked).then(
        () => "",
        ({ code }) => code,
      );
    expect(await codeOf({ token: wsolMint })).toBe("NO_ROUTE");
    expect(await codeOf({ token: alone })).toBe("NO_ROUTE");
    expect(await codeOf({ token: alone, side: "sell", percent: 50, wallet: address })).toBe("NO_ROUTE");
    for (const token of [programs.token, address, await addMint(chain, 255)])
      expect(await codeOf({ token })).toBe("TOKEN_NOT_FOUND");
    expect(await codeOf({ side: "sell", percent: 50, wallet: address })).toBe("INSUFFICIENT_BALANCE");
    expect(await codeOf({ side: "sell", amount: "0.000001" })).not.toBe("NO_ROUTE");
    expect(await codeOf({ amount: "0.0000000001" })).toBe("INVALID_REQUEST");
    expect(await codeOf({ side: "sell", amount: "0.0000001" })).toBe("INVALID_REQUEST");
    const dust = await addMint(chain, 0);
    await addPool(chain, { mint: dust, coins, tokens: 10n });
    expect(await codeOf({ token: dust, amount: "1" })).toBe("AMOUNT_TOO_SMALL");
    expect(await codeOf({ token: moon, amount: "9".repeat(20) })).toBe("");
  });

  it("uses the configured base fee if the host knows none, and never a higher one", async () => {
    const baseFees = async (value: number | null) => {
      hosts[0].lie = (method, result) =>
        method === "getFeeForMessage" ? { context: { slot: 1 }, value } : result;
      return (await quote()).networkFee.max;
    };
    expect(await baseFees(null)).toBe("0.00107");
    expect(await baseFees(2_600)).toBe("0.0010182");
    expect(await baseFees(10_001)).toBe("0.00107");
  });
});
