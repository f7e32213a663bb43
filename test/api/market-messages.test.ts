import { describe, expect, it } from "vitest";
import { marketEncoder } from "../../lib/api/market-messages.ts";
import { encodeMessage, type ServerMessage } from "../../lib/api/server-messages.ts";
import type { MarketMessage } from "../../lib/markets/core/market-delivery.ts";
import type { MarketRecord, MinuteRecord } from "../../lib/markets/core/market-record.ts";
import { mostCandleTokens, mostFollowedTokens } from "../../lib/markets/core/market-subscription.ts";
import { price } from "../support/executions.ts";

const time = "2026-11-21T09:00:00.000Z";

const minute: MinuteRecord = {
  time,
  open: "0.0001",
  high: "0.0002",
  low: "0.0001",
  close: "0.0002",
  volume: "12.5",
  trades: 7,
  coinUsd: "2616.26",
  hasGaps: true,
};

const record = (changes: Partial<MarketRecord> = {}): MarketRecord => ({
  chain: "base",
  token: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
  symbol: "MOON",
  decimals: 18,
  price: "0.0001",
  priceUsd: "0.26",
  liquidity: "1.005",
  change24h: -14.8,
  volume24h: "812.4",
  quote: "native",
  flags: ["THIN", "TOO_MANY_TOKENS"],
  revision: 3,
  block: 57,
  asOf: time,
  minutes: [minute, { ...minute, isFinal: true }],
  ...changes,
});

const encode = (message: MarketMessage) => marketEncoder(time)(message);
const bytesOf = (message: MarketMessage) => Buffer.byteLength(encode(message));

/** API Gateway's limit for one message. */
const maxMessageBytes = 128 * 1024;

describe("marketEncoder", () => {
  it("encodes updates according to their schema, whether or not they contain minute candles", () => {
    const { minutes: _, ...without } = record({ chain: "sol" });
    const message: MarketMessage = {
      heads: { base: { block: 57, time }, sol: { block: 9, time } },
      coins: [price(), price({ chain: "avax" })],
      records: [
        { record: record(), hasMinutes: true },
        { record: record({ chain: "sol" }), hasMinutes: false },
      ],
    };
    const { heads, coins } = message;
    const update = { type: "update", channel: "prices", time, heads, data: [...coins, record(), without] };
    expect(encode(message)).toBe(encodeMessage(update as ServerMessage));
    expect(JSON.parse(encode({ heads: {}, coins: [], records: [] }))).toEqual({
      ...update,
      heads: {},
      data: [],
    });
  });

  it("encodes each record once for all messages, and drops fields that no schema lists", () => {
    let reads = 0;
    const counted = Object.defineProperty({ ...record(), secret: "s" } as MarketRecord, "price", {
      get: () => String(++reads),
      enumerable: true,
    });
    const encoder = marketEncoder(time);
    const message = { heads: {}, coins: [], records: [{ record: counted, hasMinutes: true }] };
    const texts = [1, 2, 3].map(() => encoder(message));
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).not.toContain("secret");
  });

  it.each([
    ["without a price that is text", { price: 1 as never }],
    ["with an unknown flag", { flags: ["OOPS" as never] }],
  ])("throws for a record %s", (_, changes) => {
    expect(() =>
      encode({ heads: {}, coins: [], records: [{ record: record(changes), hasMinutes: true }] }),
    ).toThrow();
  });

  it("drops minute candles where needed to keep the largest messages within the limit", () => {
    // A price of 10^-333, which pools of tokens with 255 decimals can have.
    const tiny = `0.${"0".repeat(332)}1`;
    const manyMinutes = (decimal: string) =>
      Array.from({ length: 15 }, () => ({
        ...minute,
        open: decimal,
        high: decimal,
        low: decimal,
        close: decimal,
        volume: decimal,
        coinUsd: decimal,
      }));
    const messageOf = (decimal: string): MarketMessage => ({
      heads: { eth: { block: 1e9, time }, base: { block: 1e9, time } },
      coins: (["eth", "base", "sol", "bsc", "avax"] as const).map((chain) => price({ chain })),
      records: Array.from({ length: mostFollowedTokens }, (_, index) => ({
        record: record({
          price: decimal,
          priceUsd: decimal,
          liquidity: decimal,
          volume24h: decimal,
          symbol: "価".repeat(64),
          minutes: manyMinutes(decimal),
        }),
        hasMinutes: index < mostCandleTokens,
      })),
    });
    const usual = messageOf("0.000000123456789012345678");
    expect(encode(usual)).toContain("minutes");
    expect(bytesOf(usual)).toBeLessThan(maxMessageBytes);
    const absurd = messageOf(tiny);
    expect(encode(absurd)).not.toContain("minutes");
    expect(bytesOf(absurd)).toBeLessThan(maxMessageBytes);
  });
});
