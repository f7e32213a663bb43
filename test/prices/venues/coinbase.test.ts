import { describe, expect, it } from "vitest";
import { coinbase } from "../../../lib/prices/venues/coinbase.ts";

const ticker = {
  type: "ticker",
  sequence: 37475248783,
  product_id: "ETH-USD",
  price: "1285.22",
  open_24h: "1310.79",
  volume_24h: "245532.79269678",
  low_24h: "1280.52",
  high_24h: "1313.8",
  volume_30d: "9788783.60117027",
  best_bid: "1285.04",
  best_bid_size: "0.46688654",
  best_ask: "1285.27",
  best_ask_size: "1.56637040",
  side: "buy",
  time: "2026-10-19T23:28:22.061769Z",
  trade_id: 370843401,
  last_size: "11.4396987",
};

describe("coinbase", () => {
  it("subscribes to a product's ticker and heartbeat", () => {
    expect(JSON.parse(coinbase.subscribe("ETH-USD"))).toEqual({
      type: "subscribe",
      product_ids: ["ETH-USD"],
      channels: ["ticker", "heartbeat"],
    });
  });

  it("reads an exact price and its time", () => {
    expect(coinbase.read(ticker)).toEqual([
      { kind: "price", product: "ETH-USD", price: "1285.22", asOf: new Date("2026-10-19T23:28:22.061Z") },
    ]);
    expect(coinbase.read({ ...ticker, price: "1285.20" })).toMatchObject([{ price: "1285.20" }]);
  });

  it("reads a price without a time", () => {
    const { time: _, ...rest } = ticker;
    expect(coinbase.read(rest)).toMatchObject([{ kind: "price", asOf: undefined }]);
  });

  it.each([
    ["missing", { ...ticker, price: undefined }],
    ["a number", { ...ticker, price: 1285.22 }],
    ["a text", { ...ticker, price: "much" }],
    ["empty", { ...ticker, price: "" }],
    ["zero", { ...ticker, price: "0.00" }],
    ["signed", { ...ticker, price: "-1285.22" }],
    ["written with an exponent", { ...ticker, price: "1e3" }],
    ["NaN", { ...ticker, price: "NaN" }],
    ["infinite", { ...ticker, price: "Infinity" }],
    ["too long", { ...ticker, price: "9".repeat(100) }],
    ["padded with a space", { ...ticker, price: " 1285.22" }],
    ["of no product", { ...ticker, product_id: null }],
    ["of no valid time", { ...ticker, time: "yesterday" }],
  ])("rejects a price that is %s", (_, message) => {
    expect(coinbase.read(message)).toEqual([{ kind: "unreadable", what: "not a price" }]);
  });

  it("reads every product with an acknowledged ticker", () => {
    expect(
      coinbase.read({
        type: "subscriptions",
        channels: [
          { name: "heartbeat", product_ids: ["BNB-USD"] },
          { name: "ticker", product_ids: ["ETH-USD", "SOL-USD"] },
        ],
      }),
    ).toEqual([{ kind: "acknowledged", products: ["ETH-USD", "SOL-USD"] }]);
  });

  it("reads a refusal with or without a product", () => {
    const error = { type: "error", message: "Failed to subscribe" };
    expect([
      coinbase.read({ ...error, reason: "BNB-USD is not a valid product" }),
      coinbase.read({ ...error, reason: "You need to specify at least one product ID for channel ticker" }),
      coinbase.read(error),
      coinbase.read({ ...error, reason: 7 }),
    ]).toEqual([
      [{ kind: "refused", product: "BNB-USD" }],
      [{ kind: "refused", product: undefined }],
      [{ kind: "refused", product: undefined }],
      [{ kind: "refused", product: undefined }],
    ]);
  });

  it.each([
    { type: "heartbeat", sequence: 90, last_trade_id: 20, product_id: "ETH-USD", time: ticker.time },
    { type: "l2update", product_id: "ETH-USD", changes: [["buy", "10101.80000000", "0.162567"]] },
    { type: "something new" },
  ])("ignores messages without prices: %o", (message) => {
    expect(coinbase.read(message)).toEqual([]);
  });

  it.each([{}, [], { type: 1 }, { type: "subscriptions" }, { type: "subscriptions", channels: ["ticker"] }])(
    "rejects an invalid message: %o",
    (message) => {
      expect(coinbase.read(message)).toEqual([{ kind: "unreadable", what: "not a message" }]);
    },
  );
});
