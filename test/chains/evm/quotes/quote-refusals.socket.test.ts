import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { alice, startTestChain, type TestChain } from "trading-terminal-devnet/evm/test-chain";
import { approval } from "trading-terminal-devnet/evm/uniswap";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { quoteEvmTrade } from "../../../../lib/chains/evm/quote.ts";
import type { EvmTrader } from "../../../../lib/chains/evm/rules/check-trade.ts";
import { openPolicy } from "../../../../lib/orders/wallet-policy.ts";
import { inspectToken } from "../../../../lib/trading/inspect-token.ts";
import { chainsOf, readerOf } from "../../../support/chain-reader.ts";
import { deployOddToken, type OddToken } from "../../../support/odd-tokens.ts";
import { type AskedQuote as Asked, buyOn, quotedAt, quoteOn, traderOf } from "../../../support/quotes.ts";
import { freeFees, tradeOrder } from "../../../support/trading.ts";

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.close());
beforeEach(() => chain.restore());

const { moon, usdx, trap, wrapped } = localAddresses;
const wallet = alice.address;
const nobody = "0x7e570000000000000000000000000000deadbeef";

const quote = (asked: Asked, user: Partial<EvmTrader> = {}) => quoteOn(chain, asked, user);

describe("quoteEvmTrade", () => {
  it.each<[string, Asked, Partial<EvmTrader>, object | undefined]>([
    ["TRADING_DISABLED", { amount: "0.5" }, { isStopped: true }, undefined],
    ["WALLET_BUSY", { amount: "0.5", wallet }, { orders: Array(20).fill(tradeOrder()) }, undefined],
    [
      "POLICY_LIMIT",
      { amount: "0.5" },
      { rules: { policy: { ...openPolicy, maxPerOrder: 10n ** 17n }, spent: 0n, fees: freeFees } },
      { rule: "maxPerOrder", limit: "0.1", requested: "0.5" },
    ],
    [
      "POLICY_LIMIT",
      { side: "sell", amount: "5", wallet },
      { rules: { policy: { ...openPolicy, tradingEnabled: false }, spent: 0n, fees: freeFees } },
      { rule: "tradingEnabled" },
    ],
    [
      "POLICY_LIMIT",
      { side: "sell", amount: "5", slippage: 100, wallet },
      { rules: { policy: { ...openPolicy, maxSlippage: 50_000n }, spent: 0n, fees: freeFees } },
      { rule: "maxSlippage", limit: 5, requested: 100 },
    ],
    [
      "GAS_PRICE_TOO_HIGH",
      { amount: "0.5", maxGasPrice: 0.5 },
      {},
      { gasPrice: expect.any(String), limit: "0.5" },
    ],
    [
      "INSUFFICIENT_BALANCE",
      { amount: "100", wallet, maxPriceImpact: 100 },
      {},
      { token: "native", symbol: "ETH", needed: expect.any(String), available: "100" },
    ],
    [
      "INSUFFICIENT_BALANCE",
      { side: "sell", amount: "5", wallet },
      {},
      { token: moon, symbol: "MOON", needed: "5", available: "0" },
    ],
    [
      "INSUFFICIENT_BALANCE",
      { side: "sell", amount: "5", wallet: nobody },
      {},
      { token: moon, symbol: "MOON", needed: "5", available: "0" },
    ],
    [
      "TOKEN_UNSAFE",
      { token: trap, amount: "0.5" },
      {},
      { flags: ["NOT_LISTED", "CANNOT_SELL"], buyTax: 0, sellTax: null },
    ],
    ["PRICE_IMPACT_TOO_HIGH", { amount: "20" }, {}, { priceImpact: 16.625, limit: 15 }],
  ])("returns %s as the reason why an order would be refused", async (code, asked, user, details) => {
    const { wouldBeRefused } = await quote(asked, user);
    expect(wouldBeRefused).toEqual({
      code,
      message: expect.any(String),
      ...(details !== undefined && { details }),
    });
  });

  it("applies the user's own limits", async () => {
    expect(await quote({ token: trap, amount: "0.5", allowUnsafe: true })).not.toHaveProperty(
      "wouldBeRefused",
    );
    expect(await quote({ amount: "20", maxPriceImpact: 17 })).not.toHaveProperty("wouldBeRefused");
  });

  it.each<[string, Asked]>([
    ["NO_ROUTE", { token: wrapped, amount: "1" }],
    ["TOKEN_NOT_FOUND", { token: nobody, amount: "1" }],
    ["AMOUNT_TOO_SMALL", { token: usdx, amount: "0.0000000000000001" }],
    ["AMOUNT_TOO_SMALL", { side: "sell", amount: "0.000000000000000001", wallet: nobody }],
    ["INSUFFICIENT_BALANCE", { side: "sell", percent: 50, wallet }],
  ])("rejects a trade with %s", async (code, asked) => {
    await expect(quote(asked)).rejects.toMatchObject({ code });
  });

  it("rejects the amount rather than the route if the amount exceeds every pool", async () => {
    const wrong = { code: "INVALID_REQUEST", details: { field: "amount" } };
    const closed = await deployOddToken(chain, "refuses transfers");
    for (const amount of ["1".repeat(20), "9".repeat(40)]) {
      await expect(quote({ amount })).rejects.toMatchObject(wrong);
      await expect(quote({ amount, wallet })).rejects.toMatchObject(wrong);
      await expect(quote({ token: usdx, amount })).rejects.toMatchObject(wrong);
      await expect(quote({ token: wrapped, amount })).rejects.toMatchObject({ code: "NO_ROUTE" });
    }
    const sale = { side: "sell", amount: "9".repeat(40) } as const;
    await expect(quote(sale)).rejects.toMatchObject(wrong);
    await expect(quote({ ...sale, wallet })).rejects.toMatchObject({ code: "INSUFFICIENT_BALANCE" });
    await expect(quote({ token: closed, amount: "0.1" })).rejects.toMatchObject({ code: "NO_ROUTE" });
  });

  it.each<[string, Asked]>([
    ["amount", { amount: "0" }],
    ["amount", { amount: "-1" }],
    ["amount", { amount: "1e3" }],
    ["amount", { amount: "0.0000000000000000001" }],
    ["amount", { token: usdx, side: "sell", amount: "0.0000001" }],
    ["minAmountOut", { token: usdx, amount: "1", minAmountOut: "1.0000001" }],
    ["token", { token: moon.toLowerCase().replace(/[a-f]/, (letter) => letter.toUpperCase()), amount: "1" }],
    ["wallet", { wallet: wallet.replace("F", "f"), amount: "1" }],
    ["wallet", { wallet: "0x0000000000000000000000000000000000000000", amount: "1" }],
  ])("names the field %s if it is invalid", async (field, asked) => {
    await expect(quote(asked)).rejects.toMatchObject({ code: "INVALID_REQUEST", details: { field } });
  });

  it.each<[OddToken, object]>([
    ["limits the size of sales", { flags: ["NOT_LISTED", "CANNOT_SELL"], buyTax: 0, sellTax: 0 }],
    ["taxes large sales", { flags: ["NOT_LISTED", "TAXED"], buyTax: 0, sellTax: 30 }],
  ])(
    "warns that a large order would be refused, but not a small one, if a token %s",
    async (name, details) => {
      const token = await deployOddToken(chain, name);
      const wouldBeRefused = { code: "TOKEN_UNSAFE", details };
      expect(await quote({ token, amount: "0.1", wallet })).toMatchObject({ wouldBeRefused });
      expect(await quote({ token, amount: "0.03", wallet })).not.toHaveProperty("wouldBeRefused");
    },
  );

  it("finds no route for tokens that refuse to move or only pretend to move", async () => {
    for (const name of ["refuses transfers", "reports transfers that it does not make"] as const) {
      const token = await deployOddToken(chain, name);
      await expect(quote({ token, amount: "0.1", wallet })).rejects.toMatchObject({ code: "NO_ROUTE" });
    }
    await buyOn(chain, trap);
    await expect(quote({ token: trap, side: "sell", percent: 100, wallet })).rejects.toMatchObject({
      code: "NO_ROUTE",
    });
  });

  it("finds no route on v3 for an unlisted token while the router may spend the wallet's wrapped coin", async () => {
    const reader = readerOf(chain);
    const venues = reader.configuration.venues.filter(({ venue }) => venue === "uniswap-v3");
    const v3Only = { ...reader, configuration: { ...reader.configuration, venues, tokens: [] } };
    const request = { chain: "eth", side: "buy", token: usdx, amount: "0.1", wallet } as const;
    const quoted = () => quoteEvmTrade(v3Only, request, traderOf(), quotedAt);
    expect((await quoted()).route).toMatchObject([{ venue: "uniswap-v3" }]);
    const { v3Router } = localAddresses;
    const { data } = approval(wrapped, v3Router);
    await chain.transact({ from: wallet, to: wrapped, data });
    const message = expect.stringContaining("Revoke that approval first");
    await expect(quoted()).rejects.toMatchObject({ code: "NO_ROUTE", message });
  });

  it("rejects a token that claims to deliver more than the pool pays", async () => {
    const token = await deployOddToken(chain, "lies about balances");
    expect((await quote({ token, amount: "0.1", wallet })).amountOut).toBe("987.15803439706129885");
  });

  /** Contract code that returns, reverts with or logs this many bytes, or never ends. */
  const bombs: Record<string, (size: string) => string> = {
    "answers with much": (size) => `0x62${size}5ff3`,
    "reverts with much": (size) => `0x62${size}5ffd`,
    "logs much": (size) => `0x62${size}5fa060015f5260205ff3`,
    "never ends": () => "0x5b5f56",
  };
  const sizes = [30_000, 400_000];
  it.each(Object.keys(bombs).flatMap((name) => sizes.map((size) => [name, size] as const)))(
    "rejects a token that %s (%i bytes), at a bounded cost",
    async (name, size) => {
      const code = bombs[name]?.(size.toString(16).padStart(6, "0"));
      await chain.request("anvil_setCode", [moon, code]);
      for (const asked of [
        { amount: "0.1", wallet },
        { side: "sell", amount: "0.1", wallet },
      ] as const) {
        const refused = { code: expect.stringMatching(/^(NO_ROUTE|TOKEN_NOT_FOUND)$/) };
        await expect(quote(asked)).rejects.toMatchObject(refused);
      }
      const inspected = inspectToken(chainsOf(chain), { chain: "eth", token: moon, now: quotedAt });
      expect((await inspected).token).toMatchObject({ listed: true, symbol: "MOON" });
    },
  );
});
