import { deployer, localAddresses, localContracts } from "trading-terminal-devnet/evm/deployment";
import { alice, startTestChain, type TestChain } from "trading-terminal-devnet/evm/test-chain";
import { approval } from "trading-terminal-devnet/evm/uniswap";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { balanceOf } from "../../../../lib/chains/evm/calls/contract-questions.ts";
import { receiptCall } from "../../../../lib/chains/evm/calls/rpc-call.ts";
import { readReceipts, receiptCalls } from "../../../../lib/chains/evm/looks/read-receipts.ts";
import type { EvmReceipt } from "../../../../lib/chains/evm/rules/host-snapshot.ts";
import { type EvmRoute, type SwapCall, swapBy } from "../../../../lib/chains/evm/rules/intent.ts";
import { encodeCall } from "../../../../lib/chains/evm/venues/calldata.ts";
import { type Ask, askTogether } from "../../../../lib/chains/hosts/ask-together.ts";
import { type RpcHost, rpcHost } from "../../../../lib/chains/hosts/rpc-host.ts";
import type { EvmChain } from "../../../../lib/core/chain-facts.ts";
import { readerOf } from "../../../support/chain-reader.ts";
import { deployOddToken, type OddToken } from "../../../support/odd-tokens.ts";
import { intent, localV2, localV3 } from "../../../support/trading.ts";

const { moon, star, comet, usdx, v3Router } = localAddresses;
const wallet = alice.address;
const coin = 10n ** 18n;

const routerOf = (name: EvmChain, venue: string) =>
  localContracts(name).venues.find((row) => row.venue === venue)?.router ?? "";
const slipstream = (venue: "slipstream" | "slipstream-caps" | "slipstream-v3"): EvmRoute => ({
  venue,
  feeBps: 30,
  spacing: 200,
  router: routerOf("base", venue),
});
const lfj: EvmRoute = {
  venue: "lfj-v2.1",
  feeBps: 20,
  spacing: 20,
  router: routerOf("avax", "lfj-v2.1"),
};

const routes: Partial<Record<EvmChain, Record<string, readonly [token: string, route: EvmRoute]>>> = {
  eth: {
    v2: [moon, localV2],
    v3: [moon, localV3],
    "v3, v2": [
      star,
      { ...localV2, router: v3Router, bridge: { venue: "uniswap-v3", feeBps: 5, token: usdx } },
    ],
  },
  base: {
    Slipstream: [comet, slipstream("slipstream")],
    "Slipstream with caps": [comet, slipstream("slipstream-caps")],
    "Slipstream v3": [comet, slipstream("slipstream-v3")],
  },
  avax: { LFJ: [comet, lfj] },
};

let chain: TestChain;

const host: RpcHost = { request: (calls) => rpcHost({ url: chain.url }).request(calls) };

const held = async (token: string) => BigInt(await chain.call(token, balanceOf(token, wallet).data));

const swapOf = (side: "buy" | "sell", token: string, route: EvmRoute, amount: bigint) =>
  swapBy(intent({ wallet, token, side, amount, minAmountOut: 1n, validUntil: 2 ** 32 - 1 }), route, amount);

/** Sends a transaction of the wallet, to be mined in the next block. */
async function send(call: { to: string; data?: string; value?: bigint }, from = wallet): Promise<string> {
  const { value = 0n, ...rest } = call;
  const transaction = { ...rest, from, value: `0x${value.toString(16)}`, gas: "0xf4240" };
  return (await chain.request("eth_sendTransaction", [transaction])) as string;
}

const sendSwap = (call: SwapCall) => send(encodeCall(readerOf(chain).configuration, call, wallet));

/** Sends a stranger's units to the wallet. */
async function sendGift(token: string, units: bigint): Promise<void> {
  await chain.request("anvil_impersonateAccount", [deployer]);
  const [to, amount] = [BigInt(wallet), units].map((word) => word.toString(16).padStart(64, "0"));
  await send({ to: token, data: `0xa9059cbb${to}${amount}` }, deployer);
}

/** Reads the results of these transactions like a run that knows no others. */
async function resultsOf(...hashes: string[]) {
  const ask: Ask = (calls) => host.request(calls);
  const found = await Promise.all(
    hashes.map(async (hash) => {
      const [mined] = await ask([receiptCall(hash, true)]);
      if (mined === undefined) throw new Error("The transaction is in no block");
      return { hash, mined, ...(await askTogether(ask, receiptCalls({ hash, mined }))) };
    }),
  );
  const receipts = await readReceipts(ask, readerOf(chain).configuration, wallet, found);
  return hashes.map((hash) => receipts?.get(hash) as Extract<EvmReceipt, { status: "ok" }>);
}

/** Replaces the token's code and keeps its storage, with all pools and holders. */
async function makeOdd(token: string, oddity: OddToken): Promise<void> {
  const code = await chain.request("eth_getCode", [await deployOddToken(chain, oddity), "latest"]);
  await chain.request("anvil_setCode", [token, code]);
}

const oddities = ["logs no transfers", "logs each transfer twice"] as const;

/** Buys twice and sells in one block. */
async function tradeThrice(token: string, route: EvmRoute): Promise<string[]> {
  return [
    await sendSwap(swapOf("buy", token, route, coin / 10n)),
    await sendSwap(swapOf("sell", token, route, 50n * coin)),
    await sendSwap(swapOf("buy", token, route, coin / 5n)),
  ];
}

describe.each(Object.entries(routes))("on %s,", (name, shapes) => {
  beforeAll(async () => {
    chain = await startTestChain({ chain: name as EvmChain });
    for (const [token, route] of Object.values(shapes)) {
      await chain.transact({ from: wallet, to: token, data: approval(token, route.router).data });
      await sendSwap(swapOf("buy", token, route, coin));
      await chain.mine();
    }
    await chain.keep();
  });
  beforeEach(() => chain.restore());
  afterAll(() => chain.close());

  it.each(Object.entries(shapes))(
    "trusts events that explain the wallet's balances: %s",
    async (_, [token, route]) => {
      const before = await held(token);
      const hashes = await tradeThrice(token, route);
      await chain.mine();
      const [first, sold, last] = await resultsOf(...hashes);
      expect(first?.moved).toBe(first?.received);
      expect(sold?.moved).toBe(50n * coin);
      expect((first?.received ?? 0n) - 50n * coin + (last?.received ?? 0n)).toBe(
        (await held(token)) - before,
      );
    },
  );

  it.each(Object.entries(shapes))(
    "divides a stranger's units, and no others, between a purchase and a sale of similar size: %s",
    async (_, [token, route]) => {
      const [bought, gift] = [swapOf("buy", token, route, coin / 10n), 7n];
      const alone = await sendSwap(bought);
      await chain.mine();
      const [{ received: size } = { received: 0n }] = await resultsOf(alone);
      await chain.restore();
      const before = await held(token);
      const hashes = [await sendSwap(bought), await sendSwap(swapOf("sell", token, route, size + 3n))];
      await sendGift(token, gift);
      await chain.mine();
      const [buy, sale] = await resultsOf(...hashes);
      expect((await held(token)) - before).toBe(gift - 3n);
      expect([buy?.received, sale?.spent]).toEqual([size, size + 3n]);
      expect([buy?.moved, sale?.moved]).toEqual([size + 3n, size - 1n]);
    },
  );

  it.each(
    Object.entries(shapes).flatMap(([shape, [token, route]]) =>
      oddities.map((oddity) => [oddity, shape, token, route] as const),
    ),
  )(
    "divides tokens among swaps in one block by their pools' payments, if the token %s: %s",
    async (oddity, _, token, route) => {
      const honest = await tradeThrice(token, route);
      await chain.mine();
      const truth = await resultsOf(...honest);
      await chain.restore();
      await makeOdd(token, oddity);
      const before = await held(token);
      const hashes = await tradeThrice(token, route);
      await chain.mine();
      // Leaves out the first two swaps, as if another program had made them.
      const [last] = await resultsOf(...hashes.slice(2));
      expect(last?.moved).toBe(truth[2]?.moved);
      const all = await resultsOf(...hashes);
      expect(all.map(({ moved }) => moved)).toEqual(truth.map(({ moved }) => moved));
      const [bought = 0n, sold = 0n, more = 0n] = all.map(({ moved }) => moved);
      expect(bought - sold + more).toBe((await held(token)) - before);
      expect(all.map(({ received }) => received)).not.toEqual(truth.map(({ received }) => received));
    },
  );
});
