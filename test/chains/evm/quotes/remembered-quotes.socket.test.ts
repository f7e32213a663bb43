import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { type SecondHost, startSecondHost } from "trading-terminal-devnet/evm/second-host";
import { alice, startTestChain, type TestChain } from "trading-terminal-devnet/evm/test-chain";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { quoteMemory } from "../../../../lib/chains/evm/calls/quote-memory.ts";
import { quoteEvmTrade } from "../../../../lib/chains/evm/quote.ts";
import { quotesOfEvmHosts } from "../../../../lib/chains/evm/quotes/quotes-of-hosts.ts";
import { jointEvmQuote } from "../../../../lib/chains/evm/rules/joint-facts.ts";
import type { EvmReader } from "../../../../lib/chains/evm/venues/reader.ts";
import type { QuoteRequest } from "../../../../lib/orders/trade-request.ts";
import { readerOf } from "../../../support/chain-reader.ts";
import { buyOn, quotedAt, traderOf } from "../../../support/quotes.ts";

const { moon, taxd } = localAddresses;
const wallet = alice.address;
const stranger = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

let chain: TestChain;
let hosts: [SecondHost, SecondHost];
/** Calls to both hosts since the last reset. */
let asked: string[] = [];

beforeAll(async () => {
  chain = await startTestChain();
  const start = () => startSecondHost({ chainUrl: chain.url });
  hosts = [await start(), await start()];
});
afterAll(async () => {
  for (const host of hosts) await host.close();
  await chain.close();
});
beforeEach(async () => {
  await chain.restore();
  for (const host of hosts)
    host.lie = (question, reply) => {
      asked.push(question.method);
      return reply;
    };
});

/** Opens the chain as a container of quoteOrder does, with a clock that moves each time it is read. */
function opened(): EvmReader {
  const reader = readerOf(chain, { hosts: hosts.map(({ url }) => url) });
  let nowMs = 0;
  return {
    ...reader,
    memory: quoteMemory("eth", reader.client, () => {
      nowMs += 100;
      return nowMs;
    }),
  };
}

type Asked = Pick<QuoteRequest, "token"> & Partial<QuoteRequest>;

async function quoteBy(reader: EvmReader, changes: Asked, user = {}) {
  asked = [];
  const request = { chain: "eth", side: "buy", wallet, ...changes } as const;
  return await quoteEvmTrade(reader, request, traderOf(user), quotedAt);
}

/** Quotes without a memory. */
const freshQuote = (changes: Asked, user = {}) => quoteBy(readerOf(chain), changes, user);

/** Quotes until the answers are remembered. */
async function warmed(changes: Asked): Promise<EvmReader> {
  const reader = opened();
  for (let time = 0; time < 7; time++) await quoteBy(reader, changes);
  return reader;
}

const count = (method: string) => asked.filter((each) => each === method).length;

const cases: Record<string, Asked> = {
  "a buy": { token: moon, amount: "0.5" },
  "a sale": { token: moon, side: "sell", amount: "100" },
  "a share of the balance": { token: moon, side: "sell", percent: 50 },
  "a token with a tax that is not listed": { token: taxd, amount: "0.5" },
  "a quote without a wallet": { token: moon, amount: "0.5", wallet: undefined },
};

describe("a remembered quote", () => {
  it.each(Object.entries(cases))("equals a fresh one at the same block: %s", async (_, changes) => {
    await buyOn(chain, moon);
    const fresh = await freshQuote(changes);
    const reader = await warmed(changes);
    expect(await quoteBy(reader, changes)).toEqual(fresh);
    const remembered = asked.length;
    await quoteBy(opened(), changes);
    expect(remembered).toBeLessThan(asked.length);
  });

  it("asks for the wallet and the fees, but not for the token and its pools", async () => {
    const reader = await warmed({ token: moon, amount: "0.5" });
    await quoteBy(reader, { token: moon, amount: "0.5" });
    // The wallet's balance and allowances.
    expect(count("eth_call")).toBe(1);
    expect(count("eth_getBalance")).toBe(1);
    expect(count("eth_feeHistory")).toBe(1);
    // The wallet's own swaps.
    expect(count("eth_simulateV1")).toBe(3);
    expect(count("eth_getBlockByNumber")).toBe(1);
  });

  it("follows the pools into the next block", async () => {
    const changes = { token: moon, amount: "0.5" };
    const reader = await warmed(changes);
    const before = await quoteBy(reader, changes);
    await buyOn(chain, moon);
    const after = await quoteBy(reader, changes);
    expect(Number(after.amountOut)).toBeLessThan(Number(before.amountOut));
    expect(after).toEqual(await freshQuote(changes));
  });

  it("belongs to one amount and one side", async () => {
    await buyOn(chain, moon);
    const reader = await warmed({ token: moon, amount: "0.5" });
    for (const changes of [
      { token: moon, amount: "0.6" },
      { token: moon, side: "sell", amount: "0.5" },
    ] as const)
      expect(await quoteBy(reader, changes)).toEqual(await freshQuote(changes));
  });

  it("shows each wallet its own balance", async () => {
    const changes = { token: moon, amount: "0.5" };
    const reader = await warmed(changes);
    await chain.request("anvil_setBalance", [stranger, "0x1"]);
    const poor = await quoteBy(reader, { ...changes, wallet: stranger });
    expect(poor.balances?.[0]?.available).toBe("0.000000000000000001");
    expect(poor.wouldBeRefused?.code).toBe("INSUFFICIENT_BALANCE");
    // Changes a balance within the block, as no real chain does, to show that it is never remembered.
    await chain.request("anvil_setBalance", [wallet, "0x8ac7230489e80000"]);
    expect((await quoteBy(reader, changes)).balances?.[0]?.available).toBe("10");
  });

  it("follows the settings of each user", async () => {
    const changes = { token: moon, amount: "0.5" };
    const reader = await warmed(changes);
    const settings = { slippage: 3, gasPreset: "turbo", maxGasPrice: 50, mevProtection: false } as const;
    const quick = await quoteBy(reader, changes, { settings });
    expect(quick).toEqual(await freshQuote(changes, { settings }));
    const usual = await quoteBy(reader, changes);
    expect(quick.minAmountOut).not.toBe(usual.minAmountOut);
    expect(quick.networkFee.max).not.toBe(usual.networkFee.max);
    expect(usual.wouldBeRefused).toBeUndefined();
    const stopped = await quoteBy(reader, changes, { isStopped: true });
    expect(stopped.wouldBeRefused?.code).toBe("TRADING_DISABLED");
  });

  it("is never the word of a host that lies about pools", async () => {
    const changes = { token: moon, amount: "0.5" };
    const { amountOut } = await freshQuote(changes);
    const half = String(BigInt(amountOut.replace(".", "")) / 2n).replace(/(?=.{18}$)/, ".");
    const [liar] = hosts;
    const honest = liar.lie;
    const hex = (amount: string) => BigInt(amount.replace(".", "")).toString(16).padStart(20, "0");
    liar.lie = (question, reply) =>
      JSON.parse(JSON.stringify(honest(question, reply)).replaceAll(hex(amountOut), hex(half)));
    const reader = opened();
    const shown = [];
    for (let time = 0; time < 9; time++) shown.push((await quoteBy(reader, changes)).amountOut);
    // A single host answers a quote, so its lie is shown, but not to everybody.
    expect(new Set(shown).size).toBe(2);
    expect(shown).toContain(amountOut);
    liar.lie = honest;
    expect((await quoteBy(reader, changes)).amountOut).toBe(amountOut);
  });

  it("is never used for an order", async () => {
    const reader = await warmed({ token: moon, amount: "0.5" });
    const memory = { atNamedBlock: () => Promise.reject(new Error("An order used the memory")) };
    asked = [];
    const trade = { side: "buy", token: moon, amount: "0.5" } as const;
    const question = { chain: "eth", wallet, trade, gasPreset: "medium", orders: [] } as const;
    const [one, other] = await quotesOfEvmHosts({ ...reader, memory }, question);
    expect(jointEvmQuote(one, other, "buy")).toBeDefined();
    // Both hosts have read the token and its pools.
    expect(count("eth_call")).toBeGreaterThan(6);
  });

  it("is replaced by a newer one if no host has its block any more", async () => {
    const changes = { token: moon, amount: "0.5" };
    const reader = await warmed(changes);
    const { block } = await quoteBy(reader, changes);
    const { memory } = reader;
    const named = await memory?.atNamedBlock(moon);
    for (const host of hosts) {
      const honest = host.lie;
      host.lie = (question, reply) =>
        question.params.includes(`0x${block.toString(16)}`)
          ? { error: { code: -32000, message: "missing trie node" } }
          : honest(question, reply);
    }
    await chain.request("evm_mine");
    const frozen = { ...reader, memory: { atNamedBlock: async () => named } };
    expect((await quoteBy(frozen, { ...changes, amount: "0.7" })).block).toBe(block + 1);
  });
});
