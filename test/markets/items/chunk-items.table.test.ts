import { describe, expect, it } from "vitest";
import { parseDecimal } from "../../../lib/core/decimal.ts";
import type { Candle } from "../../../lib/markets/core/candle.ts";
import { type ChunkName, readChunks, writeChunk } from "../../../lib/markets/items/chunk-items.ts";
import { chunkKey } from "../../../lib/markets/items/keys.ts";
import { readItem } from "../../../lib/table/table.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { putItems } from "../../support/items.ts";

const db = tableForTests();

const start = 1_795_780_800;
const decimal = (text: string) => parseDecimal(text) as Candle["open"];
const candle = (minute: number): Candle => ({
  start: start + 60 * minute,
  open: decimal("0.1"),
  high: decimal("0.3"),
  low: decimal("0.05"),
  close: decimal("0.2"),
  volume: decimal("12.5"),
  trades: 7,
  pool: { pool: "0x01", quote: "native" },
  isFinal: true,
  hasGaps: false,
});
const token = { chain: "base", token: "0xa" } as const;
const minutes: ChunkName = { ...token, kind: "minutes", start };
const write = (
  name: ChunkName,
  candles: Candle[],
  { epoch = 1, version }: { epoch?: number; version?: number } = {},
) => writeChunk(db.table, name, { candles, revision: 4 }, { epoch, version });

describe("writeChunk", () => {
  it("writes chunks that readChunks returns in order of time", async () => {
    expect(await write({ ...minutes, start: start + 600 }, [candle(12)])).toBe(true);
    expect(await write(minutes, [candle(0), candle(3)])).toBe(true);
    expect(await write({ ...minutes, start: start - 600 }, [])).toBe(true);
    const range = { from: start, to: start + 600 };
    expect(await readChunks(db.table, token, "minutes", range)).toEqual([
      { start, candles: [candle(0), candle(3)], version: 1, revision: 4, epoch: 1 },
      { start: start + 600, candles: [candle(12)], version: 1, revision: 4, epoch: 1 },
    ]);
    expect(await readChunks(db.table, token, "hours", range)).toEqual([]);
  });

  it("overwrites only the version that the writer has read", async () => {
    const name = { ...minutes, token: "0xb" };
    expect(await write(name, [candle(0)])).toBe(true);
    expect(await write(name, [candle(1)])).toBe(false);
    expect(await write(name, [candle(0), candle(1)], { version: 1 })).toBe(true);
    expect(await write(name, [candle(2)], { version: 1 })).toBe(false);
    const [chunk] = await readChunks(db.table, name, "minutes", { from: start, to: start });
    expect(chunk).toMatchObject({ candles: [candle(0), candle(1)], version: 2 });
  });

  it("rejects writes of runs and of code versions that were replaced", async () => {
    const name = { ...minutes, token: "0xc" };
    expect(await write(name, [candle(0)], { epoch: 5 })).toBe(true);
    expect(await write(name, [candle(1)], { epoch: 4, version: 1 })).toBe(false);
    expect(await write(name, [candle(1)], { epoch: 5, version: 1 })).toBe(true);
    const later = {
      ...chunkKey("minutes", token, 0),
      candles: Uint8Array.of(2),
      version: 1,
      epoch: 1,
      format: 2,
    };
    await putItems(db.table, [later]);
    expect(await readChunks(db.table, token, "minutes", { from: 0, to: 0 })).toEqual([]);
    expect(await write({ ...minutes, start: 0 }, [], { epoch: 9, version: 1 })).toBe(false);
  });

  it.each([
    ["minutes", 8 * 86_400 + 600],
    ["hours", 401 * 86_400],
    ["days", undefined],
  ] as const)("keeps %s for a limited time", async (kind, seconds) => {
    const name = { ...token, token: "0xd", kind, start: 1_767_225_600 };
    await write(name, []);
    const item = await readItem<{ expiresAt?: number }>(db.table, chunkKey(kind, name, name.start));
    expect(item?.expiresAt).toBe(seconds && name.start + seconds);
  });
});
