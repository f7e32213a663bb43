import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decimalOf } from "../../../lib/core/decimal.ts";
import { type Candle, type CandlePool, intervalSeconds } from "../../../lib/markets/core/candle.ts";
import {
  chunkEnd,
  chunkIntervals,
  chunkKinds,
  chunkStart,
  packChunk,
  unpackChunk,
} from "../../../lib/markets/core/candle-chunk.ts";
import { candleAt, pools } from "./support/arbitraries.ts";

const secondsOf = (text: string) => Date.parse(text) / 1000;
const noon = secondsOf("2028-03-01T12:34:56Z");

/** Generates a chunk with candles at some of its positions. */
const chunks = fc.constantFrom(...chunkKinds).chain((kind) => {
  const start = chunkStart(kind, noon);
  const seconds = intervalSeconds[chunkIntervals[kind]];
  const places = (chunkEnd(kind, start) - start) / seconds;
  return fc
    .uniqueArray(fc.nat(places - 1), { maxLength: Math.min(places, 12) })
    .chain((slots) =>
      fc.tuple(...slots.toSorted((a, b) => a - b).map((slot) => candleAt(start + slot * seconds))),
    )
    .map((candles) => ({ kind, start, candles }));
});

describe("a chunk", () => {
  it.each([
    ["minutes", "2028-03-01T12:30:00Z", "2028-03-01T12:40:00Z"],
    ["hours", "2028-03-01T00:00:00Z", "2028-03-02T00:00:00Z"],
    ["days", "2028-01-01T00:00:00Z", "2029-01-01T00:00:00Z"],
  ] as const)("starts the chunk of %s that contains noon at %s", (kind, start, end) => {
    expect(chunkStart(kind, noon)).toBe(secondsOf(start));
    expect(chunkStart(kind, secondsOf(start))).toBe(secondsOf(start));
    expect(chunkEnd(kind, secondsOf(start))).toBe(secondsOf(end));
  });

  it("unpacks the packed candles, wherever their bytes lie in memory", () => {
    fc.assert(
      fc.property(chunks, fc.nat(5), ({ kind, start, candles }, offset) => {
        const packed = packChunk(kind, start, candles);
        const within = new Uint8Array(packed.length + offset);
        within.set(packed, offset);
        expect(unpackChunk(kind, start, within.subarray(offset))).toEqual(candles);
      }),
      { numRuns: 100 },
    );
  });

  it("packs ten candles of two pools into at most 0.9 KB", () => {
    fc.assert(
      fc.property(fc.array(candleAt(0), { minLength: 10, maxLength: 10 }), (candles) => {
        const named = candles.map((candle, index) => ({ ...candle, pool: pools[index % 2] as CandlePool }));
        expect(packChunk("minutes", 0, named).length).toBeLessThanOrEqual(921);
      }),
      { numRuns: 20 },
    );
  });

  it("unpacks random bytes only if packing could have produced them", () => {
    fc.assert(
      fc.property(fc.constantFrom(...chunkKinds), fc.uint8Array({ maxLength: 400 }), (kind, bytes) => {
        for (const packed of [
          bytes,
          Uint8Array.from([1, ...bytes]),
          Uint8Array.from([1, 0, ...bytes.subarray(2)]),
        ]) {
          const candles = unpackChunk(kind, 0, packed);
          if (candles !== undefined && candles.length > 0)
            expect(packChunk(kind, 0, candles)).toEqual(packed);
        }
      }),
    );
    expect(unpackChunk("minutes", 0, new Uint8Array())).toBeUndefined();
  });

  it("reads a damaged chunk as a different chunk or as none, and never throws", () => {
    fc.assert(
      fc.property(
        chunks,
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        ({ kind, start, candles }, place, change) => {
          const packed = packChunk(kind, start, candles);
          const cut = packed.slice(0, place % packed.length);
          expect(unpackChunk(kind, start, cut) ?? []).not.toEqual(candles.length > 0 ? candles : undefined);
          packed[place % packed.length] = (packed[place % packed.length] ?? 0) ^ change;
          expect(unpackChunk(kind, start, packed) ?? []).not.toEqual(
            candles.length > 0 ? candles : undefined,
          );
        },
      ),
      { numRuns: 200 },
    );
  });

  it.each([
    ["an unknown format", 0, 2],
    ["a place behind its end", -57, 10],
    ["an unknown pool", -56, 1],
    ["an unknown mark", -55, 8],
    ["an impossible exponent", -2, 0x7f],
  ])("rejects a chunk with %s", (_, place, byte) => {
    const packed = packChunk("minutes", 0, fc.sample(candleAt(60), 1));
    expect(unpackChunk("minutes", 0, packed)).toHaveLength(1);
    packed[place < 0 ? packed.length + place : place] = byte;
    expect(unpackChunk("minutes", 0, packed)).toBeUndefined();
  });

  it("rejects a chunk with a close outside of its prices, or with unsorted candles", () => {
    const [candle] = fc.sample(candleAt(60), 1) as [Candle];
    const high = decimalOf(1n, 99);
    expect(unpackChunk("minutes", 0, packChunk("minutes", 0, [{ ...candle, close: high }]))).toBeUndefined();
    const packed = packChunk("minutes", 0, [candle, { ...candle, start: 0 }]);
    expect(unpackChunk("minutes", 0, packed)).toBeUndefined();
  });
});
