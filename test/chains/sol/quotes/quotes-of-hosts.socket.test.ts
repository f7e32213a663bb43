import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Address } from "@solana/web3.js";
import { ChainRefusal } from "trading-terminal-devnet/chain-refusal";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { pricesOn } from "../../../../lib/chains/families/prices.ts";
import { tokenLooksOn } from "../../../../lib/chains/families/token-looks.ts";
import { solEffects } from "../../../../lib/chains/sol/look.ts";
import { beginSolQuotes, quotesOfSolHosts } from "../../../../lib/chains/sol/quotes/quotes-of-hosts.ts";
import { jointSolQuote } from "../../../../lib/chains/sol/rules/joint-facts.ts";
import type { SolHostQuote, SolQuoteQuestion } from "../../../../lib/chains/sol/rules/trade-facts.ts";
import type { PriceWords } from "../../../../lib/orders/resting/touch.ts";
import { startCountingHost } from "../../../bench/counting-host.ts";
import {
  naming,
  olderBlockhash,
  scaling,
  seeing,
  solDeskForTests,
  solReaderOf,
  startTestSolHost,
  type TestSolHost,
} from "../../../support/sol-reader.ts";
import { intentOf } from "../fixtures.ts";

const { chain, hosts } = solDeskForTests();
let third: TestSolHost;
let wallet: Address;
beforeAll(async () => {
  third = await startTestSolHost(chain);
  wallet = (await chain.newWallet(10n ** 10n)).address;
});
afterAll(() => third.close());

const slippage = 1;
const fair = 9_955_139_496n;

/** Makes a clock that expires after this many rounds. */
const rounds = (count: number) => {
  let reads = 0;
  return () => 700 * (reads++ >= count ? 10 : 0);
};

async function ask(
  asked: readonly TestSolHost[],
  changes: Partial<SolQuoteQuestion["trade"]> = {},
  count = 1,
) {
  const token = chain.deployment.tokens.MOON.mint;
  const trade = { side: "buy", token, amount: "1", ...changes } as const;
  const reader = await solReaderOf(chain, asked);
  const question = { trade, wallet, orders: [] };
  const quotes = await quotesOfSolHosts(reader, question, slippage, rounds(count));
  return { quotes, joint: jointSolQuote(...quotes, slippage) };
}

const codesOf = (quotes: readonly SolHostQuote[]) =>
  quotes.map((quote) => (quote instanceof Error ? quote.code : quote && "quoted"));

/** Scales what the pool pays, in thousandths. */
const paying = (thousandths: bigint) => scaling(chain.deployment.tokens.MOON.vaults.token, thousandths);

const behind = (slots: number) =>
  seeing((answer) => {
    answer.context.slot -= slots;
  });

describe("quotesOfSolHosts", () => {
  it("uses the answers to requests that have begun, instead of asking again", async () => {
    const methods: string[] = [];
    // Hosts ask each other about a blockhash only if their newest ones differ.
    const ofExchange = ["isBlockhashValid", "getEpochInfo"];
    for (const host of hosts)
      host.lie = (method, result) => {
        if (!ofExchange.includes(method)) methods.push(method);
        return result;
      };
    expect((await ask(hosts)).joint).toMatchObject({ amountOut: fair });
    const whole = methods.splice(0).toSorted();
    const trade = { side: "buy", token: chain.deployment.tokens.MOON.mint, amount: "1" } as const;
    const { finish } = beginSolQuotes(await solReaderOf(chain, hosts), { wallet, trade });
    await expect.poll(() => methods.filter((method) => method === "getMultipleAccounts")).toHaveLength(2);
    expect(methods).not.toContain("getFeeForMessage");
    const quotes = await finish({ chain: "sol", wallet, trade, slippage, orders: [] });
    expect(jointSolQuote(...quotes, slippage)).toMatchObject({ amountOut: fair });
    expect(methods.toSorted()).toEqual(whole);
  });

  it("returns the quotes of two hosts that agree", async () => {
    const { quotes, joint } = await ask(hosts);
    expect(codesOf(quotes)).toEqual(["quoted", "quoted"]);
    expect(joint).toMatchObject({ amountOut: fair, held: { coins: 10n ** 10n, tokens: 0n } });
  });

  it("accepts the answers of a single host", async () => {
    const { quotes } = await ask(hosts.slice(0, 1));
    expect(quotes[0]).toBe(quotes[1]);
  });

  it("uses the higher output if the hosts differ by only a part of the slippage", async () => {
    hosts[1].lie = paying(998n);
    expect((await ask(hosts)).joint).toMatchObject({ amountOut: fair });
    hosts[1].lie = paying(1002n);
    const { joint } = await ask(hosts);
    expect(joint).toMatchObject({ amountOut: expect.toSatisfy((out: bigint) => out > fair) });
  });

  it.each<[string, () => TestSolHost["lie"]]>([
    ["pays much less", () => paying(990n)],
    ["pays twice as much", () => paying(2000n)],
    ["is 21 slots and more behind", () => behind(60)],
    [
      "shows another mint",
      () =>
        seeing(({ value }, addresses) => {
          const account = value[addresses.indexOf(chain.deployment.tokens.MOON.mint)];
          if (!account) return;
          const data = Buffer.from(account.data[0], "base64");
          data.writeUInt8(7, 44);
          account.data[0] = data.toString("base64");
        }),
    ],
    [
      "shows another balance",
      () =>
        seeing(({ value }, addresses) => {
          const account = value[addresses.indexOf(wallet)];
          if (account) account.lamports += 1;
        }),
    ],
    [
      "shows no accounts",
      () =>
        seeing((answer) => {
          answer.value = answer.value.map(() => null);
        }),
    ],
    [
      "shows no pool",
      () =>
        seeing(({ value }, addresses) => {
          value[addresses.indexOf(chain.deployment.tokens.MOON.pool)] = null;
        }),
    ],
    ["answers null", () => () => null],
    [
      "is of another cluster",
      () => (method, result) =>
        method === "getGenesisHash" ? "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d" : result,
    ],
  ])("finds no agreement with a host that %s, and queries a third host", async (_, lie) => {
    hosts[1].lie = lie();
    expect((await ask(hosts)).joint).toBeUndefined();
    const { joint, quotes } = await ask([...hosts, third], {}, 3);
    expect(joint).toMatchObject({ amountOut: fair });
    expect(codesOf(quotes)).toEqual(["quoted", "quoted"]);
  });

  it("tolerates a host that lags a few slots behind", async () => {
    hosts[1].lie = behind(2);
    expect((await ask(hosts)).joint).toMatchObject({ amountOut: fair });
  });

  it("queries again until the hosts agree", async () => {
    let looks = 0;
    const lie = paying(900n);
    hosts[1].lie = (method, result, params) =>
      method === "getMultipleAccounts" && looks++ === 0 ? lie(method, result, params) : result;
    expect((await ask(hosts, {}, 3)).joint).toMatchObject({ amountOut: fair });
  });

  it("agrees on a refusal that two hosts share", async () => {
    const { quotes, joint } = await ask(hosts, { token: wallet });
    expect(codesOf(quotes)).toEqual(["TOKEN_NOT_FOUND", "TOKEN_NOT_FOUND"]);
    expect(joint).toMatchObject({ code: "TOKEN_NOT_FOUND" });
  });
});

describe("facts for the first message of an order", () => {
  const factsIn = (quotes: readonly SolHostQuote[]) =>
    quotes.map((quote) => (quote instanceof Error ? undefined : quote?.forPlanning));

  it("are each host's own, as a run would get them, with a blockhash that both know", async () => {
    const { mint: token, program: tokenProgram, pool, config } = chain.deployment.tokens.MOON;
    const routes = [{ venue: "raydium-cpmm", pool, config }] as const;
    const intent = intentOf({ wallet, token, tokenProgram, amount: 10n ** 9n, routes });
    const reader = await solReaderOf(chain, hosts);
    const question = { chain: "sol", wallet, hashes: [], marked: [], wantsBlockhash: true } as const;
    const snapshots = await Promise.all(solEffects(reader).snapshots({ ...question, orders: [intent] }));
    const facts = factsIn((await ask(hosts)).quotes);
    for (const [index, each] of facts.entries()) {
      expect(each?.order).toEqual(snapshots[index]?.orders.get(intent.orderId));
      expect(each?.coins).toBe(snapshots[index]?.coins);
      expect(each?.slot).toBeGreaterThan(0);
      expect(each?.blockhash.hash).toBe(facts[0]?.blockhash.hash);
    }
  });

  it("count a blockhash's life from each host's own height", async () => {
    const old = await olderBlockhash(chain, hosts[0]);
    hosts[0].lie = naming({ ...old, lastValidBlockHeight: 1 });
    const [a, b] = factsIn((await ask(hosts)).quotes);
    expect(a?.blockhash).toEqual({ hash: old.hash, lastValidBlockHeight: 1 });
    expect(b?.blockhash.hash).toBe(old.hash);
    expect(b?.blockhash.lastValidBlockHeight).toBeGreaterThanOrEqual(old.lastValidBlockHeight);
  });

  const failing: TestSolHost["lie"] = (method, result) =>
    method === "simulateTransaction"
      ? { context: { slot: 10 ** 9 }, value: { err: "AccountNotFound", unitsConsumed: 0 } }
      : result;
  const ignorant: TestSolHost["lie"] = (method, result) =>
    method === "isBlockhashValid" ? { context: { slot: 1 }, value: false } : result;

  it.each<[string, TestSolHost["lie"]]>([
    ["does not know the other's blockhash", ignorant],
    ["could not try the trade", failing],
    ["fails", () => null],
  ])("are not complete if a host %s", async (_, lie) => {
    hosts[0].lie = naming(await olderBlockhash(chain, hosts[0]));
    hosts[1].lie = lie;
    expect(factsIn((await ask(hosts)).quotes)[1]).toBeUndefined();
  });

  it.each(["isBlockhashValid", "getEpochInfo"])(
    "are all that a quote lacks if a host refuses %s",
    async (refused) => {
      hosts[0].lie = naming(await olderBlockhash(chain, hosts[0]));
      hosts[1].lie = (method, result) => {
        if (method === refused) throw new ChainRefusal(method, { code: -32601, message: "Method not found" });
        return result;
      };
      const { quotes, joint } = await ask(hosts);
      expect(joint).toMatchObject({ amountOut: fair });
      expect(factsIn(quotes)[1]).toBeUndefined();
    },
  );

  it("are missing if the wallet could not try the trade", async () => {
    const rich = wallet;
    wallet = (await chain.newWallet(10n ** 9n)).address;
    const { quotes } = await ask(hosts);
    wallet = rich;
    expect(factsIn(quotes)).toEqual([undefined, undefined]);
  });

  it("delay no host for one that hangs", async () => {
    const hanging = createServer(() => undefined);
    await new Promise<void>((resolve) => hanging.listen(0, "127.0.0.1", resolve));
    const front = await startCountingHost(hosts[0].url);
    onTestFinished(() => {
      front.stop();
      hanging.closeAllConnections();
      hanging.close();
    });
    const url = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}`;
    const asked = ask([
      { ...hosts[0], url: front.url },
      { ...hosts[1], url },
    ]);
    // The hanging host has two seconds to answer.
    await vi.waitFor(() => expect(JSON.stringify(front.requests)).toContain("simulateTransaction"), {
      timeout: 1500,
    });
    expect(codesOf((await asked).quotes)).toEqual(["quoted", undefined]);
  });
});

describe("pricesOn", () => {
  const trade = { side: "buy", amount: 10n ** 9n, distances: [] } as const;
  const wordsOf = async (asked: readonly TestSolHost[]) => {
    const token = chain.deployment.tokens.MOON.mint;
    const [words] = await pricesOn(await solReaderOf(chain, asked)).priceWords([{ ...trade, token }]);
    return words as PriceWords;
  };
  const told = { out: fair, hasBest: true, head: { number: expect.any(Number), time: expect.any(Number) } };

  it("says what an amount brings by each host's accounts", async () => {
    expect(await wordsOf(hosts)).toMatchObject([told, told]);
    hosts[1].lie = paying(900n);
    const [a, b] = await wordsOf(hosts);
    expect(a).toMatchObject(told);
    expect(b?.out).toBeLessThan(fair);
  });

  it("quotes sums by each pool", async () => {
    const prices = pricesOn(await solReaderOf(chain, hosts));
    const token = chain.deployment.tokens.MOON.mint;
    const [a, b] = await prices.quoteSums({ side: "buy", token, sums: [0n, 10n ** 9n, 2n * 10n ** 9n] });
    expect(a).toEqual(b);
    expect(a).toEqual([[0n, fair, expect.toSatisfy((out: bigint) => fair < out && out < 2n * fair)]]);
  });

  it.each([
    ["is far behind", () => behind(60)],
    [
      "shows no mint",
      () =>
        seeing((answer) => {
          answer.value = answer.value.map(() => null);
        }),
    ],
  ])("has one answer if a host %s, and two if a third host answers", async (_, lie) => {
    hosts[1].lie = lie();
    expect((await wordsOf(hosts))[1]).toBeUndefined();
    expect(await wordsOf([...hosts, third])).toMatchObject([told, told]);
  });
});

describe("tokenLooksOn", () => {
  it("shows the levels of a token's pools at the host whose turn it is, and computes what amounts bring", async () => {
    const looks = tokenLooksOn(await solReaderOf(chain, hosts));
    const token = chain.deployment.tokens.MOON.mint;
    hosts[1].lie = paying(900n);
    const look = async (host: number) => {
      const levels = (await looks.levels([token, wallet], host)).get(token) ?? [];
      return { levels, outs: await looks.outs({ side: "buy", token, amounts: [10n ** 9n] }, host) };
    };
    const [first, second, again] = [await look(0), await look(1), await look(2)];
    expect(first.outs).toEqual([fair]);
    expect(again).toEqual(first);
    expect(second.outs[0]).toBeLessThan(fair);
    const change = Math.max(
      ...first.levels.map((level, index) => Math.abs(level - (second.levels[index] ?? 0))),
    );
    expect(change).toBeCloseTo(2 * Math.abs(Math.log(0.9)), 4);
  });
});
