import { getAddress } from "ethers/address";
import { deployer, localAddresses } from "trading-terminal-devnet/evm/deployment";
import { type SecondHost, startSecondHost } from "trading-terminal-devnet/evm/second-host";
import { alice, startTestChain, type TestChain } from "trading-terminal-devnet/evm/test-chain";
import { approval, v3Liquidity } from "trading-terminal-devnet/evm/uniswap";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { quoteOnEvm } from "../../../../lib/chains/evm/quotes/quote-on-chain.ts";
import { EarlyCalls, RouteMemory } from "../../../../lib/chains/evm/quotes/remembered-routes.ts";
import { swapBy } from "../../../../lib/chains/evm/rules/intent.ts";
import type { EvmQuotedRoute, EvmTradeFacts } from "../../../../lib/chains/evm/rules/trade-facts.ts";
import { encodeCall } from "../../../../lib/chains/evm/venues/calldata.ts";
import type { EvmReader } from "../../../../lib/chains/evm/venues/reader.ts";
import type { Ask } from "../../../../lib/chains/hosts/ask-together.ts";
import type { RpcCall } from "../../../../lib/chains/hosts/rpc-call.ts";
import type { EvmChain } from "../../../../lib/core/chain-facts.ts";
import { DomainError } from "../../../../lib/core/domain-error.ts";
import { unitsOf } from "../../../../lib/tools/documents/host-units.ts";
import { readerOf } from "../../../support/chain-reader.ts";
import { deployOddToken } from "../../../support/odd-tokens.ts";
import { intent, localV2, localV3 } from "../../../support/trading.ts";

const { moon, taxd, v3Positions, wrapped, v3Router } = localAddresses;
const coin = 10n ** 18n;

/** Another of anvil's test accounts. */
const bob = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

type Calls = readonly RpcCall<unknown>[];

let chain: TestChain;
let host: SecondHost;
let reader: EvmReader;
let memory: RouteMemory;
let nowMs: number;
let requests: Calls[];
/** Sends the calls of a request. */
let send: (calls: Calls) => Promise<readonly unknown[]>;

const askHost = async (calls: Calls): Promise<readonly unknown[]> => {
  const [first] = reader.client.hosts;
  return first === undefined || calls.length === 0 ? [] : first.request(calls);
};
const ask = ((calls: Calls) => {
  requests.push(calls);
  return send(calls);
}) as Ask;

async function start(name: EvmChain) {
  chain = await startTestChain({ chain: name });
  host = await startSecondHost({ chainUrl: chain.url });
}
const stop = () => Promise.all([chain.close(), host.close()]);

async function prepare() {
  await chain.restore();
  host.faults = {};
  host.lie = (_, reply) => reply;
  reader = readerOf(chain, { hosts: [host.url] });
  nowMs = 0;
  memory = new RouteMemory(() => nowMs);
  requests = [];
  send = askHost;
}

type Asked = { token?: string; amount?: string; wallet?: string; side?: "buy" | "sell" };

const questionOf = ({ token = moon, amount = "0.5", wallet = alice.address, side = "buy" }: Asked) => ({
  wallet,
  trade: { side, token, amount },
  gasPreset: "medium" as const,
  orders: [],
  isForPlanning: true,
});

const quote = (asked: Asked = {}) =>
  quoteOnEvm(ask, reader, {
    ...questionOf(asked),
    early: (purchase) => new EarlyCalls(memory, purchase),
  });

const quoteWithout = (asked: Asked = {}, block?: number) => quoteOnEvm(ask, reader, questionOf(asked), block);

/** Quotes with the memory and without it. Returns the number of requests with it. */
async function requestsFor(asked: Asked = {}): Promise<number> {
  const refusal = (error: unknown) => {
    expect(error).toBeInstanceOf(DomainError);
    return error;
  };
  requests = [];
  const facts = await quote(asked).catch(refusal);
  const { length } = requests;
  expect(facts).toEqual(await quoteWithout(asked).catch(refusal));
  return length;
}

/** Buys with another wallet, so that the route pays less. */
async function buy(amount: bigint, { route = localV2, token = moon } = {}) {
  const terms = {
    wallet: bob,
    token,
    side: "buy",
    amount,
    minAmountOut: 1n,
    validUntil: 2 ** 32 - 1,
  } as const;
  const call = encodeCall(reader.configuration, swapBy(intent(terms), route, amount), bob);
  expect(await chain.transact({ from: bob, ...call })).toMatchObject({ status: "0x1" });
}

const deployToken = async () => getAddress(await deployOddToken(chain, "has nothing odd"));

/** Quotes a purchase twice, so that its routes are remembered. */
async function remember(asked: Asked = {}): Promise<void> {
  await quote(asked);
  expect(await requestsFor(asked)).toBe(1);
}

const addV3Pool = (token: string, coins: bigint) =>
  chain.deploy(
    approval(token, v3Positions),
    v3Liquidity(localAddresses, deployer, {
      token,
      fee: 3000,
      reach: 4,
      coins: coins * coin,
      tokens: 10_000n * coins * coin,
    }),
  );

const bestOf = async (asked: Asked): Promise<EvmQuotedRoute> => (await quoteWithout(asked)).routes[0];

const word = (value: number) => `0x${value.toString(16).padStart(64, "0")}`;

describe("a purchase whose routes are remembered", () => {
  beforeAll(() => start("eth"));
  beforeEach(prepare);
  afterAll(stop);

  it("takes one request, also of another wallet and at another block", async () => {
    expect(await requestsFor()).toBe(2);
    expect(await requestsFor()).toBe(1);
    await buy(coin / 10n);
    expect(await requestsFor({ wallet: bob })).toBe(1);
  });

  it("takes about as many units of the host in one request as in two", async () => {
    const unitsFor = async () => {
      requests = [];
      await quote();
      return unitsOf(requests.flat().map(({ method }) => method));
    };
    const before = await unitsFor();
    expect((await unitsFor()) / before).toBeLessThan(1.03);
  });

  it.each<[string, Asked]>([
    ["another amount", { amount: "0.6" }],
    ["another token", { token: localAddresses.usdx }],
    ["a sale", { side: "sell", amount: "100" }],
  ])("does not help %s", async (_, asked) => {
    await quote();
    expect(await requestsFor(asked)).toBeGreaterThan(1);
  });

  it("is forgotten after five minutes, however often it is made", async () => {
    await quote();
    nowMs = 299_999;
    expect(await requestsFor()).toBe(1);
    nowMs = 300_000;
    expect(await requestsFor()).toBe(2);
  });

  it("is not remembered if its token is taxed", async () => {
    expect(await requestsFor({ token: taxd })).toBe(2);
    expect(await requestsFor({ token: taxd })).toBe(2);
  });

  it("is not remembered for a minute after early calls were useless twice in a row", async () => {
    await remember();
    await buy(10n * coin);
    expect(await requestsFor()).toBe(2);
    expect(await requestsFor()).toBe(1);
    for (const count of [2, 2]) {
      await buy(10n * coin);
      expect(await requestsFor()).toBe(count);
    }
    for (const [ms, count] of [
      [59_999, 2],
      [60_000, 2],
      [60_001, 1],
    ] as const) {
      nowMs = ms;
      expect(await requestsFor()).toBe(count);
    }
  });

  it("is quoted as usual when another route pays more", async () => {
    const token = await deployToken();
    await addV3Pool(token, 10n);
    const asked = { token, amount: "0.01" };
    await remember(asked);
    expect(await bestOf(asked)).toMatchObject({ venue: "uniswap-v2" });
    await buy(coin / 10n, { token });
    expect(await bestOf(asked)).toMatchObject({ venue: "uniswap-v3" });
    // Takes no second request, because the best routes are still the same.
    expect(await requestsFor(asked)).toBe(1);
    await buy(coin, { token, route: localV3 });
    await buy(coin, { token });
    expect(await requestsFor(asked)).toBe(2);
  });

  it("is quoted as usual when it gets another pool", async () => {
    const token = await deployToken();
    await remember({ token });
    await addV3Pool(token, 10n);
    expect(await requestsFor({ token })).toBe(2);
  });

  it("is quoted as usual when its pool is empty or gone", async () => {
    const [first, second] = await Promise.all([bestOf({}), bestOf({ token: localAddresses.star })]);
    await remember();
    await remember({ token: localAddresses.star });
    // The reserves of a pair.
    await chain.request("anvil_setStorageAt", [first.pool, word(8), word(0)]);
    await chain.request("anvil_setCode", [second.pool, "0x"]);
    expect(await requestsFor()).toBeGreaterThan(1);
    expect(await requestsFor({ token: localAddresses.star })).toBeGreaterThan(1);
  });

  it("is refused as usual when its only pool or its token is gone", async () => {
    const token = await deployToken();
    const { pool } = await bestOf({ token });
    await remember({ token });
    await chain.request("anvil_setCode", [pool, "0x"]);
    await requestsFor({ token });
    await chain.request("anvil_setCode", [token, "0x"]);
    nowMs = 60_000;
    await requestsFor({ token });
  });

  it("is refused as usual to a wallet with an allowance that a token could abuse", async () => {
    const token = await deployToken();
    await addV3Pool(token, 10n);
    await remember({ token });
    await chain.transact({ from: alice.address, to: wrapped, data: approval(wrapped, v3Router).data });
    expect(await requestsFor({ token })).toBe(2);
    nowMs = 60_000;
    expect(await requestsFor({ token, wallet: bob })).toBe(2);
  });

  it.each([
    "taxes large sales",
    "limits the size of sales",
    "loses a unit of each transfer",
    "refuses transfers",
  ] as const)("is quoted as usual once its token %s", async (oddity) => {
    const token = await deployToken();
    const odd = await deployOddToken(chain, oddity);
    await remember({ token });
    await chain.request("anvil_setCode", [token, await chain.request("eth_getCode", [odd, "latest"])]);
    await requestsFor({ token });
  });

  it.each(["eth_simulateV1", "eth_call", "eth_getTransactionCount", "eth_getBlockByNumber"])(
    "is quoted as usual if the host refuses an early call of %s",
    async (method) => {
      await remember();
      let left = 1;
      // Leaves out the parameters of the last such call. Early calls come last.
      send = (calls) => {
        const at = left-- > 0 ? calls.findLastIndex((call) => call.method === method) : -1;
        return askHost(calls.map((call, index) => (index === at ? { ...call, params: [] } : call)));
      };
      expect(await requestsFor()).toBe(2);
    },
  );

  it.each([
    ["the newest block", 1],
    ["another block", 2],
  ])("of a host that simulates on top of %s takes as many requests: %d", async (parent, count) => {
    await remember();
    const { hash } = (await chain.request("eth_getBlockByNumber", ["latest", false])) as { hash: string };
    const parentHash = parent === "the newest block" ? hash : word(1);
    host.lie = ({ method, params }, reply) => {
      if (method !== "eth_simulateV1" || params[1] !== "latest" || !("result" in reply)) return reply;
      const [first, ...others] = reply.result as object[];
      return { result: [{ ...first, parentHash }, ...others] };
    };
    expect(await requestsFor()).toBe(count);
  });
});

describe("early calls on base", () => {
  beforeAll(() => start("base"));
  beforeEach(prepare);
  afterAll(stop);

  /** Sends the first request in two parts. A block comes in the meantime, in which prices, coins and nonce change. */
  function tear(isLate: (call: Calls[number], index: number) => boolean): void {
    let left = 1;
    send = async (calls) => {
      if (left-- <= 0) return askHost(calls);
      const late = calls.map(isLate);
      const first = [...(await askHost(calls.filter((_, index) => !late[index])))];
      await buy(coin / 1000n);
      await chain.transact({ from: alice.address, to: bob, value: 1n });
      const second = [...(await askHost(calls.filter((_, index) => late[index])))];
      return late.map((each) => (each ? second : first).shift());
    };
  }

  async function expectFactsOfOneBlock(): Promise<void> {
    const { forPlanning, ...facts } = await quote();
    const { forPlanning: planned, ...plain } = await quoteWithout({}, facts.block.number);
    const shown = ({
      block,
      amountOut,
      held,
      nextNonce,
      routes,
      priceImpact,
    }: Omit<EvmTradeFacts, "forPlanning">) => ({
      block,
      amountOut,
      held,
      nextNonce,
      priceImpact,
      routes: routes.map(({ amountOut, deepOut, pool }) => [pool, amountOut, deepOut]),
    });
    expect(shown(facts)).toEqual(shown(plain));
    if (forPlanning === undefined) return;
    const { latest, coins, nonce } = forPlanning;
    expect({ latest, coins, nonce }).toMatchObject({
      latest: planned?.latest,
      coins: planned?.coins,
      nonce: { latest: planned?.nonce.latest },
    });
  }

  /** Makes some calls of the first request at a later block: each time those that follow another one, or a single one. */
  async function tearEach(
    isLate: (index: number, at: number, call: Calls[number]) => boolean,
  ): Promise<void> {
    await quote();
    requests = [];
    await quote();
    const [calls = []] = requests;
    // The first call reads the token's name and decimals.
    for (let at = 2; at < calls.length; at++) {
      memory = new RouteMemory();
      await quote();
      tear((call, index) => isLate(index, at, call));
      await expectFactsOfOneBlock();
    }
  }

  it("are not made for a minute after a host answered them at several blocks twice in a row", async () => {
    const hasEarlyCalls = async () => {
      requests = [];
      await quote();
      return requests[0]?.some(({ method }) => method === "eth_simulateV1");
    };
    await remember();
    for (const hasThem of [true, true, false]) {
      tear((_, index) => index >= 4);
      expect(await hasEarlyCalls()).toBe(hasThem);
    }
    nowMs = 60_000;
    await quote();
    expect(await hasEarlyCalls()).toBe(true);
  });

  it("give way to a second request if a block comes between any two calls", async () => {
    await tearEach((index, at) => index >= at);
  });

  it("give way to a second request if the host makes any of them at a later block", async () => {
    // A later nonce is still the wallet's next one.
    await tearEach((index, at, { method }) => index === at && method !== "eth_getTransactionCount");
  });
});
