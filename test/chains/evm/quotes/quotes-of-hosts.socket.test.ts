import { Interface } from "ethers/abi";
import { deployer, localAddresses } from "trading-terminal-devnet/evm/deployment";
import { type SecondHost, startSecondHost } from "trading-terminal-devnet/evm/second-host";
import { alice, startTestChain, type TestChain } from "trading-terminal-devnet/evm/test-chain";
import { approval, type V3Fee, v3Liquidity } from "trading-terminal-devnet/evm/uniswap";
import { type UnkindnessName, unkindnesses } from "trading-terminal-devnet/evm/unkindnesses";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { EvmPrices } from "../../../../lib/chains/evm/quotes/prices.ts";
import { beginEvmQuotes, quotesOfEvmHosts } from "../../../../lib/chains/evm/quotes/quotes-of-hosts.ts";
import { jointEvmQuote } from "../../../../lib/chains/evm/rules/joint-facts.ts";
import type { EvmQuoteQuestion, EvmTradeFacts } from "../../../../lib/chains/evm/rules/trade-facts.ts";
import { DomainError } from "../../../../lib/core/domain-error.ts";
import type { LegQuestion } from "../../../../lib/orders/resting/firing.ts";
import type { PriceWords } from "../../../../lib/orders/resting/touch.ts";
import { readerOf } from "../../../support/chain-reader.ts";
import { deployOddToken } from "../../../support/odd-tokens.ts";

const { moon, taxd, usdx, wrapped, v2Router } = localAddresses;

let chain: TestChain;
let others: [SecondHost, SecondHost];

beforeAll(async () => {
  chain = await startTestChain();
  const start = () => startSecondHost({ chainUrl: chain.url });
  others = [await start(), await start()];
});
afterAll(async () => {
  for (const host of others) await host.close();
  await chain.close();
});
beforeEach(() => {
  for (const host of others) host.lie = (_, reply) => reply;
  for (const host of others) host.faults = {};
});

const question = (changes: Partial<EvmQuoteQuestion["trade"]> = {}): EvmQuoteQuestion => ({
  chain: "eth",
  wallet: alice.address,
  trade: { side: "buy", token: moon, amount: "0.5", ...changes },
  gasPreset: "medium",
  orders: [],
});

/** Makes a clock that expires after this many rounds. */
const rounds = (count: number) => {
  let reads = 0;
  return () => 700 * (reads++ >= count ? 10 : 0);
};

const ask = (hosts: readonly string[], asked = question(), count = 1) =>
  quotesOfEvmHosts(readerOf(chain, { hosts }), asked, rounds(count));

const fair = { amountOut: 4_960_273_038_901_078_125_544n };

/** Halves what a host's pools pay. */
const lieAbout = (host: SecondHost) => {
  host.lie = ({ method }, reply) => {
    if (method !== "eth_simulateV1" || !("result" in reply)) return reply;
    const text = JSON.stringify(reply.result).replaceAll(
      fair.amountOut.toString(16),
      (fair.amountOut / 2n).toString(16),
    );
    return { ...reply, result: JSON.parse(text) };
  };
};

describe("quotesOfHosts", () => {
  it("queries two hosts until they agree", async () => {
    expect(await ask([chain.url, others[0].url])).toMatchObject([fair, fair]);
  });

  it("uses the answers to requests that have begun, instead of asking again", async () => {
    const methods: string[] = [];
    for (const host of others)
      host.lie = ({ method }, reply) => {
        methods.push(method);
        return reply;
      };
    const hosts = others.map(({ url }) => url);
    expect(await ask(hosts)).toMatchObject([fair, fair]);
    const whole = methods.splice(0).toSorted();
    const { finish } = beginEvmQuotes(readerOf(chain, { hosts }), question());
    await expect.poll(() => methods.filter((method) => method === "eth_feeHistory")).toHaveLength(2);
    expect(methods).not.toContain("eth_simulateV1");
    expect(await finish(question())).toMatchObject([fair, fair]);
    expect(methods.toSorted()).toEqual(whole);
  });

  it("asks once about remembered routes, also if it has begun before all of its terms were known", async () => {
    const both = readerOf(chain, { hosts: [others[0].url, chain.url] });
    const simulatedAt: unknown[] = [];
    others[0].lie = ({ method, params }, reply) => {
      if (method === "eth_simulateV1") simulatedAt.push(params[1]);
      return reply;
    };
    const first = await quotesOfEvmHosts(both, question());
    expect(new Set(simulatedAt)).not.toContain("latest");
    simulatedAt.length = 0;
    expect(await beginEvmQuotes(both, question()).finish(question())).toEqual(first);
    expect(new Set(simulatedAt)).toEqual(new Set(["latest"]));
  });

  it.each([
    ["amount", (text: string, out: string) => text.replaceAll(out, out.replace(/^./, "1"))],
    ["status", (text: string) => text.replaceAll('"status":"0x1"', '"status":"0x0"')],
    ["gas", (text: string) => text.replaceAll(/"gasUsed":"0x\w+"/g, '"gasUsed":"0x1"')],
  ])("ignores a lie of one host about the %s in an early simulation", async (_, lie) => {
    const both = readerOf(chain, { hosts: [chain.url, others[0].url] });
    const joint = async () => jointEvmQuote(...(await quotesOfEvmHosts(both, question())), "buy");
    const honest = await joint();
    let lies = 0;
    others[0].lie = ({ method, params }, reply) => {
      if (method !== "eth_simulateV1" || params[1] !== "latest" || !("result" in reply)) return reply;
      lies++;
      return { result: JSON.parse(lie(JSON.stringify(reply.result), fair.amountOut.toString(16))) };
    };
    expect(await joint()).toEqual(honest);
    expect(lies).toBeGreaterThan(0);
  });

  it("ranks all routes, and also quotes four times the amount", async () => {
    for (const side of ["buy", "sell"] as const) {
      const [quote] = await ask([chain.url], question({ side, amount: side === "buy" ? "0.5" : "100" }));
      const { routes, amountOut } = quote as EvmTradeFacts;
      const v3 = { venue: "uniswap-v3", feeBps: 30 };
      const overUSDX = { ...v3, bridge: { venue: "uniswap-v3", feeBps: 5 } };
      // Assumes equal gas for all sales, because the wallet has nothing to sell.
      const others = side === "buy" ? [overUSDX, v3] : [v3, overUSDX];
      expect(routes).toMatchObject([{ venue: "uniswap-v2", amountOut }, ...others]);
      for (const route of routes) {
        expect(route.deepOut).toBeGreaterThan(3n * route.amountOut);
        expect(route.deepOut).toBeLessThan(4n * route.amountOut);
      }
    }
  });

  it("finds the deep pool for a sale even if narrow pools offer better prices for buys", async () => {
    const token = await deployOddToken(chain, "has nothing odd");
    const pool = (coins: bigint, perCoin: bigint, fee: V3Fee, reach: number) =>
      v3Liquidity(localAddresses, deployer, {
        token,
        fee,
        reach,
        coins: coins * 10n ** 18n,
        tokens: coins * perCoin * 10n ** 18n,
      });
    await chain.deploy(
      approval(token, localAddresses.v3Positions),
      pool(3n, 10_500n, 100, 1.1),
      pool(3n, 10_400n, 500, 1.1),
      pool(1n, 9500n, 3000, 1.05),
      pool(500n, 10_000n, 10_000, 2),
    );
    const [quote] = await ask([chain.url], question({ side: "sell", token, amount: "5000" }));
    const { routes } = quote as EvmTradeFacts;
    const onV3 = routes.filter(({ venue }) => venue === "uniswap-v3");
    expect(onV3.map(({ feeBps }) => feeBps).toSorted((a, b) => a - b)).toEqual([1, 5, 30, 100]);
  });

  it("accepts the answers of a single host", async () => {
    expect(await ask([chain.url])).toMatchObject([fair, fair]);
  });

  it("queries both hosts at the older block if one lags behind", async () => {
    await chain.mine();
    others[0].faults = { blocksBehind: 1 };
    const [a, b] = await ask([chain.url, others[0].url]);
    expect([a, b]).toMatchObject([fair, { ...fair, block: (a as { block: object }).block }]);
  });

  it("ignores a host that lags far behind", async () => {
    await chain.request("anvil_mine", ["0x14", "0x1"]);
    others[0].faults = { blocksBehind: 19 };
    const [a, b] = (await ask([chain.url, others[0].url])) as readonly { block: { number: number } }[];
    expect(a?.block.number).not.toBe(b?.block.number);
  });

  it("returns both quotes if the hosts disagree", async () => {
    lieAbout(others[0]);
    const [a, b] = await ask([chain.url, others[0].url]);
    expect(a).toMatchObject(fair);
    expect(b).not.toMatchObject(fair);
  });

  it("agrees on a taxed token with a host that cannot simulate", async () => {
    others[0].lie = ({ method }, reply) =>
      method === "eth_simulateV1"
        ? { error: { code: -32600, message: `Unsupported method: ${method}` } }
        : reply;
    const taxed = question({ token: localAddresses.taxd });
    const [both] = await ask([chain.url, others[1].url], taxed);
    const [a, b] = await ask([chain.url, others[0].url], taxed);
    expect(jointEvmQuote(a, b, "buy")).toMatchObject({ amountOut: (both as EvmTradeFacts).amountOut });
    expect((b as EvmTradeFacts).amountOut).toBeGreaterThan((both as EvmTradeFacts).amountOut);
  });

  it("learns from a host that cannot simulate how much of an unlisted token arrives", async () => {
    others[0].faults = unkindnesses["simulation unsupported"];
    const provenOf = async (token: string, tokens: typeof chain.contracts.tokens) => {
      const reader = readerOf(
        { ...chain, contracts: { ...chain.contracts, tokens } },
        { hosts: [others[0].url] },
      );
      const [quote] = await quotesOfEvmHosts(reader, question({ token }), rounds(1));
      const [{ quoted, provenOut }] = (quote as EvmTradeFacts).routes;
      return provenOut && Math.round(Number((provenOut * 10_000n) / quoted) / 100);
    };
    expect(await provenOf(moon, chain.contracts.tokens)).toBeUndefined();
    expect(await provenOf(moon, [])).toBe(100);
    expect(await provenOf(localAddresses.taxd, [])).toBe(95);
  });

  it.each<UnkindnessName>([
    "batches of 10",
    "batches of 3",
    "simulation unknown",
    "simulation unsupported",
    "simulation not whitelisted",
    "simulation short of gas",
    "calls of 5 million gas",
    "short fee history",
    "pruned states",
    "header not found",
  ])("agrees on a buy and a sale with a host that has this limit: %s", async (name) => {
    others[0].faults = unkindnesses[name];
    for (const asked of [question({ token: usdx }), question({ side: "sell", amount: "100" })]) {
      const [a, b] = await ask([chain.url, others[0].url], asked, 3);
      expect(jointEvmQuote(a, b, asked.trade.side)).toMatchObject({ amountOut: expect.any(BigInt) });
    }
  });

  it("finds two of three hosts that agree", async () => {
    lieAbout(others[0]);
    expect(await ask([others[0].url, chain.url, others[1].url], question(), 3)).toMatchObject([fair, fair]);
  });

  it("finds two of three hosts if one cannot be reached", async () => {
    expect(await ask(["http://127.0.0.1:1", chain.url, others[1].url], question(), 3)).toMatchObject([
      fair,
      fair,
    ]);
  });

  it("queries a recently failed host only if the others disagree", async () => {
    const reader = readerOf(chain, { hosts: ["http://127.0.0.1:1", chain.url, others[1].url] });
    await quotesOfEvmHosts(reader, question(), rounds(3));
    expect(await quotesOfEvmHosts(reader, question(), rounds(1))).toMatchObject([fair, fair]);
  });

  it("returns no quote for a host that cannot be reached", async () => {
    expect(await ask([chain.url, "http://127.0.0.1:1"])).toMatchObject([fair, undefined]);
  });

  it("returns both hosts' reasons for refusing a quote", async () => {
    const quotes = await ask([chain.url, others[0].url], question({ token: wrapped }));
    for (const quote of quotes) expect(quote).toMatchObject({ code: "NO_ROUTE" });
    expect(quotes[0]).toBeInstanceOf(DomainError);
  });
});

describe("EvmPrices", () => {
  const coin = 10n ** 18n;
  const abi = new Interface(["function swapExactETHForTokens(uint256, address[], address, uint256) payable"]);
  const trade = { side: "buy", token: moon, amount: coin / 2n } as const;
  const pricesOf = (...hosts: string[]) => new EvmPrices(readerOf(chain, { hosts }));
  const wordsOf = async (hosts: string[], distances: number[] = [], asked: Partial<LegQuestion> = {}) => {
    const [words] = await pricesOf(...hosts).priceWords([{ ...trade, ...asked, distances }]);
    return words as PriceWords;
  };
  const unreachable = "http://127.0.0.1:1";

  it("says what an amount brings now and brought earlier", async () => {
    await chain.mine(3);
    const data = abi.encodeFunctionData("swapExactETHForTokens", [0, [wrapped, moon], deployer, 2n ** 40n]);
    await chain.keep();
    await chain.deploy({ to: v2Router, value: 5n * coin, data });
    await chain.mine();
    const words = await wordsOf([chain.url, others[0].url], [1, 2, 4]);
    await chain.restore();
    const [a, b] = words;
    expect(a).toEqual(b);
    expect(a?.out).toBeLessThan(fair.amountOut);
    expect(a?.before).toEqual(
      new Map([
        [1, a?.out],
        [2, fair.amountOut],
        [4, fair.amountOut],
      ]),
    );
  });

  it("counts a token's taxes", async () => {
    for (const asked of [{ side: "buy" }, { side: "sell", amount: 100n * coin }] as const) {
      const [a, b] = await wordsOf([chain.url, others[0].url], [1], { ...asked, token: taxd });
      const amount = asked.side === "buy" ? "0.5" : "100";
      const [quote] = await ask([chain.url], question({ side: asked.side, token: taxd, amount }));
      const { amountOut } = quote as EvmTradeFacts;
      expect(a).toEqual(b);
      expect(Number(a?.out)).toBeCloseTo(Number(amountOut), -13);
      expect(a?.before.get(1)).toBe(a?.out);
    }
  });

  it("quotes sums by each route", async () => {
    const prices = pricesOf(chain.url, others[0].url);
    const sums = [coin / 2n, coin, 10n * coin];
    const [a, b] = await prices.quoteSums({ ...trade, sums });
    expect(a).toEqual(b);
    expect(a?.length).toBeGreaterThan(3);
    for (const [index, amount] of sums.entries()) {
      const best = (a ?? []).map((outs) => outs[index] as bigint).toSorted((x, y) => (x < y ? 1 : -1))[0];
      expect(await prices.priceWords([{ ...trade, amount, distances: [] }])).toMatchObject([
        [{ out: best }, {}],
      ]);
    }
  });

  it("uses the answers of two hosts out of three if one is silent", async () => {
    expect(await wordsOf([unreachable, chain.url, others[0].url])).toMatchObject([
      { out: fair.amountOut },
      { out: fair.amountOut },
    ]);
  });

  it("has at most one answer if only one host answers", async () => {
    const words = await wordsOf([chain.url, unreachable]);
    expect(words.filter((word) => word !== undefined)).toEqual([]);
  });

  it("reports the lie of a host only as that host's own answer", async () => {
    others[0].lie = ({ method }, reply) => {
      if (method !== "eth_call" || !("result" in reply)) return reply;
      const told = fair.amountOut.toString(16);
      return { result: `${reply.result}`.replaceAll(told, "1".padStart(told.length, "0")) };
    };
    const [a, b] = await wordsOf([chain.url, others[0].url]);
    expect(a).toMatchObject({ out: fair.amountOut });
    expect(b?.out).not.toBe(fair.amountOut);
  });

  it("asks both hosts at the older block if one is behind, and neither if it is far behind", async () => {
    await chain.mine();
    others[0].faults = { blocksBehind: 1 };
    const [a, b] = await wordsOf([chain.url, others[0].url]);
    expect(a).toEqual(b);
    expect(a).toMatchObject({ out: fair.amountOut });
    await chain.request("anvil_mine", ["0x14", "0x1"]);
    others[0].faults = { blocksBehind: 19 };
    expect(await wordsOf([chain.url, others[0].url])).toEqual([undefined, undefined]);
  });
});
