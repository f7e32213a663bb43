import { describe, expect, it } from "vitest";
import type { Market } from "../../../lib/markets/core/market.ts";
import { TokenSaving } from "../../../lib/markets/runs/token-saving.ts";
import { candle } from "../support/candles.ts";

const name = { chain: "base", token: "0xtoken" } as const;
const nowMs = Date.parse("2026-11-22T20:00:05Z");

/** Returns a row of the token with this reference pool. */
const rowOf = (pool: string | undefined) => ({
  market: { ...name, ...(pool && { pool: { pool } }) } as Market,
  state: {},
});

/** Saves a minute in a run that follows one with the first pool. Returns the pools of the rows that were stored. */
async function rowsAfter(last: string | undefined, pools: readonly (string | undefined)[]) {
  const saving = new TokenSaving(name);
  saving.restore({ minutes: [], hours: [], row: last === undefined ? undefined : rowOf(last) }, nowMs);
  const rows: (string | undefined)[] = [];
  const writer = {
    saveCandles: async () => {},
    saveMarket: async ({ market }: { market: Market }) => {
      rows.push(market.pool?.pool);
    },
  };
  const market = { takeUnsaved: () => [], giveBack: () => {} };
  for (const [minute, pool] of pools.entries()) {
    const unsaved = { market, row: rowOf(pool), revision: 1, wantedMs: nowMs, isLast: false };
    await saving.save({ loadCandles: async () => [] }, writer, unsaved, nowMs + minute * 60_000);
  }
  return rows;
}

describe("TokenSaving", () => {
  it("stores the row with the first minute of a new reference pool, also of one that a new run chooses", async () => {
    expect(await rowsAfter("0xa", ["0xb", "0xb"])).toEqual(["0xb"]);
    expect(await rowsAfter("0xa", ["0xa", "0xb", "0xb"])).toEqual(["0xb"]);
    expect(await rowsAfter(undefined, ["0xa", "0xa"])).toEqual(["0xa"]);
  });

  it("stores the row of the same reference pool only every five minutes", async () => {
    expect(await rowsAfter("0xa", ["0xa", "0xa", "0xa", "0xa", "0xa", "0xa"])).toEqual(["0xa"]);
  });

  it("stores an hour again that could not be stored", async () => {
    const saving = new TokenSaving(name);
    const hour = Date.parse("2026-11-22T18:00:00Z") / 1000;
    saving.restore({ minutes: [candle(hour + 60, "1")], hours: [], row: rowOf("0xa") }, nowMs);
    let isFailing = true;
    const stored: string[] = [];
    const writer = {
      saveCandles: async (_: unknown, kind: string) => {
        if (kind === "hours" && isFailing) throw new Error("throttled");
        stored.push(kind);
      },
      saveMarket: async () => {},
    };
    const market = { takeUnsaved: () => [], giveBack: () => {} };
    const unsaved = { market, row: rowOf("0xa"), revision: 1, wantedMs: nowMs, isLast: false };
    const save = () => saving.save({ loadCandles: async () => [] }, writer, unsaved, nowMs);
    await expect(save()).rejects.toThrow("throttled");
    isFailing = false;
    await save();
    await save();
    expect(stored.filter((kind) => kind === "hours")).toHaveLength(1);
  });
});
