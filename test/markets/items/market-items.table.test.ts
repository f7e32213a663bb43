import { describe, expect, it } from "vitest";
import type { Market } from "../../../lib/markets/core/market.ts";
import { marketKey } from "../../../lib/markets/items/keys.ts";
import { allMarketsOf, readMarket, writeMarket } from "../../../lib/markets/items/market-items.ts";
import { readItem } from "../../../lib/table/table.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { putItems } from "../../support/items.ts";

const db = tableForTests();

const wantedAt = new Date("2026-11-26T12:00:00.000Z");
const market = (token: string, changes: Partial<Market> = {}): Market => ({
  chain: "base",
  token,
  symbol: "MOON",
  name: "Moon",
  decimals: 18,
  supply: { mantissa: 10n ** 17n + 1n, exponent: 10 },
  pools: 0,
  price: { mantissa: 123456789012345678n, exponent: -60 },
  block: 57,
  blockTime: 1_795_780_800,
  asOf: wantedAt.toISOString(),
  revision: 0,
  day: { volume: { mantissa: 0n, exponent: 0 }, trades: 0 },
  hasGaps: false,
  history: "loading",
  firstSeenAt: wantedAt.toISOString(),
  ...changes,
});
const state = { from: 5, word: (1n << 160n) - 1n };
const write = (token: string, epoch: number, changes: Partial<Market> = {}) =>
  writeMarket(db.table, { market: market(token, changes), state }, { epoch, wantedAt });

describe("writeMarket", () => {
  it("writes every digit of a market, and keeps the market for eight days after the token was wanted", async () => {
    expect(await write("0xa", 1)).toBe(true);
    expect(await readMarket(db.table, { chain: "base", token: "0xa" })).toEqual({
      market: market("0xa"),
      state,
    });
    const stored = await readItem<{ expiresAt: number }>(db.table, marketKey(market("0xa")));
    expect(stored?.expiresAt).toBe(wantedAt.getTime() / 1000 + 8 * 86_400);
  });

  it("rejects writes of a run that was replaced", async () => {
    expect(await write("0xb", 3)).toBe(true);
    expect(await write("0xb", 2, { block: 58 })).toBe(false);
    expect(await write("0xb", 3, { block: 59 })).toBe(true);
    expect(await write("0xb", 4, { block: 60 })).toBe(true);
    expect(await readMarket(db.table, market("0xb"))).toMatchObject({ market: { block: 60 } });
  });

  it("leaves an item written by newer code unchanged", async () => {
    const later = { ...marketKey(market("0xc")), content: "?", epoch: 1, format: 2 };
    await putItems(db.table, [later]);
    expect(await readMarket(db.table, market("0xc"))).toBeUndefined();
    expect(await write("0xc", 2)).toBe(false);
  });
});

it("finds all markets of a chain with allMarketsOf", async () => {
  const tokens = Array.from({ length: 20 }, (_, index) => `0x${index}`);
  for (const token of tokens) await write(token, 1, { chain: "avax" });
  const found = await allMarketsOf(db.table, "avax");
  expect(found.map((each) => each.market.token).toSorted()).toEqual(tokens.toSorted());
  expect(await allMarketsOf(db.table, "eth")).toEqual([]);
});
