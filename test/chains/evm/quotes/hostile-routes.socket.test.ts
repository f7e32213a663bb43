import { Interface } from "ethers/abi";
import { deployer, localAddresses, localContracts } from "trading-terminal-devnet/evm/deployment";
import { alice, startTestChain, type TestChain } from "trading-terminal-devnet/evm/test-chain";
import { approval, v2Liquidity, v3Liquidity } from "trading-terminal-devnet/evm/uniswap";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { balanceOf } from "../../../../lib/chains/evm/calls/contract-questions.ts";
import { quoteEvmTrade } from "../../../../lib/chains/evm/quote.ts";
import { type EvmRoute, swapBy } from "../../../../lib/chains/evm/rules/intent.ts";
import { checksArrival, kindOf, type SwapVenue } from "../../../../lib/chains/evm/rules/swap-venues.ts";
import { encodeCall } from "../../../../lib/chains/evm/venues/calldata.ts";
import { tokenLooksOn } from "../../../../lib/chains/families/token-looks.ts";
import type { EvmChain } from "../../../../lib/core/chain-facts.ts";
import { readerOf } from "../../../support/chain-reader.ts";
import { addToken } from "../../../support/odd-tokens.ts";
import { quotedAt, traderOf } from "../../../support/quotes.ts";
import { intent, localV2, localV3 } from "../../../support/trading.ts";

const { usdx, star, comet, taxd, wrapped, v2Router, v3Router, v3Positions } = localAddresses;
const wallet = alice.address;
const coin = 10n ** 18n;

let chain: TestChain;
/** Address of a ThievingToken, which steals in every call once `steal` was called. */
let loot: string;

const bridge = { venue: "uniswap-v3", feeBps: 5, token: usdx } as const;
/** Routes of eth, one of each shape, named by their pools from the coin to the token. */
const onEth: Record<string, EvmRoute> = {
  v2: localV2,
  v3: localV3,
  "v2, v2": { ...localV2, bridge: { venue: "uniswap-v2", feeBps: 30, token: usdx } },
  "v3, v3": { ...localV3, bridge },
  "v3, v2": { ...localV2, router: v3Router, bridge },
};

const routerOf = (name: EvmChain, venue: SwapVenue): string =>
  localContracts(name).venues.find((row) => row.venue === venue)?.router ?? "";
const slipstream = { venue: "slipstream", feeBps: 30, spacing: 200 } as const;
const onSlipstream: EvmRoute = { ...slipstream, router: routerOf("base", "slipstream") };
const lfj = { venue: "lfj-v2.1", feeBps: 20, spacing: 20, router: routerOf("avax", "lfj-v2.1") } as const;

const onBase: Record<string, EvmRoute> = {
  Slipstream: onSlipstream,
  "Slipstream, Slipstream": {
    ...onSlipstream,
    bridge: { venue: "slipstream", feeBps: 5, spacing: 100, token: usdx },
  },
};
const onAvax: Record<string, EvmRoute> = {
  LFJ: lfj,
  "LFJ, LFJ": {
    ...lfj,
    venue: "lfj-v2.2",
    bridge: { venue: "lfj-v2.2", feeBps: 10, spacing: 10, token: usdx },
  },
};

const sides = ["buy", "sell"] as const;
type Side = (typeof sides)[number];
const tradesBy = (routes: Record<string, EvmRoute>) =>
  sides.flatMap((side) => Object.entries(routes).map(([shape, route]) => [side, shape, route] as const));

const abi = new Interface([
  "function transfer(address, uint256)",
  "function steal(address, address[], uint256)",
]);

const amounts = { buy: coin / 10n, sell: 1000n * coin };

async function startEth(): Promise<void> {
  chain = await startTestChain();
  loot = await addToken(chain, "ThievingToken");
  const pool = { token: loot, coins: 10n * coin, tokens: 10n ** 5n * coin };
  await chain.deploy(
    v2Liquidity(localAddresses, deployer, pool),
    v3Liquidity({ v3Positions, wrapped }, deployer, { ...pool, fee: 3000, reach: 2 }),
  );
  await prepare([v2Router, v3Router]);
}

/** Starts a chain on which a thief's code replaces COMET's. Pools and holders stay the same. */
async function startWithComet(name: EvmChain, router: string): Promise<void> {
  chain = await startTestChain({ chain: name });
  loot = comet;
  const code = await chain.request("eth_getCode", [await addToken(chain, "ThievingToken"), "latest"]);
  await chain.request("anvil_setCode", [loot, code]);
  await prepare([router]);
}

/** Gives the wallet tokens to sell, and approves the routers. */
async function prepare(routers: readonly string[]): Promise<void> {
  await chain.deploy({ to: loot, data: abi.encodeFunctionData("transfer", [wallet, 10n ** 4n * coin]) });
  for (const router of routers)
    await chain.transact({ from: wallet, to: loot, data: approval(loot, router).data });
  await chain.keep();
}

beforeEach(() => chain.restore());

const tokensOf = async (token: string) => BigInt(await chain.call(token, balanceOf(token, wallet).data));

async function holdings(side: Side, token: string) {
  const coins = BigInt((await chain.request("eth_getBalance", [wallet, "latest"])) as string);
  const tokens = await tokensOf(token);
  return side === "buy" ? { paid: coins, got: tokens } : { paid: tokens, got: coins };
}

/** Swaps on the chain. Returns the amount that arrived, or undefined if the swap failed. */
async function swap(
  side: Side,
  route: EvmRoute,
  minAmountOut: bigint,
  token = loot,
): Promise<bigint | undefined> {
  const amount = amounts[side];
  const order = intent({ wallet, token, side, amount, minAmountOut, validUntil: 2 ** 32 - 1 });
  const before = await holdings(side, token);
  const call = encodeCall(readerOf(chain).configuration, swapBy(order, route, amount), wallet);
  const { status, gasUsed, effectiveGasPrice } = await chain.transact({ from: wallet, ...call });
  const after = await holdings(side, token);
  const fee = BigInt(gasUsed) * BigInt(effectiveGasPrice);
  const [paid, got] = [before.paid - after.paid, after.got - before.got];
  const isOk = status === "0x1";
  expect(side === "buy" ? paid - fee : paid).toBe(isOk ? amount : 0n);
  return isOk ? (side === "buy" ? got : got + fee) : undefined;
}

async function startTax(token: string): Promise<void> {
  const code = await chain.request("eth_getCode", [taxd, "latest"]);
  await chain.request("anvil_setCode", [token, code]);
}

/** Measures what a swap pays while the token is honest. */
async function fairOut(side: Side, route: EvmRoute): Promise<bigint> {
  const fair = (await swap(side, route, 1n)) as bigint;
  await chain.restore();
  return fair;
}

const steal = (router: string, mostReturned: bigint) => {
  const data = abi.encodeFunctionData("steal", [router, [wrapped, usdx], mostReturned]);
  return chain.deploy({ to: loot, data });
};

/** Attacks a router that, like those of v3, gives its balance to anyone. */
function expectNoTheft(router: string, routes: Record<string, EvmRoute>): void {
  it.each(tradesBy(routes))(
    "pays at least a trade's minimum, or fails the trade, if a token steals from the router: %s by %s",
    async (side, _, route) => {
      const minimum = ((await fairOut(side, route)) * 9n) / 10n;
      for (const returned of [0n, minimum - 1n, minimum, 2n ** 255n]) {
        await steal(router, returned);
        const got = await swap(side, route, minimum);
        if (got !== undefined) expect(got).toBeGreaterThanOrEqual(minimum);
        await chain.restore();
      }
    },
  );
}

function expectNoTax(routes: Record<string, EvmRoute>): void {
  it.each(tradesBy(routes))(
    "fails a trade if a tax starts after the simulation, unless the router cannot detect it: %s by %s",
    async (side, _, route) => {
      const minimum = ((await fairOut(side, route)) * 99n) / 100n;
      await startTax(loot);
      const got = await swap(side, route, minimum);
      expect(got === undefined).toBe(side === "sell" || checksArrival(route));
    },
  );

  it.each(tradesBy(routes).filter(([, , route]) => route.bridge))(
    "fails a trade if a tax of the quote token starts after the simulation: %s by %s",
    async (side, _, route) => {
      const minimum = ((await fairOut(side, route)) * 99n) / 100n;
      await startTax(usdx);
      expect(await swap(side, route, minimum)).toBeUndefined();
    },
  );
}

/** Swaps through single pools must show in the watcher's looks. */
function expectSightOf(routes: Record<string, EvmRoute>): void {
  const single = Object.fromEntries(Object.entries(routes).filter(([, { bridge }]) => bridge === undefined));
  it.each(tradesBy(single))(
    "shows a swap in the levels of the token's pools: %s by %s",
    async (side, _, route) => {
      const looks = tokenLooksOn(readerOf(chain));
      const look = async () => {
        const levels = (await looks.levels([loot], 0)).get(loot) ?? [];
        const [out] = await looks.outs({ side, token: loot, amounts: [amounts[side]] }, 0);
        return { levels, out: Number(out) };
      };
      // The first question about payments finds the token's pools.
      await look();
      const before = await look();
      await chain.mine();
      expect(await look()).toEqual(before);
      await swap(side, route, 1n);
      const after = await look();
      const change = Math.max(
        ...before.levels.map((level, index) => Math.abs(level - (after.levels[index] ?? 0))),
      );
      // Within a bin, the price is the same.
      expect(change > 0 || kindOf(route) === "bins").toBe(true);
      expect(change + 0.02).toBeGreaterThan(Math.abs(Math.log(after.out / before.out)));
    },
  );
}

describe("hostile tokens on base", () => {
  beforeAll(() => startWithComet("base", onSlipstream.router));
  afterAll(() => chain.close());
  expectNoTheft(onSlipstream.router, onBase);
  expectNoTax(onBase);
  expectSightOf(onBase);
});

describe("hostile tokens on avax", () => {
  beforeAll(() => startWithComet("avax", lfj.router));
  afterAll(() => chain.close());
  expectNoTax(onAvax);
  expectSightOf(onAvax);
});

describe("hostile tokens on eth", () => {
  beforeAll(startEth);
  afterAll(() => chain.close());
  expectNoTheft(v3Router, onEth);
  expectNoTax(onEth);
  expectSightOf(onEth);

  it("lets a hostile token take only the part of a v3 sale above the minimum", async () => {
    const fair = await fairOut("sell", localV3);
    const minimum = (fair * 9n) / 10n;
    await steal(v3Router, minimum);
    expect(await swap("sell", localV3, minimum)).toBe(minimum);
    await steal(v3Router, minimum - 1n);
    expect(await swap("sell", localV3, minimum)).toBeUndefined();
  });

  describe("quoteTrade", () => {
    it("quotes exactly the amount that arrives over a taxed quote token", async () => {
      await startTax(usdx);
      const asked = { chain: "eth", side: "buy", token: star, amount: "0.1", wallet } as const;
      const quoted = await quoteEvmTrade(readerOf(chain), asked, traderOf(), quotedAt);
      expect(quoted.route).toMatchObject([{ venue: "uniswap-v3" }, { venue: "uniswap-v2" }]);
      const minimum = BigInt(quoted.amountOut.replace(".", ""));
      const route = onEth["v3, v2"] as EvmRoute;
      expect(await swap("buy", route, minimum + 1n, star)).toBeUndefined();
      expect(await swap("buy", route, minimum, star)).toBe(minimum);
    });

    const both = ["uniswap-v2", "uniswap-v3"];
    /** Quotes a trade over the bridge on v3. */
    const quote = (venues: readonly string[], side: Side, amount: string) => {
      const reader = readerOf(chain);
      const { configuration } = reader;
      const over = {
        ...reader,
        configuration: {
          ...configuration,
          venues: configuration.venues.filter(({ venue }) => venues.includes(venue)),
          quoteTokens: [{ token: usdx, isStable: true, bridges: [bridge] }],
        },
      };
      return quoteEvmTrade(over, { chain: "eth", side, token: star, amount }, traderOf(), quotedAt);
    };

    it("finds no route if the bridge or the pool would run dry", async () => {
      // The token's own v3 pool runs dry with 40 coins, and the bridge with 80.
      expect((await quote(both, "buy", "40")).route).toMatchObject([
        { venue: "uniswap-v3" },
        { venue: "uniswap-v2" },
      ]);
      for (const [venues, side, amount] of [
        [["uniswap-v3"], "buy", "40"],
        [both, "buy", "80"],
        [["uniswap-v3"], "sell", "10000000"],
      ] as const)
        await expect(quote(venues, side, amount)).rejects.toMatchObject({
          code: "INVALID_REQUEST",
          details: { field: "amount" },
        });
    });
  });
});
