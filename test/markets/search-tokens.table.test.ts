import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { ChainUnavailable } from "../../lib/chains/hosts/host-fault.ts";
import { DomainError } from "../../lib/core/domain-error.ts";
import type { IndexedToken, SearchedToken } from "../../lib/markets/core/token-search.ts";
import { writeMarket } from "../../lib/markets/items/market-items.ts";
import { findTokens, type SearchDeps } from "../../lib/markets/search-tokens.ts";
import { emptyBook } from "../../lib/orders/book.ts";
import type { Position } from "../../lib/orders/execution.ts";
import { saveExecution } from "../../lib/trading/items/execution-records.ts";
import { bookKey } from "../../lib/trading/items/keys.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { position } from "../support/executions.ts";
import { putItems } from "../support/items.ts";
import { marketAt, moon, otherToken, silentChains } from "./support/markets.ts";

const db = tableForTests();
const now = new Date("2026-11-22T20:00:00.000Z");
const chains = silentChains();

const entry = (changes: Partial<IndexedToken> = {}): IndexedToken => ({
  chain: "base",
  token: otherToken,
  symbol: "MOONX",
  name: "Moon X",
  decimals: 9,
  depthUsd: 50_000,
  firstSeen: now.getTime() / 1000 - 100_000,
  ...changes,
});

let index: IndexedToken[];
let made: SearchedToken[];
let identify: SearchDeps["identify"];
let identified: string[];

beforeEach(() => {
  [index, made, identified] = [[], [], []];
  identify = async () => ({ symbol: "ODD", name: "Odd", decimals: 6 });
});

const find = async (asked: Partial<Parameters<typeof findTokens>[1]>) => {
  const deps: SearchDeps = {
    table: db.table,
    chains,
    indexOf: async (chain) => index.filter((each) => each.chain === chain),
    madeOn: async (chain) => made.filter((each) => each.chain === chain),
    identify: (reader, token) => {
      identified.push(reader.chain);
      return identify(reader, token);
    },
  };
  return (await findTokens(deps, { userID: "ann", now, query: "moon", ...asked })).tokens;
};

/** Opens a position in a token that was bought through this service. */
async function hold(userID: string, token: string, changes: Partial<Position> = {}) {
  const execution = position({ chain: "base", wallet: "0xWallet", token, symbol: "MOON/ETH", ...changes });
  await saveExecution(db.table, { userID, kind: "position", execution, now });
  const key = { userID, chain: "base", wallet: "0xWallet", token } as const;
  await putItems(db.table, [
    { ...bookKey(key), ...emptyBook(key, { symbol: "MOON/ETH", baseSymbol: "MOON", decimals: 18 }) },
  ]);
}

describe("findTokens", () => {
  it("finds the coin and listed tokens of all chains by part of a symbol or name", async () => {
    const symbols = (await find({ query: "ether" })).map(({ chain, token, symbol, listed }) => ({
      chain,
      symbol,
      isCoin: token === "native",
      listed,
    }));
    expect(symbols).toEqual(
      expect.arrayContaining([
        { chain: "eth", symbol: "ETH", isCoin: true, listed: true },
        { chain: "base", symbol: "WETH", isCoin: false, listed: true },
      ]),
    );
    const weth = await find({ query: "weth", chain: "base" });
    expect(weth).toMatchObject([{ chain: "base", symbol: "WETH", wrapped: true, listed: true, flags: [] }]);
  });

  it("finds the user's own tokens and other tokens in the index, of one chain or all", async () => {
    await hold("holder", moon);
    index = [entry(), entry({ chain: "eth", symbol: "MOONE", depthUsd: 40_000 })];
    expect(await find({ userID: "holder" })).toEqual([
      { chain: "base", token: moon, symbol: "MOON", name: "MOON", decimals: 18, listed: false, flags: [] },
      {
        chain: "base",
        token: otherToken,
        symbol: "MOONX",
        name: "Moon X",
        decimals: 9,
        listed: false,
        flags: [],
      },
      expect.objectContaining({ chain: "eth", symbol: "MOONE" }),
    ]);
    expect(await find({ userID: "holder", chain: "eth" })).toMatchObject([{ symbol: "MOONE" }]);
    expect(await find({ userID: "somebody" })).toHaveLength(2);
  });

  it("finds tokens that are known only for a new pool, with a flag", async () => {
    made = [
      { chain: "base", token: otherToken, symbol: "MOONNEW", name: "Moon", decimals: 18 },
      { chain: "eth", token: otherToken, symbol: "WETH", name: "Moon", decimals: 18 },
    ];
    expect(await find({})).toMatchObject([
      { symbol: "MOONNEW", listed: false, flags: ["NEW"] },
      { symbol: "WETH", listed: false, flags: ["IMPERSONATES", "NEW"] },
    ]);
  });

  it("shows a user's own token with its name in the index, even if it is too shallow for other users to find", async () => {
    await hold("owner", moon);
    index = [entry({ token: moon, symbol: "MOON", name: "To the moon", depthUsd: 1 })];
    expect(await find({ userID: "owner", query: "to the" })).toMatchObject([{ name: "To the moon" }]);
    expect(await find({ userID: "somebody", query: "to the" })).toEqual([]);
  });

  it("reads a user's 100 newest open positions with one Query, however many others exist", async () => {
    await hold("trader", otherToken);
    for (let part = 0; part < 10; part++)
      await Promise.all(
        Array.from({ length: 10 }, (_, number) => {
          const positionId = `later ${part} ${number}`;
          return hold("trader", moon, { positionId, openedAt: "2026-11-22T09:00:00.000Z" });
        }),
      );
    const send = vi.spyOn(db.table.client, "send");
    expect(await find({ userID: "trader" })).toMatchObject([{ token: moon }]);
    const queries = send.mock.calls.filter(([command]) => command instanceof QueryCommand);
    send.mockRestore();
    expect(queries).toHaveLength(1);
  });

  it("flags tokens that imitate a listed one", async () => {
    index = [entry({ symbol: "ЕТH", name: "Moon" })];
    expect(await find({})).toMatchObject([{ symbol: "ЕТH", listed: false, flags: ["IMPERSONATES"] }]);
  });

  it("finds an exact address on each chain of its family by querying hosts", async () => {
    identify = async (reader) => {
      if (reader.chain === "eth") throw new DomainError("TOKEN_NOT_FOUND", "none");
      return { symbol: "USDC", name: "Fake", decimals: 6 };
    };
    const token = "0x00000000000000000000000000000000000000ca";
    expect(await find({ query: ` ${token.toLowerCase()} ` })).toEqual([
      {
        chain: "base",
        token,
        symbol: "USDC",
        name: "Fake",
        decimals: 6,
        listed: false,
        flags: ["IMPERSONATES"],
      },
    ]);
    expect(identified.toSorted()).toEqual(["base", "eth"]);
    expect(await find({ query: "Hn9DEBDmCAbtDfCMu9WYBTdErSFhVTZ3yjGW7wGYRtT4" })).toMatchObject([
      { chain: "sol", symbol: "USDC" },
    ]);
  });

  it("queries no host about listed tokens and stored markets", async () => {
    const market = marketAt(now, { token: moon });
    await writeMarket(db.table, { market, state: {} }, { epoch: 1, wantedAt: now });
    expect(await find({ query: moon, chain: "base" })).toMatchObject([{ symbol: "MOON", name: "Moon" }]);
    const weth = chains.get("base")?.configuration.wrapped.token ?? "";
    expect(await find({ query: weth, chain: "base" })).toMatchObject([{ symbol: "WETH", listed: true }]);
    expect(identified).toEqual([]);
  });

  it("finds nothing at an address that is not a token", async () => {
    identify = async () => {
      throw new DomainError("TOKEN_NOT_FOUND", "none");
    };
    expect(await find({ query: otherToken.toLowerCase(), chain: "eth" })).toEqual([]);
  });

  it("fails if a chain that may have the address cannot be reached, and no other chain has it", async () => {
    identify = async (reader) => {
      if (reader.chain === "eth") throw new ChainUnavailable("eth");
      return { symbol: "ODD", name: "Odd", decimals: 6 };
    };
    expect(await find({ query: otherToken })).toMatchObject([{ chain: "base", symbol: "ODD" }]);
    await expect(find({ query: otherToken, chain: "eth" })).rejects.toThrow(ChainUnavailable);
  });

  it("queries hosts at most 30 times a minute for a user", async () => {
    const asked = { userID: "curious", query: otherToken, chain: "eth" } as const;
    for (let count = 0; count < 30; count++) await find(asked);
    await expect(find(asked)).rejects.toMatchObject({ code: "LOOK_LIMIT_REACHED" });
    expect(identified).toHaveLength(30);
  });

  it.each<[string, object, object]>([
    ["one letter", { query: "m" }, { code: "INVALID_REQUEST", details: { field: "query" } }],
    ["10 kB", { query: "m".repeat(10_000) }, { code: "INVALID_REQUEST" }],
    ["marks of direction", { query: "mo\u202eon" }, { code: "INVALID_REQUEST" }],
    [
      "a wrong checksum",
      { query: `${otherToken.slice(0, -1)}A` },
      { code: "INVALID_REQUEST", details: { field: "query" } },
    ],
    ["a chain that does not trade here", { chain: "bsc" }, { code: "UNSUPPORTED_CHAIN" }],
  ])("rejects a request with %s", async (_, asked, expected) => {
    await expect(find(asked)).rejects.toMatchObject(expected);
    expect(identified).toEqual([]);
  });
});
