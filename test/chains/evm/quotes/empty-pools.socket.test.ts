import { Interface } from "ethers/abi";
import { deployer, localAddresses, localContracts } from "trading-terminal-devnet/evm/deployment";
import { type SecondHost, startSecondHost } from "trading-terminal-devnet/evm/second-host";
import { alice, startTestChain, type TestChain } from "trading-terminal-devnet/evm/test-chain";
import {
  approval,
  type DeployerTransaction,
  type V3Fee,
  v3Liquidity,
} from "trading-terminal-devnet/evm/uniswap";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { evmBalances } from "../../../../lib/chains/evm/balances.ts";
import { EvmTokenLooks } from "../../../../lib/chains/evm/looks/token-looks.ts";
import { EvmPrices } from "../../../../lib/chains/evm/quotes/prices.ts";
import { quotesOfEvmHosts } from "../../../../lib/chains/evm/quotes/quotes-of-hosts.ts";
import { newStranger, probeCoins } from "../../../../lib/chains/evm/venues/probe-simulation.ts";
import type { EvmReader } from "../../../../lib/chains/evm/venues/reader.ts";
import { DomainError } from "../../../../lib/core/domain-error.ts";
import { EvmPoolFinder } from "../../../../lib/markets/evm/pools.ts";
import type { LegQuestion } from "../../../../lib/orders/resting/firing.ts";
import { chainsOf } from "../../../support/chain-reader.ts";
import { deployOddToken } from "../../../support/odd-tokens.ts";

const { v3Factory, v3Positions, pancakeFactory, pancakePositions, wrapped } = localAddresses;

/** Fee tiers of empty pools, in basis points. With the smallest tick spacing, each quote burns all its gas. */
const emptyTiers = [1, 2, 3, 4, 6];

const abi = new Interface([
  "function enableFeeAmount(uint24, int24)",
  "function createAndInitializePoolIfNecessary(address, address, uint24, uint160) payable",
]);

/** Venues of eth with additional fee tiers. */
const venues = localContracts("eth").venues.map((row) =>
  "tiers" in row && row.venue !== "slipstream" ? { ...row, tiers: [...emptyTiers, ...row.tiers] } : row,
) as EvmReader["configuration"]["venues"];

let chain: TestChain;
let host: SecondHost;
let token: string;

beforeAll(async () => {
  chain = await startTestChain({ chain: "eth" });
  host = await startSecondHost({ chainUrl: chain.url });
  token = await deployOddToken(chain, "has nothing odd");
  // Makes the deepest pool the last one that the quoter calls.
  await chain.deploy(
    approval(token, v3Positions),
    approval(token, pancakePositions),
    pool(v3Positions, 2n, 3000),
    pool(pancakePositions, 300n, 10_000),
    ...[v3Factory, pancakeFactory].flatMap((factory) =>
      emptyTiers
        .filter((tier) => tier > 1)
        .map((tier) => ({ to: factory, data: abi.encodeFunctionData("enableFeeAmount", [100 * tier, 1]) })),
    ),
  );
  await chain.keep();
});
afterAll(() => Promise.all([chain.close(), host.close()]));
beforeEach(async () => {
  host.faults = {};
  host.lie = (_, reply) => reply;
  await chain.restore();
});

const pool = (positions: string, coins: bigint, fee: V3Fee, tokensPerCoin = 10_000n) =>
  v3Liquidity({ v3Positions: positions, wrapped }, deployer, {
    token,
    fee,
    reach: 4,
    coins: coins * 10n ** 18n,
    tokens: coins * 10n ** 18n * tokensPerCoin,
  });

/** Creates ten empty pools, as any stranger can. */
const strangersPools = (): DeployerTransaction[] =>
  [v3Positions, pancakePositions].flatMap((to) =>
    emptyTiers.map((tier) => ({
      to,
      data: abi.encodeFunctionData("createAndInitializePoolIfNecessary", [
        ...[token, wrapped].toSorted((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1)),
        ...[100 * tier, 2n ** 96n],
      ]),
    })),
  );

const reader = (): EvmReader => {
  const { contracts } = chain;
  const own = { ...chain, contracts: { ...contracts, venues } };
  return chainsOf(own, { hosts: [host.url] }).get("eth") as EvmReader;
};

const quote = async (side: "buy" | "sell") => {
  const trade = { side, token, amount: side === "buy" ? "3" : "20000" };
  const [facts] = await quotesOfEvmHosts(
    reader(),
    { chain: "eth", wallet: alice.address, trade, gasPreset: "medium", orders: [] },
    Date.now,
  );
  if (facts === undefined || facts instanceof DomainError) return facts;
  const { amountOut, routes, market, priceImpact } = facts;
  // Leaves out fees, which change with each block.
  return { amountOut, routes: routes.map(({ networkFee: _, ...route }) => route), market, priceImpact };
};

const pools = async () => (await new EvmPoolFinder(reader()).find(token))?.pools;

describe("finding pools of a token among empty ones", () => {
  it.each([
    ["17 million", {}],
    ["5 million", { mostGas: 5_000_000 }],
  ])(
    "keeps a token's prices and routes when a stranger adds ten empty pools and a call gets %s gas",
    async (_, faults) => {
      const look = async () => ({ buy: await quote("buy"), sell: await quote("sell"), pools: await pools() });
      const before = await look();
      const best = { venue: "pancakeswap-v3", feeBps: 100 };
      for (const quoted of [before.buy, before.sell])
        expect(quoted).toMatchObject({ routes: expect.arrayContaining([expect.objectContaining(best)]) });
      expect(before.pools?.[0]).toMatchObject(best);
      await chain.deploy(...strangersPools());
      host.faults = faults;
      expect(await look()).toEqual(before);
    },
  );

  it("asks for no more gas than a transaction may have, so that no host refuses", async () => {
    const asked: bigint[] = [];
    host.lie = ({ method, params = [] }, reply) => {
      const [first] = params as [{ gas?: string; blockStateCalls?: { calls: { gas?: string }[] }[] }];
      const calls =
        method === "eth_simulateV1" ? (first.blockStateCalls ?? []).flatMap((each) => each.calls) : [first];
      asked.push(...calls.flatMap((call) => (typeof call?.gas === "string" ? [BigInt(call.gas)] : [])));
      return reply;
    };
    await quote("buy");
    await quote("sell");
    await pools();
    const wallets = Array.from({ length: 200 }, newStranger);
    await evmBalances(
      reader(),
      wallets.map((wallet) => ({ wallet, others: [token] })),
    );
    expect(asked).toContain(16_777_216n);
    expect(asked.filter((gas) => gas > 16_777_216n)).toEqual([]);
  });

  it("finds none of a token's pools if a call gets too little gas for any of them", async () => {
    host.faults = { mostGas: 1_000_000 };
    await expect(pools()).rejects.toThrow("No host of eth answers");
    expect(await quote("buy")).toBeUndefined();
  });
});

describe("EvmPrices of a token with ten empty pools", () => {
  const minuteMs = 60_000;
  let nowMs: number;
  const amount = 20_000n * 10n ** 18n;
  const question = { side: "sell", amount, distances: [] as number[] } as const;
  /** Asks in a run of its own, and returns the words of the only host. */
  const wordsOf = async (from: EvmReader, ...asked: readonly Partial<Omit<LegQuestion, "token">>[]) => {
    const questions = asked.map((each) => ({ ...question, token, ...each }));
    return (await new EvmPrices(from, () => nowMs).priceWords(questions)).map(([word]) => word);
  };
  const wordOf = async (from = reader(), asked: Partial<Omit<LegQuestion, "token">> = {}) => {
    const [word] = await wordsOf(from, asked);
    return word && { out: word.out, hasBest: word.hasBest };
  };
  /** Matches PoolQuoter's path to a single pool: the number of the venue, and the fee. */
  const pathTo = (venue: "uniswap-v3" | "pancakeswap-v3", fee: V3Fee) => {
    const row = venues.findIndex((each) => each.venue === venue);
    return new RegExp(`0{9}${row}${fee.toString(16).padStart(6, "0")}0{48}`);
  };
  const path = pathTo("pancakeswap-v3", 10_000);

  /** Matches a question about the purchase of a stranger, whose only amount follows the number of amounts. */
  const ofStranger = new RegExp(`0{63}1${probeCoins.toString(16).padStart(64, "0")}`);

  beforeEach(() => {
    nowMs = Date.now();
  });

  it.each([
    ["17 million", {}],
    ["5 million", { mostGas: 5_000_000 }],
  ])("gives the same price with them when a call gets %s gas", async (_, faults) => {
    const before = await wordOf(reader());
    expect(before).toMatchObject({ hasBest: true, out: expect.any(BigInt) });
    await chain.deploy(...strangersPools());
    host.faults = faults;
    expect(await wordOf(reader())).toEqual(before);
  });

  it("asks the routes that paid best, and only now and then all that have pools", async () => {
    let calls = 0;
    host.lie = ({ method }, reply) => {
      if (method === "eth_call") calls++;
      return reply;
    };
    const same = reader();
    const callsOf = async () => {
      calls = 0;
      await wordOf(same);
      return calls;
    };
    // A call finds the pools for the measurement of taxes, and one asks all of them.
    expect(await callsOf()).toBe(2);
    expect(await callsOf()).toBe(2);
    await chain.deploy(...strangersPools());
    nowMs += minuteMs;
    expect(await callsOf()).toBeGreaterThan(10);
    expect(await callsOf()).toBe(2);
  });

  it("sees a pool that is made later when it asks all again", async () => {
    const same = reader();
    const before = await wordOf(same);
    await chain.deploy(pool(v3Positions, 1000n, 10_000));
    expect(await wordOf(same)).toEqual(before);
    nowMs += minuteMs;
    expect((await wordOf(same))?.out).toBeGreaterThan(before?.out ?? 0n);
  });

  it("asks each pool about up to 16 amounts in one call at each block", async () => {
    await chain.deploy(pool(v3Positions, 20n, 10_000), pool(pancakePositions, 5n, 500));
    await chain.request("anvil_mine", ["0x4", "0xc"]);
    const asked = Array.from({ length: 20 }, (_, index) => ({
      amount: BigInt(20 - index) * 10n ** 21n,
      distances: [1, 2],
    }));
    const alone = await Promise.all(asked.map(async (each) => (await wordsOf(reader(), each))[0]));
    let calls = 0;
    host.lie = ({ method }, reply) => {
      if (method === "eth_call") calls++;
      return reply;
    };
    expect(await wordsOf(reader(), ...asked)).toEqual(alone);
    expect(new Set(alone.map((word) => word?.out)).size).toBe(20);
    // One call finds five pools, and two parts of the amounts are asked about at three blocks.
    expect(calls).toBe(1 + 2 * 3 * 5);
  });

  it("counts no price of an amount while the route that paid best for it, or for more, fails by itself", async () => {
    await chain.deploy(pool(v3Positions, 1n, 10_000, 9000n), pool(pancakePositions, 20n, 500, 9900n));
    const same = reader();
    const { hash } = (await chain.request("eth_getBlockByNumber", ["latest", false])) as { hash: string };
    await chain.mine();
    const asked = [1n, 5000n, 20_000n].map((tokens) => ({ amount: tokens * 10n ** 18n, distances: [1] }));
    const seen = async () =>
      (await wordsOf(same, ...asked)).map((word) => [word?.hasBest, word?.before.size] as const);
    const failing = (pool: RegExp, at: string) => {
      host.lie = ({ method, params }, reply) => {
        const [{ data = "" } = {}, tag] = (params ?? []) as [{ data?: string }?, unknown?];
        const fails = method === "eth_call" && pool.test(data) && JSON.stringify(tag).includes(at);
        return fails ? { error: { code: 3, message: "execution reverted" } } : reply;
      };
    };
    for (const [index, best] of [pathTo("uniswap-v3", 10_000), pathTo("pancakeswap-v3", 500)].entries())
      for (const [at, word] of [
        [hash, [true, 0]],
        ["", [false, 1]],
      ] as const) {
        host.lie = (_, reply) => reply;
        nowMs += minuteMs + 1;
        expect(await seen()).toEqual(asked.map(() => [true, 1]));
        failing(best, at);
        expect(await seen()).toEqual(asked.map((_, each) => (each <= index ? word : [true, 1])));
      }
  });

  it("gives the price of an amount although a stranger's pool, which paid best for dust, fails by itself", async () => {
    const same = reader();
    const before = await wordOf(same);
    await chain.deploy(pool(v3Positions, 1n, 10_000, 9000n));
    nowMs += minuteMs;
    await wordOf(same, { amount: 10n ** 18n });
    expect(await wordOf(same)).toEqual(before);
    await wordOf(same, { amount: 10n ** 18n });
    host.lie = ({ method, params }, reply) => {
      const { data = "" } = (params?.[0] ?? {}) as { data?: string };
      const fails = method === "eth_call" && pathTo("uniswap-v3", 10_000).test(data);
      return fails ? { error: { code: 3, message: "execution reverted" } } : reply;
    };
    // One look finds that the pool fails.
    await wordOf(same);
    expect(await wordOf(same)).toEqual(before);
  });

  it("leaves out pools of a kind through which a stranger cannot sell the token", async () => {
    const same = reader();
    const fair = await wordOf(same);
    const router = venues.find((each) => each.venue === "uniswap-v3")?.router.toLowerCase() ?? "";
    host.lie = ({ method, params }, reply) => {
      if (method !== "eth_simulateV1" || !JSON.stringify(params).toLowerCase().includes(router)) return reply;
      const { result: [bought, sold] = [] } = reply as { result?: { calls: object[] }[] };
      return {
        result: [bought, { ...sold, calls: sold?.calls.map((call) => ({ ...call, status: "0x0" })) }],
      };
    };
    const word = await wordOf(same);
    expect(word?.out).toBeLessThan(fair?.out ?? 0n);
    expect(word?.hasBest).toBe(true);
    expect(await wordOf(same)).toEqual(word);
  });

  it("gives the same price although small pools pay more for a small amount that was asked before", async () => {
    await chain.deploy(pool(v3Positions, 2n, 10_000, 9900n), pool(pancakePositions, 2n, 500, 9900n));
    const before = await wordOf();
    const same = reader();
    await wordOf(same, { amount: 10n ** 18n });
    expect(await wordOf(same)).toEqual(before);
  });

  it("sees through a push of the deepest pool in one block, although other pools pay more in it", async () => {
    await chain.deploy(pool(v3Positions, 30n, 10_000, 14_000n), pool(pancakePositions, 30n, 500, 14_000n));
    await chain.deploy(pool(v3Positions, 30n, 3000, 14_000n));
    await chain.request("anvil_mine", ["0x4", "0xc"]);
    const before = (await wordOf())?.out as bigint;
    const newest = (await chain.request("eth_getBlockByNumber", ["latest", false])) as { hash: string };
    host.lie = ({ method, params }, reply) => {
      const [{ data = "" } = {}, at] = (params ?? []) as [{ data?: string }?, unknown?];
      const isPushed = method === "eth_call" && path.test(data) && JSON.stringify(at).includes(newest.hash);
      if (!isPushed || !("result" in reply)) return reply;
      return { result: `${String(reply.result).slice(0, -64)}${"1".padStart(64, "0")}` };
    };
    const same = reader();
    const lookBack = async (...distances: number[]) => {
      const [word] = await wordsOf(same, { distances });
      return word && [word.out ?? 0n, ...distances.map((distance) => word.before.get(distance) ?? 0n)];
    };
    const isPushed = (outs: readonly bigint[] = []) => outs.map((out) => out < before);
    expect(isPushed(await lookBack(1, 2))).toEqual([true, false, false]);
    // Another order of this amount may be reached, and is then quoted in its wave, now or just before all are asked again.
    for (const passedMs of [0, 5000]) {
      nowMs += passedMs;
      await new EvmPrices(same, () => nowMs).quoteSums({ side: "sell", token, sums: [0n, amount] });
      expect(isPushed(await lookBack(1, 2))).toEqual([true, false, false]);
    }
    await chain.request("anvil_mine", ["0x1", "0xc"]);
    expect(isPushed(await lookBack(1, 2))).toEqual([false, true, false]);
  });

  it("asks about each route while a host does not say which pools exist", async () => {
    const before = await wordOf();
    let asked = 0;
    host.lie = ({ method, params }, reply) => {
      const { data = "" } = (params?.[0] ?? {}) as { data?: string };
      if (method !== "eth_call" || !ofStranger.test(data)) return reply;
      asked++;
      return { error: { code: 3, message: "execution reverted" } };
    };
    expect(await wordOf()).toEqual(before);
    expect(asked).toBeGreaterThan(0);
  });

  it("ignores prices for a minute while the route that paid best fails by itself", async () => {
    const same = reader();
    const before = await wordOf(same);
    let asked = 0;
    host.lie = ({ method, params }, reply) => {
      const { data = "" } = (params?.[0] ?? {}) as { data?: string };
      if (method !== "eth_call" || !path.test(data)) return reply;
      asked++;
      return { error: { code: 3, message: "execution reverted" } };
    };
    const without = { hasBest: false, out: expect.toSatisfy((out: bigint) => out < (before?.out ?? 0n)) };
    expect(await wordOf(same)).toEqual(without);
    expect(asked).toBeGreaterThan(0);
    asked = 0;
    expect(await wordOf(same)).toEqual(without);
    expect(asked).toBe(0);
    nowMs += minuteMs + 1;
    host.lie = (_, reply) => reply;
    expect(await wordOf(same)).toEqual(before);
  });
});

describe("EvmTokenLooks", () => {
  it("looks at the pools that quotes of a token have found, later ones too", async () => {
    const minuteMs = 60_000;
    let nowMs = Date.now();
    const looks = new EvmTokenLooks(reader(), () => nowMs);
    const count = async () => (await looks.levels([token], 0)).get(token)?.length;
    const quoted = () => looks.outs({ side: "sell", token, amounts: [10n ** 18n] }, 0);
    expect(await count()).toBeUndefined();
    await quoted();
    // Two words of each pool set its price.
    expect(await count()).toBe(6);
    await chain.deploy(pool(v3Positions, 1000n, 10_000));
    expect(await count()).toBe(6);
    nowMs += minuteMs;
    await quoted();
    expect(await count()).toBe(8);
  });

  it("quotes an amount by its own best pool, although others pay more for the smallest and the largest one", async () => {
    await chain.deploy(pool(v3Positions, 20n, 3000, 9900n), pool(v3Positions, 1n, 10_000, 9000n));
    await chain.deploy(pool(pancakePositions, 100n, 500, 10_100n));
    const looks = new EvmTokenLooks(reader());
    const amounts = [1n, 20_000n, 10_000_000n].map((tokens) => tokens * 10n ** 18n);
    const first = await looks.outs({ side: "sell", token, amounts }, 0);
    expect(await looks.outs({ side: "sell", token, amounts }, 0)).toEqual(first);
  });
});
