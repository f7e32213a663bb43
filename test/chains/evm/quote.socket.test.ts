import { deployer, localAddresses } from "trading-terminal-devnet/evm/deployment";
import { alice, startTestChain, type TestChain } from "trading-terminal-devnet/evm/test-chain";
import { approval, creationOf, v2Liquidity, v3Liquidity } from "trading-terminal-devnet/evm/uniswap";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { quoteEvmTrade } from "../../../lib/chains/evm/quote.ts";
import type { EvmTrader } from "../../../lib/chains/evm/rules/check-trade.ts";
import { readerOf, startPlainHost } from "../../support/chain-reader.ts";
import { addDryPool } from "../../support/odd-tokens.ts";
import { type AskedQuote, buyOn, quotedAt as now, quoteOn, traderOf } from "../../support/quotes.ts";
import { intent, tradeOrder } from "../../support/trading.ts";

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.close());
beforeEach(() => chain.restore());

const { moon, usdx, taxd, v3Positions } = localAddresses;
const wallet = alice.address;

const quote = (asked: AskedQuote, user: Partial<EvmTrader> = {}, hosts?: readonly string[]) =>
  quoteOn(chain, asked, user, hosts);

describe("quoteEvmTrade", () => {
  it("returns the figures of the example in the API contract", async () => {
    await chain.request("anvil_setNextBlockBaseFeePerGas", ["0x1dcd6500"]);
    const { route, networkFee, balances, block, ...shown } = await quote({ wallet, amount: "0.50" });
    expect(shown).toEqual({
      chain: "eth",
      wallet,
      side: "buy",
      token: moon,
      symbol: "MOON/ETH",
      baseSymbol: "MOON",
      quoteSymbol: "ETH",
      amount: "0.5",
      amountToken: "native",
      amountOut: "4960.273038901078125544",
      minAmountOut: "4910.670308512067344288",
      slippage: 1,
      price: "0.000100800902708124373",
      priceImpact: 0.496,
      marketImpact: 0.4464,
      referencePrice: "0.000100350902708124373",
      buyTax: 0,
      sellTax: 0,
      sellable: true,
      flags: [],
      approval: false,
      submission: "private",
      warnings: [],
      asOf: "2026-11-21T20:00:00.000Z",
      validUntil: "2026-11-21T20:00:30.000Z",
    });
    expect(block).toBe(Number(await chain.request("eth_blockNumber")));
    const pool = { venue: "uniswap-v2", pool: expect.any(String), feeBps: 30 };
    expect(route).toEqual([{ ...pool, tokenIn: "native", tokenOut: moon }]);
    // At present, the cost is 1.5 gwei per unit of gas. The maximum allows half as much gas again, at 1.75 gwei.
    const [expected, max] = [Number(networkFee.expected), Number(networkFee.max)];
    expect(max / expected).toBeCloseTo(1.75, 4);
    expect(networkFee.l1).toBe("0");
    const needed = `0.500${networkFee.max.slice(5)}`;
    expect(balances).toEqual([{ token: "native", symbol: "ETH", needed, available: "100", enough: true }]);
  });

  it("needs two requests per host for buys, sales and percentages", async () => {
    await buyOn(chain, moon);
    const { client, ...reader } = readerOf(chain);
    for (const asked of [
      { amount: "1" },
      { side: "sell", amount: "1" },
      { side: "sell", percent: 50 },
    ] as const) {
      let requests = 0;
      const counting = {
        ...client,
        read: ((calls) => {
          requests += 1;
          return client.read(calls);
        }) as typeof client.read,
      };
      const request = { chain: "eth", side: "buy", token: moon, wallet, ...asked } as const;
      await quoteEvmTrade({ ...reader, client: counting }, request, traderOf(), now);
      expect(requests).toBe(2);
    }
  });

  it("quotes a trade if the request names no wallet, but leaves out balances", async () => {
    const shown = await quote({ amount: "0.5" });
    expect(shown.amountOut).toBe("4960.273038901078125544");
    expect(shown).not.toHaveProperty("wallet");
    expect(shown).not.toHaveProperty("balances");
    const sale = await quote({ side: "sell", amount: "1000" });
    expect(sale).toMatchObject({ amountOut: "0.099600698103990321", amountToken: moon, approval: true });
    expect(sale.wouldBeRefused).toBeUndefined();
  });

  it("prefers v3 if it pays more, and for an unlisted token only if it pays at least 1 % more", async () => {
    expect((await quote({ token: usdx, amount: "0.5" })).route).toMatchObject([
      { venue: "uniswap-v3", feeBps: 5 },
    ]);
    expect((await quote({ amount: "0.5" })).route).toMatchObject([{ venue: "uniswap-v2" }]);
    const reader = readerOf(chain);
    const unlisted = { ...reader, configuration: { ...reader.configuration, tokens: [] } };
    const request = { chain: "eth", side: "buy", token: usdx, amount: "0.5" } as const;
    expect((await quoteEvmTrade(unlisted, request, traderOf(), now)).route).toMatchObject([
      { venue: "uniswap-v2" },
    ]);
    const large = await quoteEvmTrade(unlisted, { ...request, amount: "10" }, traderOf(), now);
    expect(large.route).toMatchObject([{ venue: "uniswap-v3" }]);
  });

  it("skips a pool that would run dry", async () => {
    await addDryPool(chain);
    expect((await quote({ amount: "0.01" })).route).toMatchObject([{ feeBps: 100 }]);
    expect((await quote({ amount: "1" })).route).toMatchObject([{ venue: "uniswap-v2" }]);
    const reader = readerOf(chain);
    const venues = reader.configuration.venues.filter(({ venue }) => venue === "uniswap-v3");
    const v3Only = { ...reader, configuration: { ...reader.configuration, venues } };
    // Each of the two pools would accept only part of the amount.
    for (const [side, amount] of [
      ["buy", "100"],
      ["sell", "10000000"],
    ] as const) {
      const request = { chain: "eth", side, token: moon, amount } as const;
      await expect(quoteEvmTrade(v3Only, request, traderOf(), now)).rejects.toMatchObject({
        code: "INVALID_REQUEST",
        details: { field: "amount" },
      });
    }
  });

  it("avoids v3 pools for a taxed token, even at a better price", async () => {
    const [coins, tokens] = [50n * 10n ** 18n, 10n ** 24n];
    await chain.deploy(
      approval(taxd, v3Positions),
      v3Liquidity(localAddresses, deployer, { token: taxd, coins, tokens, fee: 500, reach: 2 }),
    );
    const bought = await quote({ token: taxd, amount: "0.1", wallet });
    expect(bought).toMatchObject({ route: [{ venue: "uniswap-v2" }], buyTax: 5, sellTax: 5, sellable: true });
    await buyOn(chain, taxd);
    const sale = { side: "sell", percent: 100, token: taxd, wallet } as const;
    expect((await quote(sale)).route).toMatchObject([{ venue: "uniswap-v2" }]);
    const reader = readerOf(chain);
    const venues = reader.configuration.venues.filter(({ venue }) => venue === "uniswap-v3");
    const v3Only = { ...reader, configuration: { ...reader.configuration, venues } };
    for (const asked of [{ side: "buy", token: taxd, amount: "0.1" } as const, sale]) {
      const refused = expect(quoteEvmTrade(v3Only, { chain: "eth", ...asked }, traderOf(), now)).rejects;
      await refused.toMatchObject({ code: "NO_ROUTE" });
    }
  });

  it("uses the better of two similar venues, and applies that venue's fee", async () => {
    const [factory] = (await chain.deploy(creationOf("v2Factory", deployer))) as [string];
    const [router] = (await chain.deploy(creationOf("v2Router", factory, localAddresses.wrapped))) as [
      string,
    ];
    const [coins, tokens] = [100n * 10n ** 18n, 1_100_000n * 10n ** 18n];
    await chain.deploy(
      approval(moon, router),
      v2Liquidity({ v2Router: router }, deployer, { token: moon, coins, tokens }),
    );
    const reader = readerOf(chain);
    const other = { venue: "pancakeswap-v2", factory, router, feeBps: 25 } as const;
    const venues = [...reader.configuration.venues, other];
    const two = { ...reader, configuration: { ...reader.configuration, venues } };
    const request = { chain: "eth", side: "buy", token: moon, amount: "0.5" } as const;
    const bought = await quoteEvmTrade(two, request, traderOf(), now);
    expect(bought.route).toMatchObject([{ venue: "pancakeswap-v2", feeBps: 25 }]);
    expect(Number(bought.amountOut)).toBeCloseTo(4960.273038901078 * 1.1, 6);
    const sale = await quoteEvmTrade(two, { ...request, side: "sell", amount: "100" }, traderOf(), now);
    expect(sale.route).toMatchObject([{ venue: "uniswap-v2", feeBps: 30 }]);
  });

  it("subtracts taxes from the amount that arrives", async () => {
    const shown = { buyTax: 5, sellTax: 5, sellable: true, flags: ["NOT_LISTED", "TAXED"] };
    expect(await quote({ token: taxd, amount: "0.5", wallet })).toMatchObject({
      ...shown,
      amountOut: "4689.00066338604116954",
    });
    const whole = 1000 * 0.997 * 50;
    const sale = await quote({ token: taxd, side: "sell", amount: "1000" });
    expect(sale).toMatchObject(shown);
    expect(Number(sale.amountOut)).toBeCloseTo((whole * 0.95) / (500_000 + 1000 * 0.95), 3);
  });

  it("sells a percentage of the balance that remains after other orders", async () => {
    await buyOn(chain, moon);
    const all = await quote({ side: "sell", percent: 100, wallet });
    const [coin, token] = all.balances ?? [];
    expect(all).toMatchObject({ percent: 100, approval: true, amount: token?.available });
    expect(coin?.needed).toBe(all.networkFee.max);
    const units = BigInt(all.amount.replace(".", ""));
    const other = tradeOrder({
      intent: intent({ wallet, token: moon, side: "sell" }),
      amount: units / 2n,
    });
    const half = await quote({ side: "sell", percent: 50, wallet }, { orders: [other] });
    expect(BigInt(half.amount.replace(".", ""))).toBe((units - units / 2n) / 2n);
    const ended = { ...other, life: { ...other.life, status: "cancelled" } as const };
    expect((await quote({ side: "sell", percent: 100, wallet }, { orders: [ended] })).amount).toBe(
      all.amount,
    );
  });

  it("uses the user's own minimum instead of a slippage", async () => {
    const shown = await quote({ amount: "0.5", minAmountOut: "3000.5" });
    expect(shown).toMatchObject({ minAmountOut: "3000.5", warnings: ["SLIPPAGE_HIGH"] });
    expect(shown).not.toHaveProperty("slippage");
    const { amountOut } = shown;
    expect((await quote({ amount: "0.5", minAmountOut: amountOut })).warnings).toEqual([]);
    const above = `${amountOut.slice(0, -1)}${Number(amountOut.at(-1)) + 1}`;
    const greedy = await quote({ amount: "0.5", minAmountOut: above });
    expect(greedy).toMatchObject({ minAmountOut: above, warnings: ["MINIMUM_ABOVE_QUOTE"] });
  });

  it("never sets a minimum below one unit", async () => {
    const shown = await quote({ token: usdx, amount: "0.000000001", slippage: 99 });
    expect(shown).toMatchObject({ amountOut: "0.000002", minAmountOut: "0.000001" });
  });

  it("shows how a transaction reaches the chain", async () => {
    expect(await quote({ amount: "0.5", mevProtection: false })).toMatchObject({
      submission: "public",
      warnings: ["MEV_UNPROTECTED"],
    });
    const request = { chain: "eth", side: "buy", token: moon, amount: "0.5" } as const;
    const withoutRelay = await quoteEvmTrade(readerOf(chain), request, traderOf(), now);
    expect(withoutRelay).toMatchObject({ submission: "public", warnings: ["MEV_UNPROTECTED"] });
  });

  it("warns about fees above the trade's value, and about too little coin for a later sale", async () => {
    expect((await quote({ amount: "0.0001" })).warnings).toEqual(["FEE_ABOVE_VALUE"]);
    expect((await quote({ amount: "99.9995", wallet, maxPriceImpact: 100 })).warnings).toEqual([
      "NO_GAS_TO_SELL",
      "PRICE_IMPACT_HIGH",
    ]);
  });

  it("quotes without a simulation if no host can simulate", async () => {
    const host = await startPlainHost(chain);
    const unknown = { sellable: null, buyTax: null, sellTax: null, flags: ["SELLABILITY_UNKNOWN"] };
    const listed = await quote({ token: usdx, amount: "0.5", wallet }, {}, [host.url]);
    expect(listed).toMatchObject({ ...unknown, amountOut: "1296.969844", route: [{ venue: "uniswap-v3" }] });
    // The wallet has coin, so its gas can be estimated.
    expect(listed.networkFee.expected).not.toBe(
      (await quote({ token: usdx, amount: "0.5" }, {}, [host.url])).networkFee.expected,
    );
    const reader = readerOf(chain, { hosts: [host.url] });
    const unlisted = { ...reader, configuration: { ...reader.configuration, tokens: [] } };
    const request = { chain: "eth", side: "buy", token: usdx, amount: "10" } as const;
    expect((await quoteEvmTrade(unlisted, request, traderOf(), now)).route).toMatchObject([
      { venue: "uniswap-v2" },
    ]);
    await host.close();
  });

  it("fails with ChainUnavailable if no host answers", async () => {
    await expect(quote({ amount: "1" }, {}, ["http://127.0.0.1:1"])).rejects.toMatchObject({
      name: "ChainUnavailable",
    });
  });
});
