import type { Product } from "./market.ts";

/**
 * Messages in the format of Coinbase Exchange's feed: https://docs.cdp.coinbase.com/exchange/websocket-feed/overview
 */

const usd = (amount: number) => amount.toFixed(2);

/** Makes the message about the latest trade, with the best offers. */
export function ticker({ id, price, sequence, tradeId }: Product, time: Date) {
  return {
    type: "ticker",
    sequence,
    product_id: id,
    price: usd(price),
    open_24h: usd(price),
    volume_24h: "10000.00000000",
    low_24h: usd(price * 0.99),
    high_24h: usd(price * 1.01),
    volume_30d: "300000.00000000",
    best_bid: usd(price - 0.01),
    best_bid_size: "1.00000000",
    best_ask: usd(price + 0.01),
    best_ask_size: "1.00000000",
    side: tradeId % 2 === 0 ? "buy" : "sell",
    time: time.toISOString(),
    trade_id: tradeId,
    last_size: "0.10000000",
  };
}

export const heartbeat = ({ id, sequence, tradeId }: Product, time: Date) => ({
  type: "heartbeat",
  sequence,
  last_trade_id: tradeId,
  product_id: id,
  time: time.toISOString(),
});

/** Lists all current subscriptions of the connection. */
export const subscriptions = (channels: ReadonlyMap<string, ReadonlySet<string>>) => ({
  type: "subscriptions",
  channels: [...channels]
    .filter(([, products]) => products.size > 0)
    .map(([name, products]) => ({ name, product_ids: [...products] })),
});

export const failure = (message: string, reason?: string) => ({
  type: "error",
  message,
  ...(reason !== undefined && { reason }),
});
