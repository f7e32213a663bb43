import { Interface } from "ethers/abi";
import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { type SecondHost, startSecondHost } from "trading-terminal-devnet/evm/second-host";
import { alice, startTestChain, type TestChain } from "trading-terminal-devnet/evm/test-chain";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { MarketRecord } from "../../lib/markets/core/market-record.ts";
import type { FollowedToken } from "../../lib/markets/core/market-subscription.ts";
import { type HistoryDeps, type HistoryOrder, loadHistory } from "../../lib/markets/evm/load-history.ts";
import { readHistory } from "../../lib/markets/evm/read-history.ts";
import { openReader } from "../../lib/markets/open-reader.ts";
import { readMarkets } from "../../lib/markets/read-markets.ts";
import { historyWriter, tokenStore } from "../../lib/markets/runs/token-store.ts";
import { marketFollowers, openConnection } from "../../lib/realtime/connection-records.ts";
import { deliverMarkets, SubscriberLists } from "../../lib/realtime/deliver-markets.ts";
import { subscribe } from "../../lib/realtime/subscribe.ts";
import { changeReaderLease, readReaderLease } from "../../lib/trading/items/reader-leases.ts";
import { chainsOf, readerOf } from "../support/chain-reader.ts";
import { connectionsApiForTests } from "../support/connections-api.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { price } from "../support/executions.ts";

const db = tableForTests();
const api = connectionsApiForTests();

let chain: TestChain;
let hosts: SecondHost[];
let questions: number;
let looks: number;
let faults: unknown[];
let run: Promise<void>;

/** Selector of the call for the last block's hash, which only looks make. */
const lastHash = "27e86d6e";

beforeAll(async () => {
  chain = await startTestChain({ chain: "base" });
  hosts = await Promise.all([1, 2].map(() => startSecondHost({ chainUrl: chain.url })));
  for (const host of hosts)
    host.lie = ({ params }, reply) => {
      questions++;
      if (JSON.stringify(params).includes(lastHash)) looks++;
      return reply;
    };
  [questions, looks, faults] = [0, 0, []];
});
afterAll(async () => {
  // Lets a second run take over, so that the first one ends.
  await changeReaderLease(db.table, { chain: "markets", when: { epoch: 1 }, set: { epoch: 2, run: "next" } });
  await run;
  await Promise.all([chain.close(), ...hosts.map((host) => host.close())]);
});

/** Converts an event into the form that the invoked function receives. */
const asPayload = <Event>(event: Event): Event => JSON.parse(JSON.stringify(event));

function start(): Promise<void> {
  const lists = new SubscriberLists(db.table);
  const onFault = (error: unknown) => void faults.push(error);
  const history: HistoryDeps = {
    readHistory: (pool, asked) => readHistory(readerOf(chain, { hosts: [chain.url] }), pool, asked),
    store: tokenStore(db.table),
    writer: historyWriter(db.table),
  };
  const deps = openReader({
    marketTokens: {},
    table: db.table,
    chains: chainsOf(chain, { hosts: hosts.map(({ url }) => url) }),
    countShards: async () => 1,
    readFollowers: () => marketFollowers(db.table, 1),
    readPrices: async () => [price({ chain: "base", symbol: "ETH", asOf: new Date().toISOString() })],
    deliver(delivery) {
      const { pusher } = api.current;
      const deliverer = { table: db.table, pusher, lists, onFault, onMissed: onFault };
      return deliverMarkets(deliverer, asPayload(delivery));
    },
    startReader: async () => {},
    loadHistory: (order: object) =>
      loadHistory(history, asPayload(order as HistoryOrder), Date.now() + 10_000),
    onFault,
    onWarning: onFault,
  });
  return readMarkets(deps, { build: "a", shiftMs: 600_000, longestMs: 120_000 });
}

const follow = async (connectionId: string, tokens: readonly FollowedToken[]) => {
  const name = { userID: "ann", connectionId };
  await openConnection(db.table, name, { shard: 0, now: new Date() });
  const onFault = (error: unknown) => void faults.push(error);
  const markets = { chains: ["base"], startReader: async () => {}, onFault } as const;
  await subscribe(
    db.table,
    { ...name, now: new Date(), channels: ["prices"], every: 1, tokens: [...tokens] },
    { markets },
  );
};

type Update = { heads: { base?: { block: number } }; data: (MarketRecord & { symbol: string })[] };
const updates = () => api.current.parsedMessagesTo("c1") as Update[];
const records = () => updates().flatMap(({ data }) => data.filter(({ token }) => token !== undefined));

const moon: FollowedToken = { chain: "base", token: localAddresses.moon, candles: true };
const router = new Interface([
  "function swapExactETHForTokens(uint256, address[], address, uint256) payable",
]);

/** Buys with one coin in the reference pool, which holds 100 coins. Returns the block's number. */
async function buy(): Promise<number> {
  const path = [localAddresses.wrapped, localAddresses.moon];
  const { status, blockNumber } = await chain.transact({
    from: alice.address,
    to: localAddresses.v2Router,
    data: router.encodeFunctionData("swapExactETHForTokens", [0, path, alice.address, 2n ** 40n]),
    value: 10n ** 18n,
  });
  expect(status).toBe("0x1");
  return Number(blockNumber);
}

/** Returns the trades by minute in the messages to the test. Later messages replace earlier ones. */
function trades(): number {
  const minutes = records().flatMap((record) => record.minutes ?? []);
  const counts = new Map(minutes.map(({ time, trades: count = 0 }) => [time, count]));
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

/** Waits until a condition is met, and returns the number of looks until then. */
async function looksUntil(before: number, isSeen: () => boolean): Promise<number> {
  let count = 0;
  await expect
    .poll(() => {
      if (!isSeen()) count = looks - before;
      return isSeen();
    })
    .toBe(true);
  return count;
}

describe("a run of readMarkets", () => {
  it("ends at once, without querying hosts, while nobody wants a market", async () => {
    await start();
    expect([questions, await readReaderLease(db.table, "markets")]).toEqual([0, undefined]);
  });

  it("sends coins, without querying hosts, while nobody follows a token", async () => {
    await follow("c1", []);
    run = start();
    await expect.poll(() => updates().length).toBeGreaterThan(1);
    expect(updates()[0]?.data).toMatchObject([{ chain: "base", symbol: "ETH" }]);
    expect(questions).toBe(0);
  });

  it("sends a token's state, and a trade within two looks", async () => {
    await follow("c1", [moon]);
    const state = { symbol: "MOON", price: "0.0001", quote: "native" };
    await expect.poll(() => records().at(-1)).toMatchObject(state);
    const before = looks;
    const block = await buy();
    // Anvil may show a new block's number before its state.
    const isSeen = () => records().at(-1)?.block === block && records().at(-1)?.price === "0.00010200697";
    expect(await looksUntil(before, isSeen)).toBeLessThanOrEqual(2);
    await expect.poll(trades).toBe(1);
    expect(faults).toEqual([]);
  });

  it("withdraws a trade within two looks after the block of that trade was replaced", async () => {
    const block = await buy();
    await expect.poll(() => records().at(-1)?.block).toBe(block);
    await expect.poll(trades).toBe(2);
    const { revision = 0, price: replaced } = records().at(-1) ?? {};
    const before = looks;
    await chain.request("anvil_reorg", [1, []]);
    const isBack = () => records().at(-1)?.price !== replaced;
    expect(await looksUntil(before, isBack)).toBeLessThanOrEqual(2);
    await expect.poll(trades).toBe(1);
    await chain.mine();
    const next = await buy();
    await expect.poll(() => records().at(-1)?.block).toBe(next);
    await expect.poll(trades).toBe(2);
    expect(records().at(-1)?.revision).toBeGreaterThan(revision);
    expect(faults).toEqual([]);
  });
});
