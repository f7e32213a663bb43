import type * as v from "valibot";
import type { clientMessages, ServerMessage } from "../api/messages.ts";

type ClientMessage = v.InferInput<(typeof clientMessages)[keyof typeof clientMessages]>;

type Note = { summary: string; examples: readonly (ClientMessage | ServerMessage)[] };

const time = "2026-11-21T09:30:00.250Z";

const order = {
  orderId: "o-1001",
  wallet: "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf",
  chain: "eth",
  symbol: "ETH/USDC",
  side: "buy",
  type: "limit",
  status: "partially_filled",
  amount: "2",
  filledAmount: "0.75",
  price: "2600",
  averagePrice: "2598.4",
  createdAt: "2026-11-21T09:12:41.000Z",
  updatedAt: "2026-11-21T09:29:58.112Z",
  version: 3,
} as const;

const position = {
  positionId: "p-77",
  wallet: "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf",
  chain: "eth",
  symbol: "ETH/USDC",
  status: "open",
  amount: "0.75",
  averageEntryPrice: "2598.4",
  realizedPnl: "0",
  openedAt: "2026-11-21T09:29:58.112Z",
  updatedAt: "2026-11-21T09:29:58.112Z",
  version: 1,
} as const;

const price = {
  chain: "eth",
  symbol: "ETH",
  price: "2616.26",
  currency: "USD",
  source: "coinbase",
  asOf: "2026-11-21T09:29:59.871Z",
} as const;

/** What is said of each message, by the title of its schema. */
export const messageNotes: Readonly<Record<string, Note>> = {
  Subscribe: {
    summary: "Add channels; good ones count beside unknown ones, and those that are there already stay",
    examples: [
      { type: "subscribe", id: "c1", channels: ["prices", "orders", "positions"] },
      { type: "subscribe", channels: ["prices"] },
    ],
  },
  Unsubscribe: {
    summary: "Take channels away; those that are not there are not missed",
    examples: [{ type: "unsubscribe", id: "c2", channels: ["orders"] }],
  },
  Ping: {
    summary: "Keep the connection from being idle",
    examples: [{ type: "ping", id: 1 }, { type: "ping" }],
  },
  Subscriptions: {
    summary: "Every channel that the connection is subscribed to now",
    examples: [{ type: "subscriptions", id: "c1", channels: ["orders", "positions", "prices"], time }],
  },
  OrdersSnapshot: {
    summary: "The user's orders: the open ones, and for seven days those that have ended",
    examples: [
      { type: "snapshot", channel: "orders", time, data: [order] },
      { type: "snapshot", channel: "orders", more: true, time, data: [order] },
    ],
  },
  PositionsSnapshot: {
    summary: "The user's positions: the open ones, and for seven days those that are closed",
    examples: [{ type: "snapshot", channel: "positions", time, data: [position] }],
  },
  PricesSnapshot: {
    summary: "The latest price of each chain's native asset; none before the first is known",
    examples: [{ type: "snapshot", channel: "prices", time, data: [price] }],
  },
  OrdersUpdate: {
    summary: "Orders that are new or have changed, whole",
    examples: [
      {
        type: "update",
        channel: "orders",
        time,
        data: [{ ...order, status: "filled", filledAmount: "2", averagePrice: "2599.1", version: 4 }],
      },
    ],
  },
  PositionsUpdate: {
    summary: "Positions that are new or have changed, whole",
    examples: [{ type: "update", channel: "positions", time, data: [position] }],
  },
  PricesUpdate: {
    summary: "The latest prices, once a second at most",
    examples: [{ type: "update", channel: "prices", time, data: [price] }],
  },
  TradingSettingsUpdated: {
    summary: "All settings of a chain, after one of them has changed",
    examples: [
      {
        type: "TradingSettingsUpdated",
        time,
        data: {
          chain: "sol",
          version: 5,
          settings: {
            slippage: 1,
            priorityFee: 0.001,
            mevProtection: true,
            autoBuy: false,
            autoSell: false,
          },
        },
      },
    ],
  },
  Pong: {
    summary: "The answer to a ping",
    examples: [{ type: "pong", id: 1, time }],
  },
  ErrorMessage: {
    summary: "What is wrong with a message; the connection stays open",
    examples: [
      {
        type: "error",
        id: "c3",
        code: "UNKNOWN_CHANNEL",
        message: "Unknown in channels: trades; there are orders, positions, prices",
      },
      {
        type: "error",
        code: "INVALID_JSON",
        message: "The message must be valid JSON",
      },
    ],
  },
};
