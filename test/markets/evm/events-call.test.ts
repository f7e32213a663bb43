import { describe, expect, it } from "vitest";
import { wordOfReserves } from "../../../lib/chains/evm/rules/pool-price.ts";
import { type Decimal, formatDecimal, zero } from "../../../lib/core/decimal.ts";
import { eventsCall } from "../../../lib/markets/evm/events-call.ts";
import type { WatchedPool } from "../../../lib/markets/evm/rules/watched-pool.ts";

const address = (digit: string) => `0x${digit.repeat(40)}`;
const hash = (digit: string) => `0x${digit.repeat(64)}`;
const hex = (value: number | bigint) => `0x${value.toString(16)}`;
const words = (...values: readonly bigint[]) =>
  `0x${values.map((value) => BigInt.asUintN(256, value).toString(16).padStart(64, "0")).join("")}`;

const v2: WatchedPool = {
  pool: address("A"),
  quote: "native",
  venue: "pancakeswap-v2",
  token: address("1"),
  decimals: 18,
  quoteDecimals: 18,
  isTokenFirst: true,
};
const v3: WatchedPool = { ...v2, pool: address("B"), venue: "uniswap-v3", quoteDecimals: 6 };
const pools = [v2, v3, { ...v3, pool: address("C"), venue: "slipstream" }] as const;

const topics = {
  sync: "0x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1",
  v2Swap: "0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822",
  v3Swap: "0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67",
  pancakeSwap: "0x19b47279256b2a23a1665c810c8d55a1758940ee09377d4f8d26497a3577dc83",
};

const log = (changes: object) => ({
  address: v2.pool.toLowerCase(),
  topics: [topics.sync],
  data: words(3n, 4n),
  blockNumber: hex(10),
  blockHash: hash("a"),
  logIndex: "0x0",
  blockTimestamp: hex(1_795_000_000),
  removed: false,
  ...changes,
});
const people = [hash("1"), hash("2")];
const coin = 10n ** 18n;
const textOf = (value: Decimal | undefined) => value && formatDecimal(value);

const read = (...logs: unknown[]) => eventsCall(pools, { from: 9, to: 12 }).read(logs);

describe("eventsCall", () => {
  it("requests the events of all kinds of pools", () => {
    const { params } = eventsCall(pools, { from: 9, to: 12 });
    expect(params).toEqual([
      {
        fromBlock: "0x9",
        toBlock: "0xc",
        address: pools.map(({ pool }) => pool.toLowerCase()),
        topics: [Object.values(topics)],
      },
    ]);
    const [only] = eventsCall([v2], { from: 1, to: 1 }).params as [{ topics: unknown }];
    expect(only.topics).toEqual([[topics.sync, topics.v2Swap]]);
  });

  it("reads a v2 pool's state from the event Sync, and a swap's amounts from Swap", () => {
    const swap = words(0n, 2n * coin, 7n * coin, 10n ** 10n);
    const [sync, swapped] = read(
      log({ data: words(8n * coin, 2n * coin) }),
      log({ topics: [topics.v2Swap, ...people], data: swap, logIndex: "0x1" }),
    );
    expect(sync).toEqual({
      pool: v2.pool,
      block: 10,
      blockHash: hash("a"),
      time: 1_795_000_000,
      logIndex: 0,
      isSwap: false,
      volume: zero,
      word: wordOfReserves(8n * coin, 2n * coin),
      price: { mantissa: 25n, exponent: -2 },
    });
    expect(swapped).toMatchObject({ isSwap: true, change: [-7n * coin, 2n * coin - 10n ** 10n] });
    // Amounts in and out, with nine decimal places.
    expect(textOf(swapped?.volume)).toBe("2.00000001");
    expect(swapped).not.toHaveProperty("word");
  });

  it.each([
    [topics.v3Swap, v3, [1n, 5n]],
    [topics.v3Swap, pools[2], [1n, 5n]],
    [topics.pancakeSwap, v3, [1n, 5n, 8n, 9n]],
  ])("reads the price and the amounts of a swap from %s", (topic, pool, rest) => {
    for (const amount of [-52n * 10n ** 5n, 52n * 10n ** 5n]) {
      const data = words(-amount, amount, 1n << 96n, ...rest);
      const [event] = read(log({ address: pool.pool.toLowerCase(), topics: [topic, ...people], data }));
      expect(event).toMatchObject({ pool: pool.pool, isSwap: true, word: 1n << 96n });
      expect(textOf(event?.volume)).toBe("5.2");
      expect(textOf(event?.price)).toBe("1000000000000");
    }
  });

  it("takes the volume from the other amount if the token is the pool's second one", () => {
    const turned = { ...v3, isTokenFirst: false, quoteDecimals: 0 };
    const data = words(-3n, 4n, 1n << 96n, 1n, 1n);
    const logs = [log({ address: v3.pool.toLowerCase(), topics: [topics.v3Swap, ...people], data })];
    const [event] = eventsCall([turned], { from: 9, to: 12 }).read(logs);
    expect(textOf(event?.volume)).toBe("3");
  });

  it("sorts events, and leaves out repeated and removed logs", () => {
    const logs = [
      log({ blockNumber: hex(11), blockHash: hash("b") }),
      log({ logIndex: "0xa" }),
      log({ logIndex: "0x9" }),
      log({ logIndex: "0xa" }),
      { ...log({ blockHash: hash("c") }), removed: true },
      { removed: true, blockNumber: null },
    ];
    expect(read(...logs).map(({ block, logIndex }) => [block, logIndex])).toEqual([
      [10, 9],
      [10, 10],
      [11, 0],
    ]);
  });

  it.each(["0x0", undefined, null, "1795000000", "0xffffffffffffff"])(
    "treats the time %o as unknown",
    (time) => {
      expect(read(log({ blockTimestamp: time }))).toMatchObject([{ time: 0 }]);
    },
  );

  const v3Swap = { address: v3.pool.toLowerCase(), topics: [topics.v3Swap, ...people] };
  it.each<[string, ...object[]]>([
    ["another pool", log({ address: address("d") })],
    ["another topic", log({ topics: [hash("d")] })],
    ["the name of a property for a topic", log({ topics: ["constructor"] })],
    ["no topic", log({ topics: [] })],
    [
      "a topic of another kind of pool",
      log({ topics: [topics.v3Swap, ...people], data: words(1n, 1n, 1n, 1n, 1n) }),
    ],
    ["too few topics", log({ topics: [topics.v2Swap, hash("1")], data: words(1n, 1n, 1n, 1n) })],
    ["too little data", log({ data: words(1n) })],
    ["too much data", log({ data: words(1n, 2n, 3n) })],
    ["a reserve of more than 112 bits", log({ data: words(1n << 112n, 1n) })],
    ["a root of more than 160 bits", log({ ...v3Swap, data: words(1n, 1n, 1n << 160n, 1n, 1n) })],
    ["an earlier block", log({ blockNumber: hex(8) })],
    ["a later block", log({ blockNumber: hex(13) })],
    ["no block", log({ blockNumber: null })],
    ["a block with two hashes", log({}), log({ logIndex: "0x1", blockHash: hash("b") })],
    ["a block with two times", log({}), log({ logIndex: "0x1", blockTimestamp: "0x1" })],
    ["two logs in one place", log({}), log({ data: words(4n, 4n) })],
  ])("rejects logs with %s", (_, ...logs) => {
    expect(() => read(...logs)).toThrow();
  });

  it("rejects an answer that is not a list", () => {
    for (const result of [null, {}, "0x", [null], [[]], [{}]])
      expect(() => eventsCall(pools, { from: 9, to: 12 }).read(result)).toThrow();
  });
});
