import { Interface } from "ethers/abi";
import { Transaction, type TransactionLike } from "ethers/transaction";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { localAddresses } from "../../../lib/tools/dev/chains/deployment.ts";
import type { ChainVenue } from "../../../lib/trading/chains/chain-configuration.ts";
import { encodeCall } from "../../../lib/trading/chains/evm/calldata.ts";
import { balanceOf } from "../../../lib/trading/chains/evm/contract-questions.ts";
import { formatAmount, parseAmount } from "../../../lib/trading/core/decimal-text.ts";
import { type Call, type SwapVenue, swapBy } from "../../../lib/trading/core/intent.ts";
import { quoteTrade } from "../../../lib/trading/quotes/quote-trade.ts";
import { readerOf } from "../../support/chain-reader.ts";
import { alice, startTestChain, type TestChain, type TestReceipt } from "../../support/local-chain.ts";
import { addDryPool } from "../../support/odd-tokens.ts";
import { quotedAt as now, traderOf } from "../../support/quotes.ts";
import { intent } from "../../support/trading.ts";

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain({ chain: "base" });
  await addDryPool(chain);
});
afterAll(() => chain.close());

const wallet = alice.address;
const decimalsOf = { moon: 18, usdx: 6, taxd: 18 } as const;

type Trade = {
  name: keyof typeof decimalsOf;
  side: "buy" | "sell";
  venues: readonly SwapVenue[];
  /** The units of the coin for a buy, or the millionths of the wallet's tokens for a sale. */
  coins: bigint;
  share: number;
};

const trade: fc.Arbitrary<Trade> = fc.record({
  name: fc.constantFrom("moon" as const, "usdx" as const, "taxd" as const),
  side: fc.constantFrom("buy" as const, "sell" as const),
  venues: fc.constantFrom<SwapVenue[]>(["uniswap-v2"], ["uniswap-v3"], ["uniswap-v2", "uniswap-v3"]),
  // Makes small amounts as frequent as large ones.
  coins: fc
    .tuple(fc.integer({ min: 3, max: 18 }), fc.bigInt({ min: 1n, max: 30n }))
    .map(([e, m]) => m * 10n ** BigInt(e)),
  share: fc.integer({ min: 1, max: 1_000_000 }),
});

const coinsOf = async () => BigInt((await chain.request("eth_getBalance", [wallet, "latest"])) as string);
const tokensOf = async (token: string) => BigInt(await chain.call(token, balanceOf(token, wallet).data));

async function send(call: Call): Promise<TestReceipt> {
  const receipt = await chain.transact({
    from: wallet,
    ...encodeCall(readerOf(chain).configuration, call, wallet),
  });
  expect(receipt.status).toBe("0x1");
  return receipt;
}

/** Quotes and executes a trade. Returns the quote, and the changes of balances. */
async function quoteAndTrade({ name, side, venues, coins, share }: Trade) {
  const token = localAddresses[name];
  const reader = readerOf(chain);
  const { configuration } = reader;
  const some = configuration.venues.filter(({ venue }) => venues.includes(venue));
  const limited = { ...reader, configuration: { ...configuration, venues: some } };
  const [inDecimals, outDecimals] = side === "buy" ? [18, decimalsOf[name]] : [decimalsOf[name], 18];
  const amount = side === "buy" ? coins : ((await tokensOf(token)) * BigInt(share)) / 1_000_000n;
  if (amount === 0n) return undefined;
  const request = { chain: "base", side, token, wallet, amount: formatAmount(amount, inDecimals) } as const;
  const quote = await quoteTrade(limited, request, traderOf(), now).catch((error: { code?: string }) => {
    // The amount is so small that nothing arrives, or no pool has enough.
    expect(["AMOUNT_TOO_SMALL", "NO_ROUTE"]).toContain(error.code);
    return undefined;
  });
  const [route] = quote?.route ?? [];
  if (quote === undefined || route === undefined) return undefined;
  const { router } = some.find(({ venue }) => venue === route.venue) as ChainVenue;
  const approval = side === "sell" ? await send({ purpose: "approve", token, router, amount }) : undefined;
  expect(quote.approval).toBe(approval !== undefined);
  const before = { coins: await coinsOf(), tokens: await tokensOf(token) };
  const minAmountOut = parseAmount(quote.minAmountOut, outDecimals) as bigint;
  const order = intent({ wallet, token, side, amount, minAmountOut, validUntil: 2 ** 32 - 1 });
  const swapped = await send(swapBy(order, { ...route, router }, amount));
  const { gasUsed, effectiveGasPrice } = swapped;
  const fee = BigInt(gasUsed) * BigInt(effectiveGasPrice);
  const change = {
    coins: (await coinsOf()) - before.coins + fee,
    tokens: (await tokensOf(token)) - before.tokens,
  };
  const l1Fee = (approval === undefined ? 0n : await l1FeeOf(approval)) + (await l1FeeOf(swapped));
  return { quote, amount, change, outDecimals, l1Fee };
}

/** Computes the L1 fee of a transaction from its bytes. */
async function l1FeeOf({ transactionHash }: TestReceipt): Promise<bigint> {
  const sent = (await chain.request("eth_getTransactionByHash", [transactionHash])) as Record<string, string>;
  const { to, nonce, gas: gasLimit, input: data, value, chainId, maxFeePerGas, maxPriorityFeePerGas } = sent;
  const terms = {
    gasLimit,
    maxFeePerGas,
    maxPriorityFeePerGas,
    nonce: Number(nonce),
    chainId: Number(chainId),
  };
  const { unsignedSerialized } = Transaction.from({ type: 2, to, data, value, ...terms } as TransactionLike);
  const oracle = new Interface(["function getL1Fee(bytes) view returns (uint256)"]);
  const call = oracle.encodeFunctionData("getL1Fee", [unsignedSerialized]);
  return BigInt(await chain.call("0x420000000000000000000000000000000000000F", call));
}

const both = ["uniswap-v2", "uniswap-v3"] as const;
const first = { venues: both, coins: 10n ** 17n, share: 500_000 };

/** Contains each kind of trade once. */
const firstTrades: Trade[] = (["buy", "sell"] as const).flatMap((side): Trade[] => [
  { ...first, side, name: "moon", venues: ["uniswap-v2"] },
  { ...first, side, name: "moon", venues: ["uniswap-v3"] },
  { ...first, side, name: "usdx" },
  { ...first, side, name: "taxd" },
]);

const kinds = [
  "moon buy uniswap-v2",
  "moon buy uniswap-v3",
  "moon sell uniswap-v2",
  "moon sell uniswap-v3",
  "usdx buy uniswap-v3",
  "usdx sell uniswap-v3",
  "taxd buy uniswap-v2",
  "taxd sell uniswap-v2",
];

describe("quoteTrade", () => {
  it("quotes exactly the amounts that the router then spends and delivers", async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(trade, async (each) => {
        const made = await quoteAndTrade(each);
        if (made === undefined) return;
        const { quote, amount, change, outDecimals, l1Fee } = made;
        const isBuy = each.side === "buy";
        expect(formatAmount(isBuy ? change.tokens : change.coins, outDecimals)).toBe(quote.amountOut);
        expect(isBuy ? -change.coins : -change.tokens).toBe(amount);
        // Fees and nonces may be some bytes longer or shorter than in the quote.
        expect(Number(quote.networkFee.l1) / (Number(l1Fee) / 1e18)).toBeCloseTo(1, 1);
        seen.add(`${each.name} ${each.side} ${quote.route[0]?.venue}`);
      }),
      // These examples cover each kind of trade; earlier buys give the wallet tokens to sell.
      { numRuns: process.env.FULL ? 500 : 25, examples: firstTrades.map((each) => [each]) },
    );
    expect([...seen]).toEqual(expect.arrayContaining(kinds));
  });
});
