import { describe, expect, it } from "vitest";
import { ChainUnavailable } from "../../../lib/chains/hosts/host-fault.ts";
import type { NewTokens, ReadNewPools } from "../../../lib/markets/core/new-tokens.ts";
import {
  endPoolTurn,
  readMadeTokens,
  readNewTokens,
  takePoolTurn,
  turnMs,
  writeNewTokens,
} from "../../../lib/markets/items/new-tokens.ts";
import { listNewTokens } from "../../../lib/markets/list-new-tokens.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { silentChains } from "../support/markets.ts";

const db = tableForTests();
const now = new Date("2026-11-22T20:00:00Z");
const seconds = now.getTime() / 1000;
const later = (ms: number) => new Date(now.getTime() + ms);

const tokens = (name: string): NewTokens => ({
  pools: [{ pool: "0xpool", venue: "uniswap-v2", token: "0xtoken", time: seconds - 60, isConfirmed: true }],
  looks: {
    "0xtoken": {
      at: seconds,
      found: {
        symbol: "NEW",
        name,
        decimals: 18,
        listed: false,
        sellable: true,
        buyTax: 0,
        sellTax: 5,
        flags: ["TAXED"],
        liquidity: "2",
      },
    },
  },
  readAt: seconds - 1,
  since: seconds - 86_400,
  state: { high: 7 },
});

describe("the turn to read new pools", () => {
  it("goes to one of many requests, and to another one two seconds after its start", async () => {
    const taken = await Promise.all(Array.from({ length: 20 }, () => takePoolTurn(db.table, "bsc", now)));
    expect(taken.filter((epoch) => epoch !== undefined)).toEqual([1]);
    await endPoolTurn(db.table, "bsc", { epoch: 1, startedAt: now });
    expect(await takePoolTurn(db.table, "bsc", later(turnMs - 1))).toBeUndefined();
    expect(await takePoolTurn(db.table, "bsc", later(turnMs))).toBe(2);
  });

  it("goes to another request after ten seconds if nothing ends it, and the late one then stores nothing", async () => {
    expect(await takePoolTurn(db.table, "avax", now)).toBe(1);
    expect(await takePoolTurn(db.table, "avax", later(9999))).toBeUndefined();
    expect(await takePoolTurn(db.table, "avax", later(10_000))).toBe(2);
    await endPoolTurn(db.table, "avax", { epoch: 1, startedAt: now });
    expect(await takePoolTurn(db.table, "avax", later(10_001))).toBeUndefined();
    expect(await writeNewTokens(db.table, "avax", tokens("Later"), { epoch: 2, now })).toBe(true);
    expect(await writeNewTokens(db.table, "avax", tokens("Late"), { epoch: 1, now })).toBe(false);
    expect(await readNewTokens(db.table, "avax")).toEqual(tokens("Later"));
    expect(await readMadeTokens(db.table, "avax", now)).toMatchObject([{ chain: "avax", name: "Later" }]);
    expect(await readMadeTokens(db.table, "avax", later(86_400_000))).toEqual([]);
  });
});

describe("listNewTokens", () => {
  const reading = (newPools: ReadNewPools | undefined) => ({
    table: db.table,
    chains: silentChains(),
    newPoolsOf: () => newPools,
  });
  const list = (newPools: ReadNewPools, at = now) =>
    listNewTokens(reading(newPools), { chain: "base", now: at });

  it("reads once for all who ask within two seconds, and continues where the last turn ended", async () => {
    const before: unknown[] = [];
    const read: ReadNewPools = async (known) => {
      before.push(known?.state);
      return tokens(`Read ${before.length}`);
    };
    const first = {
      since: "2026-11-21T20:00:00.000Z",
      asOf: "2026-11-22T19:59:59.000Z",
      tokens: [
        {
          chain: "base",
          token: "0xtoken",
          symbol: "NEW",
          name: "Read 1",
          decimals: 18,
          listed: false,
          sellable: true,
          buyTax: 0,
          sellTax: 5,
          flags: ["TAXED"],
          liquidity: "2",
          pool: "0xpool",
          venue: "uniswap-v2",
          madeAt: "2026-11-22T19:59:00.000Z",
          isConfirmed: true,
        },
      ],
    };
    expect(await list(read)).toEqual(first);
    expect(await list(read, later(1))).toEqual(first);
    expect(await list(read, later(turnMs))).toMatchObject({ tokens: [{ name: "Read 2" }] });
    expect(before).toEqual([undefined, { high: 7 }]);
  });

  it("shows what is known while no host answers, and lets the next turn try again", async () => {
    const fail: ReadNewPools = () => Promise.reject(new ChainUnavailable("base"));
    expect(await list(fail, later(10_000))).toMatchObject({ tokens: [{ name: "Read 2" }] });
    expect(await list(async () => tokens("Read 3"), later(12_000))).toMatchObject({
      tokens: [{ name: "Read 3" }],
    });
  });

  it("returns an empty list before anything has been read", async () => {
    const fail: ReadNewPools = () => Promise.reject(new ChainUnavailable("eth"));
    expect(await listNewTokens(reading(fail), { chain: "eth", now })).toEqual({ tokens: [] });
  });

  it("refuses chains whose new pools are not read, and names the field", async () => {
    await expect(listNewTokens(reading(undefined), { chain: "sol", now })).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      details: { field: "chain" },
    });
  });
});
