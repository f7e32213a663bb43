import type { TestContext } from "vitest";
import { startServer, type VenueServer } from "./venue-server.ts";

type Options = {
  products?: readonly string[];
  /** Products that the server accepts but omits from its acknowledgement. */
  forgets?: readonly string[];
  port?: number;
};

const all = ["ETH-USD", "SOL-USD", "BNB-USD", "AVAX-USD"];

/** Speaks the protocol of Coinbase Exchange, as documented and as captured. */
export function startCoinbase(
  test: TestContext,
  { products = all, forgets = [], port = 0 }: Options = {},
): Promise<VenueServer> {
  let sequence = 0;
  return startServer(
    test,
    {
      answer({ type, product_ids, channels }, say, subscribed) {
        if (type !== "subscribe") return say({ type: "error", message: "Type is not valid" });
        const wanted = product_ids as string[];
        const unknown = wanted.find((product) => !products.includes(product));
        if (unknown !== undefined) {
          const reason = `${unknown} is not a valid product`;
          return say({ type: "error", message: "Failed to subscribe", reason });
        }
        for (const product of wanted) if (!forgets.includes(product)) subscribed.add(product);
        const acknowledged = (channels as string[]).map((name) => ({ name, product_ids: [...subscribed] }));
        say({ type: "subscriptions", channels: acknowledged });
      },
      price: (product_id, price) => ({
        type: "ticker",
        sequence: ++sequence,
        product_id,
        price: price.toFixed(2),
        best_bid: (price - 0.01).toFixed(2),
        best_ask: (price + 0.01).toFixed(2),
        time: new Date().toISOString().replace("Z", "123Z"),
        trade_id: sequence,
      }),
      heartbeats: (subscribed) =>
        subscribed.map((product_id) => ({
          type: "heartbeat",
          sequence,
          last_trade_id: sequence,
          product_id,
          time: new Date().toISOString(),
        })),
    },
    port,
  );
}
