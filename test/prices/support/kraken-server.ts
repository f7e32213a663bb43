import type { TestContext } from "vitest";
import { startServer, type VenueServer } from "./venue-server.ts";

type Options = { products?: readonly string[]; forgets?: readonly string[] };

const all = ["ETH/USD", "SOL/USD", "BNB/USD", "AVAX/USD"];

/** Speaks Kraken's protocol, v2, as documented and as captured. */
export function startKraken(
  test: TestContext,
  { products = all, forgets = [] }: Options = {},
): Promise<VenueServer> {
  return startServer(test, {
    answer({ method, params }, say, subscribed) {
      const { symbol: symbols } = params as { symbol: string[] };
      for (const symbol of symbols) {
        const times = { time_in: new Date().toISOString(), time_out: new Date().toISOString() };
        if (!products.includes(symbol)) {
          say({
            error: `Currency pair not supported ${symbol}`,
            method,
            success: false,
            symbol,
            ...times,
          });
        } else if (!forgets.includes(symbol)) {
          subscribed.add(symbol);
          const result = { channel: "ticker", event_trigger: "trades", snapshot: true, symbol };
          say({ method, result, success: true, ...times });
        }
      }
    },
    price: (symbol, price) => ({
      channel: "ticker",
      type: "update",
      data: [{ symbol, bid: price - 0.01, ask: price + 0.01, last: price, volume: 1 }],
    }),
    heartbeats: () => [{ channel: "heartbeat" }],
  });
}
