import { Interface } from "ethers/abi";
import { Transaction, type TransactionLike } from "ethers/transaction";
import fc from "fast-check";
import type { ChainRefusal } from "trading-terminal-devnet/chain-refusal";
import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { openEvmMarket } from "trading-terminal-devnet/evm/evm-market";
import {
  alice,
  startTestChain,
  type TestChain,
  type TestReceipt,
} from "trading-terminal-devnet/evm/test-chain";
import { moveInSteps } from "trading-terminal-devnet/local-market";
import { afterEach, describe, expect, it } from "vitest";
import { balanceOf } from "../../../../lib/chains/evm/calls/contract-questions.ts";
import { isSlippage } from "../../../../lib/chains/evm/calls/revert-reason.ts";
import type { EvmQuote } from "../../../../lib/chains/evm/quote.ts";
import { quoteEvmTrade } from "../../../../lib/chains/evm/quote.ts";
import type { EvmVenue } from "../../../../lib/chains/evm/rules/configuration.ts";
import {
  type EvmCall,
  type EvmRoute,
  type PoolKey,
  poolsOf,
  swapBy,
} from "../../../../lib/chains/evm/rules/intent.ts";
import type { EvmRouteStep } from "../../../../lib/chains/evm/rules/route-steps.ts";
import { type SwapVenue, venuesOf } from "../../../../lib/chains/evm/rules/swap-venues.ts";
import { encodeCall } from "../../../../lib/chains/evm/venues/calldata.ts";
import { poolsOfVenue } from "../../../../lib/chains/evm/venues/configured-routes.ts";
import { RpcRefusal } from "../../../../lib/chains/hosts/host-fault.ts";
import type { DomainError } from "../../../../lib/core/domain-error.ts";
import { formatAmount, parseAmount } from "../../../../lib/orders/decimal-text.ts";
import { readerOf } from "../../../support/chain-reader.ts";
import { addDryPool, addToken } from "../../../support/odd-tokens.ts";
import { quotedAt as now, traderOf } from "../../../support/quotes.ts";
import { intent } from "../../../support/trading.ts";

let chain: TestChain;
/** A taxed token that trades only in pools with USDX. */
let toll: string;

const wallet = alice.address;
const decimalsOf = { moon: 18, usdx: 6, taxd: 18, star: 18, comet: 18, toll: 18 } as const;
const addressOf = (name: Name) => (name === "toll" ? toll : localAddresses[name]);

type Name = keyof typeof decimalsOf;

type Trade = {
  name: Name;
  side: "buy" | "sell";
  venues: readonly SwapVenue[];
  /** Venues of the bridges to USDX. */
  bridges: readonly SwapVenue[];
  /** Units of the coin for a buy, or millionths of the wallet's tokens for a sale. */
  coins: bigint;
  share: number;
};

const shared = ["uniswap-v2", "uniswap-v3", "pancakeswap-v3"] as const;

const tradeOf = (names: readonly Name[], venues: readonly SwapVenue[]): fc.Arbitrary<Trade> =>
  fc.record({
    name: fc.constantFrom(...names),
    side: fc.constantFrom("buy" as const, "sell" as const),
    venues: fc.subarray<SwapVenue>([...venues], { minLength: 1 }),
    bridges: fc.subarray<SwapVenue>([...venues]),
    // Makes small amounts as frequent as large ones.
    coins: fc
      .tuple(fc.integer({ min: 3, max: 18 }), fc.bigInt({ min: 1n, max: 30n }))
      .map(([e, m]) => m * 10n ** BigInt(e)),
    share: fc.integer({ min: 1, max: 1_000_000 }),
  });

const coinsOf = async () => BigInt((await chain.request("eth_getBalance", [wallet, "latest"])) as string);
const tokensOf = async (token: string) => BigInt(await chain.call(token, balanceOf(token, wallet).data));

async function send(call: EvmCall): Promise<TestReceipt> {
  const receipt = await chain.transact({
    from: wallet,
    ...encodeCall(readerOf(chain).configuration, call, wallet),
  });
  expect(receipt.status).toBe("0x1");
  return receipt;
}

/** Expects the router to reject a swap that would deliver less than its minimum. */
async function expectSlippage(call: EvmCall): Promise<void> {
  const { to, data, value } = encodeCall(readerOf(chain).configuration, call, wallet);
  const asked = { from: wallet, to, data, value: `0x${value.toString(16)}` };
  const refusal = await chain.request("eth_call", [asked, "latest"]).then(
    () => undefined,
    (error: ChainRefusal) => new RpcRefusal("eth_call", error),
  );
  expect(isSlippage(refusal)).toBe(true);
}

/** Reads the route of a quote from its steps. */
function routeIn({ side, route }: EvmQuote, venues: readonly EvmVenue[]): EvmRoute {
  const steps = side === "buy" ? route : route.toReversed();
  const [coinPool, own] = [steps[0], steps.at(-1)] as [EvmRouteStep, EvmRouteStep];
  const { router } = venues.find(({ venue }) => venue === coinPool.venue) as EvmVenue;
  const token = side === "buy" ? coinPool.tokenOut : coinPool.tokenIn;
  const [first, last] = [coinPool, own].map((step) =>
    venues.flatMap(poolsOfVenue).find(({ venue, feeBps }) => venue === step.venue && feeBps === step.feeBps),
  ) as [PoolKey, PoolKey];
  return { ...last, router, ...(steps.length > 1 && { bridge: { ...first, token } }) };
}

/** Names the pools of a route from the coin to the token. */
const shapeOf = (route: EvmRoute) =>
  poolsOf(route)
    .map(({ venue }) => venue)
    .join(", ");

/** Opens the chain with some of its exchanges and bridges. */
function limitedReader({ venues, bridges }: Pick<Trade, "venues" | "bridges">) {
  const reader = readerOf(chain);
  const { configuration } = reader;
  const some = configuration.venues.filter(({ venue }) => venues.includes(venue));
  const quoteTokens = configuration.quoteTokens.map((each) => ({
    ...each,
    bridges: each.bridges.filter(({ venue }) => bridges.includes(venue)),
  }));
  return { ...reader, configuration: { ...configuration, venues: some, quoteTokens } };
}

/** Quotes and executes a trade. Returns the quote and the changed balances. */
async function quoteAndTrade({ name, side, venues, bridges, coins, share }: Trade) {
  const token = addressOf(name);
  const limited = limitedReader({ venues, bridges });
  const [inDecimals, outDecimals] = side === "buy" ? [18, decimalsOf[name]] : [decimalsOf[name], 18];
  const amount = side === "buy" ? coins : ((await tokensOf(token)) * BigInt(share)) / 1_000_000n;
  if (amount === 0n) return undefined;
  const request = {
    chain: chain.chain,
    side,
    token,
    wallet,
    amount: formatAmount(amount, inDecimals),
  } as const;
  const quote = await quoteEvmTrade(limited, request, traderOf(), now).catch((error: DomainError) => {
    // The amount is too small for anything to arrive, or too large for every pool.
    const refusals = ["AMOUNT_TOO_SMALL", "NO_ROUTE", "amount is more than any pool takes"];
    expect(refusals).toContain(error.code === "INVALID_REQUEST" ? error.message : error.code);
    return undefined;
  });
  if (quote === undefined) return undefined;
  const route = routeIn(quote, limited.configuration.venues);
  const { router } = route;
  const approval = side === "sell" ? await send({ purpose: "approve", token, router, amount }) : undefined;
  expect(quote.approval).toBe(approval !== undefined);
  const before = { coins: await coinsOf(), tokens: await tokensOf(token) };
  const minAmountOut = parseAmount(quote.amountOut, outDecimals) as bigint;
  const order = intent({ wallet, token, side, amount, minAmountOut, validUntil: 2 ** 32 - 1 });
  const swap = swapBy(order, route, amount);
  await expectSlippage({ ...swap, minAmountOut: minAmountOut + 1n });
  const swapped = await send(swap);
  const { gasUsed, effectiveGasPrice } = swapped;
  const fee = BigInt(gasUsed) * BigInt(effectiveGasPrice);
  const change = {
    coins: (await coinsOf()) - before.coins + fee,
    tokens: (await tokensOf(token)) - before.tokens,
  };
  const sent = approval === undefined ? [swapped] : [approval, swapped];
  const l1Fees = chain.chain === "base" ? await Promise.all(sent.map(l1FeeOf)) : [];
  const l1Fee = l1Fees.reduce((sum, each) => sum + each, 0n);
  return { quote, shape: shapeOf(route), amount, change, outDecimals, l1Fee };
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

const usual = { bridges: [], coins: 10n ** 17n, share: 500_000 };

/** Route shapes that can pay best for a trade, with the tokens and venues that lead to each. */
type Shapes = Record<string, Pick<Trade, "name" | "venues"> & Partial<Trade>>;

const withBridge = (name: Name, venue: SwapVenue) => ({ name, venues: [venue], bridges: [venue] });

const shapesOfBase: Shapes = {
  "moon: uniswap-v2": { name: "moon", venues: ["uniswap-v2"] },
  "moon: uniswap-v3": { name: "moon", venues: ["uniswap-v3"] },
  "usdx: pancakeswap-v3": { name: "usdx", venues: shared },
  "taxd: uniswap-v2": { name: "taxd", venues: shared },
  "star: uniswap-v2, uniswap-v2": withBridge("star", "uniswap-v2"),
  "star: uniswap-v3, uniswap-v3": withBridge("star", "uniswap-v3"),
  "star: pancakeswap-v3, pancakeswap-v3": withBridge("star", "pancakeswap-v3"),
  "toll: uniswap-v2, uniswap-v2": withBridge("toll", "uniswap-v2"),
  "toll: uniswap-v3, uniswap-v2": { name: "toll", venues: shared, bridges: ["uniswap-v3"] },
  "comet: slipstream": { name: "comet", venues: ["slipstream"] },
  "comet: slipstream, slipstream": { ...withBridge("comet", "slipstream"), coins: 5n * 10n ** 18n },
  "comet: slipstream-caps": { name: "comet", venues: ["slipstream-caps"] },
  "comet: slipstream-v3": { name: "comet", venues: ["slipstream-v3"] },
  "comet: slipstream-v3, slipstream-v3": {
    ...withBridge("comet", "slipstream-v3"),
    coins: 5n * 10n ** 18n,
  },
};

const shapesOfAvax: Shapes = {
  "usdx: lfj-v2.2": { name: "usdx", venues: ["lfj-v2.2"] },
  "comet: lfj-v2.1": { name: "comet", venues: ["lfj-v2.1"] },
  "comet: lfj-v2.2, lfj-v2.2": withBridge("comet", "lfj-v2.2"),
};

async function expectExactQuotes(trade: fc.Arbitrary<Trade>, shapes: Shapes): Promise<void> {
  // These examples cover each kind of trade; earlier buys give the wallet tokens to sell.
  const examples = (["buy", "sell"] as const).flatMap((side) =>
    Object.values(shapes).map((each): [Trade] => [{ ...usual, ...each, side }]),
  );
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(trade, async (each) => {
      const made = await quoteAndTrade(each);
      if (made === undefined) return;
      const { quote, shape, amount, change, outDecimals, l1Fee } = made;
      const isBuy = each.side === "buy";
      expect(formatAmount(isBuy ? change.tokens : change.coins, outDecimals)).toBe(quote.amountOut);
      expect(isBuy ? -change.coins : -change.tokens).toBe(amount);
      // Encoded fees and nonces may be a few bytes longer or shorter than in the quote.
      if (l1Fee > 0n) expect(Number(quote.networkFee.l1) / (Number(l1Fee) / 1e18)).toBeCloseTo(1, 1);
      seen.add(`${each.side} ${each.name}: ${shape}`);
    }),
    { numRuns: examples.length + (process.env.FULL ? 500 : 5), examples },
  );
  const wanted = ["buy", "sell"].flatMap((side) => Object.keys(shapes).map((shape) => `${side} ${shape}`));
  expect([...seen]).toEqual(expect.arrayContaining(wanted));
}

/** Moves COMET by a percentage, and expects small quotes by each exchange to follow. */
async function expectMovedQuotes(venues: readonly SwapVenue[], factor: number): Promise<void> {
  const token = localAddresses.comet;
  const request = { chain: chain.chain, side: "buy", token, wallet, amount: "0.0001" } as const;
  const received = () =>
    Promise.all(
      venues.map(async (venue) => {
        const reader = limitedReader({ venues: [venue], bridges: [venue] });
        return Number((await quoteEvmTrade(reader, request, traderOf(), now)).amountOut);
      }),
    );
  const before = await received();
  const market = await openEvmMarket({ chain: chain.chain, url: chain.url, token, patienceMs: 0 });
  for await (const { factors } of moveInSteps(market, factor))
    for (const reached of factors) expect(Math.abs(reached / factor - 1)).toBeLessThan(0.01);
  const after = await received();
  for (const [index, amount] of after.entries()) {
    const change = (before[index] ?? 0) / amount;
    expect(Math.abs(change / factor - 1), venues[index]).toBeLessThan(0.01);
  }
}

describe("quoteEvmTrade", () => {
  afterEach(() => chain.close());

  it("quotes exactly the amounts that routers on base then spend and deliver, also after a move", async () => {
    chain = await startTestChain({ chain: "base" });
    await addDryPool(chain);
    toll = await addToken(chain, "TaxedToken");
    await expectMovedQuotes(venuesOf("slipstream"), 0.9);
    const names = ["moon", "usdx", "taxd", "star", "comet", "toll"] as const;
    await expectExactQuotes(tradeOf(names, [...shared, ...venuesOf("slipstream")]), shapesOfBase);
  });

  it("quotes exactly the amounts that routers on avax then spend and deliver, also after a move", async () => {
    chain = await startTestChain({ chain: "avax" });
    const venues = ["uniswap-v3", "lfj-v2.1", "lfj-v2.2"] as const;
    await expectMovedQuotes(["lfj-v2.1", "lfj-v2.2"], 1.05);
    await expectMovedQuotes(["lfj-v2.1", "lfj-v2.2"], 0.92);
    await expectExactQuotes(tradeOf(["usdx", "comet"], venues), shapesOfAvax);
  });
});
