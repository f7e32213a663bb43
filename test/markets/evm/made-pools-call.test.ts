import { localContracts } from "trading-terminal-devnet/evm/deployment";
import { describe, expect, it } from "vitest";
import { madePoolsCall } from "../../../lib/markets/evm/made-pools-call.ts";

const contracts = localContracts("base");
const factoryOf = (venue: string) => contracts.venues.find((each) => each.venue === venue)?.factory ?? "";
const { token: wrapped } = contracts.wrapped;
const [{ token: usdx } = { token: "" }] = contracts.quoteTokens;
const [moon, pool] = [
  "0x5FbDB2315678afecb367f032d93F642f64180aa3",
  "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512",
];

const word = (hex: string) => hex.replace("0x", "").toLowerCase().padStart(64, "0");
const topic = (hex: string) => `0x${word(hex)}`;
const hex = (value: number) => `0x${value.toString(16)}`;
const data = (...values: string[]) => `0x${values.map(word).join("")}`;

const topics = {
  v2: "0x0d3648bd0f6ba80134a33ba9275ac585d9d315f0ad8355cddefde31afa28d0e9",
  v3: "0x783cca1c0412dd0d695e784568c96da2e9c22ff989357a2e8b1d9b2b4e6b7118",
  slipstream: "0xab0d57f0df537bb25e80245ef7748fa62353808c54d6e528a9dd20887aed9ac2",
};

const log = (changes: object = {}) => ({
  address: factoryOf("uniswap-v2").toLowerCase(),
  topics: [topics.v2, topic(moon), topic(wrapped)],
  data: data(pool, "0x7"),
  blockNumber: hex(10),
  blockHash: topic("0xaa"),
  logIndex: hex(3),
  blockTimestamp: hex(1_795_000_000),
  ...changes,
});
const range = { from: 9, to: 12 };
const configuration = { ...contracts, hosts: [] };
const call = madePoolsCall(configuration, range);
const read = (...logs: unknown[]) => call.read(logs);

const found = {
  pool,
  venue: "uniswap-v2",
  token: moon,
  other: wrapped,
  block: 10,
  blockHash: topic("0xaa"),
  logIndex: 3,
  time: 1_795_000_000,
};

describe("madePoolsCall", () => {
  it("asks all factories whose pools have prices in one request", () => {
    const asked = contracts.venues.map(({ factory }) => factory.toLowerCase());
    expect(call.params).toEqual([
      { fromBlock: "0x9", toBlock: "0xc", address: asked, topics: [Object.values(topics)] },
    ]);
    const bins = madePoolsCall({ ...localContracts("avax"), hosts: [] }, range).params as [
      { address: string[] },
    ];
    const lfj = localContracts("avax").venues.filter(({ venue }) => venue.startsWith("lfj"));
    expect(lfj.length).toBeGreaterThan(0);
    for (const { factory } of lfj) expect(bins[0].address).not.toContain(factory.toLowerCase());
  });

  it("reads the pools of each kind of exchange, whichever token comes first", () => {
    const v3 = { address: factoryOf("uniswap-v3").toLowerCase(), data: data("0x3c", pool) };
    const slipstream = { address: factoryOf("slipstream").toLowerCase(), data: data(pool) };
    expect(
      read(
        log(),
        log({ topics: [topics.v2, topic(wrapped), topic(moon)] }),
        log({ ...v3, topics: [topics.v3, topic(usdx), topic(moon), topic("0xbb8")] }),
        log({ ...slipstream, topics: [topics.slipstream, topic(moon), topic(wrapped), topic("0xc8")] }),
      ),
    ).toEqual([
      found,
      found,
      { ...found, venue: "uniswap-v3", other: usdx },
      { ...found, venue: "slipstream" },
    ]);
  });

  it("leaves out pools without the coin or a stable token, pools of both, and logs that were taken back", () => {
    expect(
      read(
        log({ topics: [topics.v2, topic(moon), topic(pool)] }),
        log({ topics: [topics.v2, topic(usdx), topic(wrapped)] }),
        { removed: true },
      ),
    ).toEqual([]);
  });

  it("takes a log without a time", () => {
    expect(read(log({ blockTimestamp: undefined }))).toEqual([{ ...found, time: 0 }]);
  });

  it.each<[string, object]>([
    ["another contract", { address: pool.toLowerCase() }],
    ["another block", { blockNumber: hex(13) }],
    ["another event", { topics: [topics.v3, topic(moon), topic(wrapped)] }],
    ["more topics", { topics: [topics.v2, topic(moon), topic(wrapped), topic("0x1")] }],
    ["less data", { data: data(pool) }],
    ["no pool", { data: data("0x0", "0x7") }],
    ["a word that is no address", { data: data("f".repeat(64), "0x7") }],
    ["a topic that is no address", { topics: [topics.v2, `0x${"f".repeat(64)}`, topic(wrapped)] }],
  ])("rejects an answer with a log of %s", (_, changes) => {
    expect(() => read(log(), log(changes))).toThrow();
  });
});
