import { beforeEach, describe, expect, it } from "vitest";
import { ChainUnavailable } from "../../lib/chains/hosts/host-fault.ts";
import { DomainError } from "../../lib/core/domain-error.ts";
import type { Market } from "../../lib/markets/core/market.ts";
import { getMarket, type MarketDeps, recentLooks } from "../../lib/markets/get-market.ts";
import { writeMarket } from "../../lib/markets/items/market-items.ts";
import { tokenStore } from "../../lib/markets/runs/token-store.ts";
import type { Price } from "../../lib/prices/price.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { price } from "../support/executions.ts";
import { decimal, marketAt, moon, otherToken, silentChains } from "./support/markets.ts";

const db = tableForTests();
const now = new Date("2026-11-22T20:00:00.000Z");
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000);
const later = (seconds: number) => ago(-seconds);
const chains = silentChains();
const coin = price({ chain: "base", symbol: "ETH", price: "2600", asOf: now.toISOString() });

/** Answers of the host, in this order. After the last one, the host is silent. */
let looks: (Market | Error)[];
let looked: number;
/** The reference pool that the last look was told. */
let last: string | undefined;
let wanted: string[];
let prices: Price[];
let deps: MarketDeps;

beforeEach(() => {
  [looks, looked, wanted, prices] = [[], 0, [], [coin]];
  deps = {
    table: db.table,
    chains,
    lookOnce: async (_, __, ___, reference) => {
      looked += 1;
      last = reference;
      const look = looks.shift() ?? unavailable();
      if (look instanceof Error) throw look;
      return look;
    },
    prices: async () => prices,
    want: async (userID, tokens) => {
      wanted.push(...tokens.map(({ token }) => `${userID} ${token}`));
    },
    looked: recentLooks(),
  };
});

const unavailable = () => new ChainUnavailable("base");
const noToken = () => new DomainError("TOKEN_NOT_FOUND", "There is no token");

const native = { pool: "0x01", quote: "native" };

let tokens = 0;
/** Creates a new token for each test. */
const newToken = () => `0x2${String(++tokens).padStart(39, "0")}`;

let users = 0;
const newUser = () => `user${++users}`;

const marketOf = async (asked: Partial<Parameters<typeof getMarket>[1]> = {}) => {
  const request = { userID: "ann", chain: "base", token: moon, now, ...asked } as const;
  return (await getMarket(deps, request)).market;
};

const store = (market: Market) => writeMarket(db.table, { market, state: {} }, { epoch: 1, wantedAt: now });

describe("getMarket", () => {
  it("shows a stored market that is at most 15 seconds old, in the coin, in dollars and in the quote", async () => {
    await store(marketAt(ago(15)));
    expect(await marketOf({ token: moon.toLowerCase() })).toEqual({
      chain: "base",
      token: moon,
      symbol: "MOON",
      name: "Moon",
      decimals: 18,
      price: "0.0001",
      priceUsd: "0.26",
      usdSource: "coinbase",
      change1h: 25,
      change24h: -50,
      high24h: "0.00025",
      low24h: "0.00007",
      volume24h: "812.4",
      trades24h: 1204,
      liquidity: "12",
      liquidityUsd: "31200",
      fdvUsd: "260000",
      pool: { venue: "uniswap-v2", pool: "0x01", feeBps: 30, quote: "native" },
      pools: 2,
      flags: [],
      history: "complete",
      block: 57,
      asOf: ago(15).toISOString(),
    });
    expect(looked).toBe(0);
    expect(wanted).toEqual([`ann ${moon}`]);
  });

  it("converts prices of a pool with dollars, and keeps the day's figures in dollars", async () => {
    const pool = { ...marketAt(now).pool, quote: otherToken } as NonNullable<Market["pool"]>;
    await store(marketAt(now, { token: otherToken, pool, price: decimal("0.26") }));
    expect(await marketOf({ token: otherToken })).toMatchObject({
      price: "0.0001",
      priceUsd: "0.26",
      volume24h: "812.4",
      pool: { quote: otherToken },
    });
    prices = [];
    const market = await marketOf({ token: otherToken });
    expect(market).toMatchObject({ priceUsd: "0.26" });
    expect(market).not.toHaveProperty("price");
    expect(market).not.toHaveProperty("usdSource");
  });

  it("queries a host if the stored market is older, and keeps the day's figures if they are in the same quote", async () => {
    await store(marketAt(ago(16), { revision: 4, hasGaps: true }));
    looks = [marketAt(now, { price: decimal("0.0003"), block: 90, revision: 0, history: "loading" })];
    expect(await marketOf()).toMatchObject({
      price: "0.0003",
      block: 90,
      change24h: 50,
      trades24h: 1204,
      history: "complete",
      flags: ["GAPS"],
      asOf: now.toISOString(),
    });
    expect(last).toBe("0x01");
  });

  it("computes the day from candles, because stored figures may be ten minutes old", async () => {
    const token = newToken();
    await store(marketAt(ago(300), { token }));
    const save = (kind: "minutes" | "hours", minutesAgo: number, close: string, pool = native) => {
      const [price, start] = [decimal(close), now.getTime() / 1000 - minutesAgo * 60];
      const prices = { open: price, high: price, low: price, close: price };
      const candle = {
        start,
        ...prices,
        volume: decimal("2"),
        trades: 3,
        pool,
        isFinal: true,
        hasGaps: false,
      };
      return tokenStore(db.table).writer(1).saveCandles({ chain: "base", token }, kind, [candle], 1);
    };
    // Stores two minute candles from before the day, and an hour candle that counts only through its minute candle.
    await save("minutes", 24 * 60 + 1, "0.0002");
    await save("minutes", 24 * 60, "0.0009");
    await save("minutes", 24 * 60 - 1, "0.0004");
    await save("hours", 24 * 60, "0.0009");
    await save("hours", 20 * 60, "0.00005");
    await save("minutes", 61, "0.00025");
    await save("minutes", 2, "0.00028");
    await save("minutes", 1, "7", { pool: "0x02", quote: otherToken });
    looks = [marketAt(now, { token, price: decimal("0.0003") })];
    expect(await marketOf({ token })).toMatchObject({
      price: "0.0003",
      change1h: 20,
      change24h: -66.6667,
      high24h: "0.0004",
      low24h: "0.00005",
      volume24h: "8",
      trades24h: 12,
    });
  });

  it.each([
    ["above", "0.00026", { high24h: "0.00026", low24h: "0.00007" }],
    ["below", "0.00006", { high24h: "0.00025", low24h: "0.00006" }],
  ])("extends the day's range to a new price %s it, even without a trade", async (_, text, expected) => {
    await store(marketAt(ago(16)));
    looks = [marketAt(now, { price: decimal(text) })];
    expect(await marketOf()).toMatchObject({ price: text, ...expected });
  });

  it.each([
    ["in another quote", ago(16), otherToken],
    ["older than ten minutes", ago(601), "native"],
  ])("omits the day's figures if they are %s", async (_, asOf, quote) => {
    const market = marketAt(asOf);
    await store({ ...market, pool: { ...market.pool, quote } as NonNullable<Market["pool"]> });
    looks = [marketAt(now)];
    const shown = await marketOf();
    expect(shown).toMatchObject({ price: "0.0001", flags: [] });
    expect(last).toBe(asOf < ago(600) ? undefined : "0x01");
    for (const name of ["change1h", "change24h", "high24h", "low24h", "volume24h", "trades24h"])
      expect(shown).not.toHaveProperty(name);
  });

  it("shows a newly wanted token without the day's figures, and asks the market reader to read the token", async () => {
    looks = [
      marketAt(now, { token: otherToken, history: "loading", day: { volume: decimal("0"), trades: 0 } }),
    ];
    const market = await marketOf({ chain: "eth", token: otherToken, userID: "bob" });
    expect(market).toMatchObject({ price: "0.0001", history: "loading", flags: [] });
    expect(market).not.toHaveProperty("volume24h");
    expect(wanted).toEqual([`bob ${otherToken}`]);
  });

  it("shows that nobody has traded in a day whose history is complete", async () => {
    const token = newToken();
    await store(marketAt(now, { token, day: { volume: decimal("0"), trades: 0 } }));
    expect(await marketOf({ token })).toMatchObject({ volume24h: "0", trades24h: 0 });
  });

  it("shows no market value if the token does not state its supply", async () => {
    const { supply: _, ...rest } = marketAt(now);
    await store(rest);
    const market = await marketOf();
    expect(market).toMatchObject({ priceUsd: "0.26" });
    expect(market).not.toHaveProperty("fdvUsd");
  });

  it("shows a token without a pool", async () => {
    const { pool: _, price: __, ...rest } = marketAt(now, { pools: 0 });
    looks = [rest];
    await store(marketAt(ago(1000)));
    const market = await marketOf();
    expect(market).toMatchObject({ symbol: "MOON", pools: 0, flags: ["NO_POOL"] });
    for (const name of ["price", "priceUsd", "liquidity", "pool", "fdvUsd"])
      expect(market).not.toHaveProperty(name);
  });

  it("queries a host at most once in two seconds, however many requests arrive", async () => {
    await store(marketAt(ago(1000)));
    looks = [marketAt(now), marketAt(later(3), { block: 58 })];
    await marketOf();
    expect(await marketOf({ now: later(2) })).toMatchObject({ block: 57, flags: [] });
    expect(looked).toBe(1);
    expect(await marketOf({ now: later(3) })).toMatchObject({ block: 58 });
    expect(looked).toBe(2);
  });

  it("shows the stored market as STALE if no host answers", async () => {
    await store(marketAt(ago(700)));
    looks = [unavailable()];
    expect(await marketOf()).toMatchObject({ price: "0.0001", block: 57, flags: ["STALE"] });
  });

  it("fails if a stored token is no longer a token", async () => {
    await store(marketAt(ago(700)));
    looks = [noToken()];
    await expect(marketOf()).rejects.toMatchObject({ code: "TOKEN_NOT_FOUND" });
  });

  it("shows the stored market as STALE after a user's 30 looks in a minute", async () => {
    await store(marketAt(ago(700)));
    const userID = newUser();
    for (let second = 0; second < 30; second++) {
      looks = [marketAt(later(second * 1.9))];
      expect(await marketOf({ userID, now: later(second * 1.9) })).toMatchObject({ flags: [] });
      deps.looked = recentLooks();
    }
    looks = [marketAt(later(58))];
    expect(await marketOf({ userID, now: later(58) })).toMatchObject({ flags: ["STALE"], block: 57 });
    expect(await marketOf({ userID: newUser(), now: later(58) })).toMatchObject({ flags: [] });
    looks = [marketAt(later(60))];
    expect(await marketOf({ userID, now: later(60) })).toMatchObject({ flags: [] });
  });

  it("prefers the last look of the same process to an older stored market", async () => {
    await store(marketAt(ago(700)));
    looks = [marketAt(now, { block: 99 }), unavailable(), unavailable()];
    await marketOf();
    expect(await marketOf({ now: later(10) })).toMatchObject({ block: 99, flags: [] });
    expect(await marketOf({ now: later(20) })).toMatchObject({ block: 99, flags: ["STALE"] });
  });

  it("rejects an unknown token after 30 looks, and changes nothing", async () => {
    const userID = newUser();
    looks = Array.from({ length: 30 }, noToken);
    const unknown = "0x00000000000000000000000000000000000000aa";
    for (let count = 0; count < 30; count++)
      await expect(marketOf({ userID, token: unknown })).rejects.toThrow("There is no token");
    await expect(marketOf({ userID, token: unknown })).rejects.toMatchObject({ code: "LOOK_LIMIT_REACHED" });
    expect(looked).toBe(30);
    expect(wanted).toEqual([]);
  });

  it.each<[string, Error | undefined, object]>([
    ["is no token", noToken(), { code: "TOKEN_NOT_FOUND" }],
    ["cannot be asked for", unavailable(), { name: "ChainUnavailable" }],
  ])("fails for an address that %s, unless it is stored", async (_, error, expected) => {
    looks = error ? [error] : [];
    const unknown = { token: "0x00000000000000000000000000000000000000bb", userID: newUser() };
    await expect(marketOf(unknown)).rejects.toMatchObject(expected);
    expect(wanted).toEqual([]);
  });

  it.each<[string, object, object]>([
    ["a chain that does not trade here", { chain: "bsc" }, { code: "UNSUPPORTED_CHAIN" }],
    [
      "a wrong checksum",
      { token: moon.replace("D", "d") },
      { code: "INVALID_REQUEST", details: { field: "token" } },
    ],
    ["an address of another family", { chain: "sol" }, { code: "INVALID_REQUEST" }],
  ])("rejects a request with %s", async (_, asked, expected) => {
    await expect(marketOf(asked)).rejects.toMatchObject(expected);
    expect(looked).toBe(0);
  });

  it("shows the coin and the wrapped coin at the exchange's price", async () => {
    expect(await marketOf({ token: "native" })).toEqual({
      chain: "base",
      token: "native",
      symbol: "ETH",
      name: "Ether",
      decimals: 18,
      price: "1",
      priceUsd: "2600",
      usdSource: "coinbase",
      pools: 0,
      flags: [],
      history: "unavailable",
      asOf: now.toISOString(),
    });
    const wrapped = chains.get("base")?.configuration.wrapped.token ?? "";
    expect(await marketOf({ token: wrapped })).toMatchObject({ symbol: "WETH", priceUsd: "2600" });
    prices = [{ ...coin, asOf: ago(61).toISOString() }];
    const old = await marketOf({ token: "native" });
    expect(old).toMatchObject({ flags: ["STALE"] });
    expect(old).not.toHaveProperty("priceUsd");
    expect([looked, wanted]).toEqual([0, []]);
  });
});
