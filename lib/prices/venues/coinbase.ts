import * as v from "valibot";
import { PositiveDecimal, type Venue, type VenueEvent, VenueTime } from "./protocol.ts";

const Typed = v.object({ type: v.string() });

const Ticker = v.object({ product_id: v.string(), price: PositiveDecimal, time: v.optional(VenueTime) });

const Subscriptions = v.object({
  channels: v.array(v.object({ name: v.string(), product_ids: v.array(v.string()) })),
});

const Failure = v.object({ reason: v.optional(v.string(), "") });

/**
 * Feed of Coinbase Exchange: https://docs.cdp.coinbase.com/exchange/websocket-feed/overview. It needs no API key. It
 * closes a connection that does not subscribe within 5 seconds, accepts 8 connections a second per IP address, and may
 * add types of messages at any time.
 */
export const coinbase: Venue = {
  products: { ETH: "ETH-USD", SOL: "SOL-USD", BNB: "BNB-USD", AVAX: "AVAX-USD" },

  // Subscribes to tickers and heartbeats. The venue sends the latest ticker at once, a new one with each trade, and a
  // heartbeat every second.
  subscribe: (product) =>
    JSON.stringify({ type: "subscribe", product_ids: [product], channels: ["ticker", "heartbeat"] }),

  read(message) {
    const typed = v.safeParse(Typed, message);
    if (!typed.success) return [{ kind: "unreadable", what: "not a message" }];
    switch (typed.output.type) {
      case "ticker":
        return [ticker(message)];
      case "subscriptions":
        return [subscriptions(message)];
      case "error":
        return [{ kind: "refused", product: refusedProduct(message) }];
      default:
        return [];
    }
  },
};

function ticker(message: object): VenueEvent {
  const { success, output } = v.safeParse(Ticker, message);
  if (!success) return { kind: "unreadable", what: "not a price" };
  return { kind: "price", product: output.product_id, price: output.price, asOf: output.time };
}

/** Reads an acknowledgement, which lists all subscriptions of the connection. */
function subscriptions(message: object): VenueEvent {
  const { success, output } = v.safeParse(Subscriptions, message);
  if (!success) return { kind: "unreadable", what: "not a message" };
  const tickers = output.channels.filter(({ name }) => name === "ticker");
  return { kind: "acknowledged", products: tickers.flatMap(({ product_ids }) => product_ids) };
}

/**
 * Finds the refused product in an error such as `{"type":"error","message":"Failed to subscribe","reason":"NOPE-USD is
 * not a valid product"}`.
 */
function refusedProduct(message: object): string | undefined {
  const failure = v.safeParse(Failure, message);
  return failure.success ? /[A-Z\d]+-[A-Z\d]+/.exec(failure.output.reason)?.[0] : undefined;
}
