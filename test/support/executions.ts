import type { Order, Position } from "../../lib/orders/execution.ts";
import type { Price } from "../../lib/prices/price.ts";

const time = "2026-11-21T09:00:00.000Z";

/** Builds an example order with these changes. */
export const order = (changes: Partial<Order> = {}): Order => ({
  orderId: "o1",
  wallet: "7cVfgArCheMR6Cs4t6vz5rfnqd56vZq4ndaBrY5xkxXy",
  chain: "sol",
  symbol: "SOL/USDC",
  side: "buy",
  type: "limit",
  status: "open",
  amount: "12.5",
  filledAmount: "0",
  price: "131.02",
  createdAt: time,
  updatedAt: time,
  version: 1,
  ...changes,
});

/** Builds an example position with these changes. */
export const position = (changes: Partial<Position> = {}): Position => ({
  positionId: "p1",
  wallet: "7cVfgArCheMR6Cs4t6vz5rfnqd56vZq4ndaBrY5xkxXy",
  chain: "sol",
  symbol: "SOL/USDC",
  status: "open",
  amount: "12.5",
  averageEntryPrice: "131.02",
  realizedPnl: "-0.75",
  openedAt: time,
  updatedAt: time,
  version: 1,
  ...changes,
});

/** Builds an example price of SOL with these changes. */
export const price = (changes: Partial<Price> = {}): Price => ({
  chain: "sol",
  symbol: "SOL",
  price: "131.02",
  currency: "USD",
  source: "coinbase",
  asOf: time,
  ...changes,
});
