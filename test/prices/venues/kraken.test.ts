import { describe, expect, it } from "vitest";
import { kraken } from "../../../lib/prices/venues/kraken.ts";

const data = {
  symbol: "BNB/USD",
  bid: 598.43,
  bid_qty: 1.2,
  ask: 600.08,
  ask_qty: 0.7,
  last: 600.21,
  volume: 2210.5,
  vwap: 599.1,
  low: 590.0,
  high: 610.0,
  change: -1.3,
  change_pct: -0.22,
};
const ticker = (...all: object[]) => ({ channel: "ticker", type: "update", data: all });
const times = { time_in: "2026-09-24T10:00:00.000001Z", time_out: "2026-09-24T10:00:00.000002Z" };

describe("kraken", () => {
  it("subscribes to a product's ticker", () => {
    expect(JSON.parse(kraken.subscribe("ETH/USD"))).toEqual({
      method: "subscribe",
      params: { channel: "ticker", symbol: ["ETH/USD"] },
    });
  });

  it.each(["snapshot", "update"])("reads a price from a %s", (type) => {
    expect(kraken.read({ channel: "ticker", type, data: [data] })).toEqual([
      { kind: "price", product: "BNB/USD", price: "600.21", asOf: undefined },
    ]);
  });

  it("reads the time of a price, if present", () => {
    expect(kraken.read(ticker({ ...data, timestamp: "2026-07-30T21:00:05.123456Z" }))).toMatchObject([
      { price: "600.21", asOf: new Date("2026-07-30T21:00:05.123Z") },
    ]);
  });

  it.each([
    [600, "600"],
    [0.1, "0.1"],
    [1e-7, "0.0000001"],
    [1.5e-9, "0.0000000015"],
    [123456789.12345678, "123456789.12345678"],
    [1e17, "100000000000000000"],
  ])("writes %f without an exponent", (last, price) => {
    expect(kraken.read(ticker({ ...data, last }))).toMatchObject([{ price }]);
  });

  it.each([0, -1, 1e21, 1e-40, null, "600.21", undefined, Number.NaN, Number.POSITIVE_INFINITY])(
    "rejects %s as a price, but reads the other prices",
    (last) => {
      expect(kraken.read(ticker({ ...data, last }, data))).toEqual([
        { kind: "unreadable", what: "not a price" },
        { kind: "price", product: "BNB/USD", price: "600.21", asOf: undefined },
      ]);
    },
  );

  it("reads an acknowledgement", () => {
    const result = { channel: "ticker", event_trigger: "trades", snapshot: true, symbol: "ETH/USD" };
    expect(kraken.read({ method: "subscribe", result, success: true, ...times })).toEqual([
      { kind: "acknowledged", products: ["ETH/USD"] },
    ]);
  });

  it("reads a refusal with or without a product", () => {
    const error = { error: "Currency pair not supported BNB/USD", method: "subscribe", success: false };
    expect([kraken.read({ ...error, symbol: "BNB/USD", ...times }), kraken.read(error)]).toEqual([
      [{ kind: "refused", product: "BNB/USD" }],
      [{ kind: "refused", product: undefined }],
    ]);
  });

  it.each([
    { channel: "heartbeat" },
    { channel: "status", type: "update", data: [{ system: "online", api_version: "v2" }] },
    { method: "pong", req_id: 101, ...times },
    { channel: "something new", data: [data] },
  ])("ignores messages without prices: %o", (message) => {
    expect(kraken.read(message)).toEqual([]);
  });

  it.each([{}, [], { channel: 1 }, { channel: "ticker" }, { channel: "ticker", data: "BNB/USD" }])(
    "rejects an invalid message: %o",
    (message) => {
      expect(kraken.read(message)).toEqual([{ kind: "unreadable", what: "not a message" }]);
    },
  );
});
