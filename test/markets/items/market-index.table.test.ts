import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { IndexedToken } from "../../../lib/markets/core/token-search.ts";
import { readMarketIndex, writeMarketIndex } from "../../../lib/markets/items/market-index.ts";
import { tableForTests } from "../../support/dynamodb.ts";

const db = tableForTests();
const now = new Date("2026-11-22T20:00:00Z");

const tokenOf = (depthUsd: number, name: string): IndexedToken => ({
  chain: "base",
  token: `0x${randomBytes(20).toString("hex")}`,
  symbol: name.slice(0, 8),
  name,
  decimals: 18,
  depthUsd,
  firstSeen: 1_795_000_000,
});

describe("the index of markets", () => {
  it("returns an empty index before it is written", async () => {
    expect(await readMarketIndex(db.table, "eth")).toEqual([]);
  });

  it("keeps the 2000 deepest tokens of a chain in the index", async () => {
    const tokens = Array.from({ length: 2500 }, (_, index) => tokenOf(index, `Token ${index} 🚀`));
    expect(await writeMarketIndex(db.table, "base", tokens, { epoch: 1, now })).toBe(true);
    expect(await readMarketIndex(db.table, "base")).toEqual(tokens.toReversed().slice(0, 2000));
  });

  it("omits the shallowest tokens if the index would be too large for an item", async () => {
    const tokens = Array.from({ length: 2000 }, (_, index) =>
      tokenOf(index, randomBytes(128).toString("base64")),
    );
    expect(await writeMarketIndex(db.table, "bsc", tokens, { epoch: 1, now })).toBe(true);
    const found = await readMarketIndex(db.table, "bsc");
    expect(found.length).toBeGreaterThan(500);
    expect(found.map(({ depthUsd }) => depthUsd)).toEqual(found.map((_, index) => 1999 - index));
  });

  it("rejects the index of an earlier run", async () => {
    expect(await writeMarketIndex(db.table, "avax", [tokenOf(1, "Later")], { epoch: 3, now })).toBe(true);
    expect(await writeMarketIndex(db.table, "avax", [tokenOf(1, "Earlier")], { epoch: 2, now })).toBe(false);
    expect(await readMarketIndex(db.table, "avax")).toMatchObject([{ name: "Later" }]);
  });
});
