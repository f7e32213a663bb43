import * as v from "valibot";
import { decimalText, PositiveDecimal, type Venue, type VenueEvent, VenueTime } from "./protocol.ts";

const Data = v.object({ channel: v.literal("ticker"), data: v.array(v.unknown()) });

const Ticker = v.object({
  symbol: v.string(),
  last: v.pipe(v.number(), v.transform(decimalText), PositiveDecimal),
  timestamp: v.optional(VenueTime),
});

const Acknowledgement = v.object({
  method: v.literal("subscribe"),
  success: v.literal(true),
  result: v.object({ channel: v.literal("ticker"), symbol: v.string() }),
});

const Failure = v.object({
  method: v.literal("subscribe"),
  success: v.literal(false),
  symbol: v.optional(v.string()),
});

/** Any message except a ticker. Pushed messages have a `channel`, and answers to a request have its `method`. */
const Other = v.union([
  v.object({ channel: v.pipe(v.string(), v.notValue("ticker")) }),
  v.object({ method: v.string() }),
]);

/**
 * Feed of Kraken: https://docs.kraken.com/exchange/api-reference/spot-websocket-v2/ticker. It needs no API key. It
 * sends a heartbeat about once a second if it has nothing else to send, and accepts 150 connections in ten minutes per
 * IP address.
 */
export const kraken: Venue = {
  products: { ETH: "ETH/USD", SOL: "SOL/USD", BNB: "BNB/USD", AVAX: "AVAX/USD" },

  // Subscribes to tickers. The venue sends a snapshot at once, and an update with each trade.
  subscribe: (product) =>
    JSON.stringify({ method: "subscribe", params: { channel: "ticker", symbol: [product] } }),

  read(message) {
    if (v.is(Data, message)) return message.data.map(ticker);
    if (v.is(Acknowledgement, message)) return [{ kind: "acknowledged", products: [message.result.symbol] }];
    if (v.is(Failure, message)) return [{ kind: "refused", product: message.symbol }];
    return v.is(Other, message) ? [] : [{ kind: "unreadable", what: "not a message" }];
  },
};

function ticker(data: unknown): VenueEvent {
  const { success, output } = v.safeParse(Ticker, data);
  if (!success) return { kind: "unreadable", what: "not a price" };
  return { kind: "price", product: output.symbol, price: output.last, asOf: output.timestamp };
}
