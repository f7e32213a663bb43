import type * as v from "valibot";
import type { clientMessages } from "../../api/client-messages.ts";
import type { ServerMessage } from "../../api/server-messages.ts";
import type { Scope } from "../../core/scope.ts";

type ClientMessage = v.InferInput<(typeof clientMessages)[keyof typeof clientMessages]>;

const time = "2026-11-21T09:30:00.250Z";

const order = {
  orderId: "o-1001",
  wallet: "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf",
  chain: "eth",
  symbol: "ETH/USDC",
  baseSymbol: "ETH",
  quoteSymbol: "USDC",
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
  baseSymbol: "ETH",
  quoteSymbol: "USDC",
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

const key = {
  keyId: "pk_Zk3vJ0mY8QxT2nB5rWcA7dLs",
  name: "Rebalancer",
  publicKey: "QjH9Qmzs8H1nN6SJ0jxZM3oDh1heRkVdaKCm50YWUjY",
  scopes: ["read", "trade"] as Scope[],
  maxPerDay: "0.5",
  createdAt: time,
  expiresAt: "2027-01-31T00:00:00.000Z",
};

const token = { chain: "base", token: "0x5FbDB2315678afecb367f032d93F642f64180aa3" } as const;

const market = {
  ...token,
  symbol: "MOON",
  decimals: 18,
  price: "0.000100800902708124",
  priceUsd: "0.26371933",
  liquidity: "1.005012",
  change24h: 14.8,
  volume24h: "812.4",
  quote: "native",
  revision: 0,
  block: 31_415_926,
  asOf: "2026-11-21T09:29:59.903Z",
} as const;

const minute = {
  time: "2026-11-21T09:29:00.000Z",
  open: "0.0001",
  high: "0.000100800902708124",
  low: "0.0001",
  close: "0.000100800902708124",
  volume: "12.5",
  trades: 7,
  coinUsd: "2616.26",
} as const;

/** Examples of each message, by its schema's title. */
export const messageExamples: Readonly<Record<string, readonly (ClientMessage | ServerMessage)[]>> = {
  Subscribe: [
    { type: "subscribe", id: "c1", channels: ["prices", "orders", "positions"] },
    { type: "subscribe", channels: ["prices"] },
    { type: "subscribe", id: "c4", channels: ["prices"], every: 1, tokens: [{ ...token, candles: true }] },
  ],
  Unsubscribe: [
    { type: "unsubscribe", id: "c2", channels: ["orders"] },
    { type: "unsubscribe", tokens: [token] },
  ],
  Ping: [{ type: "ping", id: 1 }, { type: "ping" }],
  Subscriptions: [
    { type: "subscriptions", id: "c1", channels: ["orders", "positions", "prices"], time },
    {
      type: "subscriptions",
      id: "c4",
      channels: ["prices"],
      every: 1,
      tokens: [{ ...token, candles: true }],
      time,
    },
  ],
  OrdersSnapshot: [
    { type: "snapshot", channel: "orders", time, data: [order] },
    { type: "snapshot", channel: "orders", more: true, time, data: [order] },
  ],
  PositionsSnapshot: [{ type: "snapshot", channel: "positions", time, data: [position] }],
  PricesSnapshot: [{ type: "snapshot", channel: "prices", time, data: [price] }],
  OrdersUpdate: [
    {
      type: "update",
      channel: "orders",
      time,
      data: [{ ...order, status: "filled", filledAmount: "2", averagePrice: "2599.1", version: 4 }],
    },
  ],
  PositionsUpdate: [{ type: "update", channel: "positions", time, data: [position] }],
  PricesUpdate: [{ type: "update", channel: "prices", time, data: [price] }],
  MarketsUpdate: [
    {
      type: "update",
      channel: "prices",
      time,
      heads: { base: { block: market.block, time: "2026-11-21T09:29:59.000Z" } },
      data: [price, { ...market, flags: [], minutes: [minute] }],
    },
  ],
  TradingSettingsUpdated: [
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
  WalletExportRequested: [
    {
      type: "WalletExportRequested",
      time,
      data: {
        walletId: "5c2e7b6a-0f0b-4a53-9d0a-2a2f5d1c9e11",
        availableAt: order.updatedAt,
        thumbprint: "cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s",
        version: 1_795_348_800_000,
      },
    },
  ],
  ExportLockUpdated: [
    { type: "ExportLockUpdated", time, data: { status: "locked", lockedAt: time } },
    {
      type: "ExportLockUpdated",
      time,
      data: { status: "unlocking", lockedAt: time, unlocksAt: "2026-11-22T09:30:00.000Z" },
    },
    { type: "ExportLockUpdated", time, data: { status: "unlocked" } },
  ],
  WalletPolicyUpdated: [
    {
      type: "WalletPolicyUpdated",
      time,
      data: {
        walletId: "5c2e7b6a-0f0b-4a53-9d0a-2a2f5d1c9e11",
        policy: { tokens: "any", tradingEnabled: false },
        pending: {
          policy: { maxPerDay: "2", tokens: "any", tradingEnabled: true },
          effectiveAt: "2026-11-22T09:30:00.000Z",
        },
        change: "announced",
        version: 2,
      },
    },
    {
      type: "WalletPolicyUpdated",
      time,
      data: {
        walletId: "5c2e7b6a-0f0b-4a53-9d0a-2a2f5d1c9e11",
        policy: { maxPerDay: "2", tokens: "any", tradingEnabled: true },
        change: "loosened",
        version: 3,
      },
    },
  ],
  ProgramKeyAdded: [{ type: "ProgramKeyAdded", time, data: { key } }],
  ProgramKeyRevoked: [{ type: "ProgramKeyRevoked", time, data: { key: { ...key, revokedAt: time } } }],
  WalletsUpdated: [
    {
      type: "WalletsUpdated",
      time,
      data: {
        wallets: [
          {
            _id: "5c2e7b6a-0f0b-4a53-9d0a-2a2f5d1c9e11",
            UserID: "alice",
            generatedWalletAddress: order.wallet,
            slotName: "Sniper",
            colortag: "pink",
            network: "eth",
            walletType: "generated",
            createdAt: order.createdAt,
            version: 2,
            state: "active",
          },
        ],
      },
    },
  ],
  RewardRedeemed: [
    {
      type: "RewardRedeemed",
      time,
      data: {
        redemption: {
          redemptionId: "8C5MZ3Q5T9WJ2M4N6P8R0S1V3X",
          rewardId: "hoodie-terminal",
          name: "Terminal hoodie",
          cost: 4000,
          status: "pending",
          createdAt: order.updatedAt,
          updatedAt: order.updatedAt,
          version: 1,
        },
      },
    },
  ],
  ProfileUpdated: [
    {
      type: "ProfileUpdated",
      time,
      data: {
        Level: 3,
        Xp: { total: 520, daily: 120, weekly: 240, monthly: 520 },
        xpRemainingForNextLevel: 380,
        tradeStreakCount: 4,
        Ranked: false,
        points: 60,
        version: 1_795_348_800_000,
      },
    },
  ],
  Pong: [{ type: "pong", id: 1, time }],
  ErrorMessage: [
    {
      type: "error",
      id: "c3",
      code: "UNKNOWN_CHANNEL",
      message: "Unknown in channels: trades. Channels are orders, positions, prices.",
    },
    {
      type: "error",
      code: "INVALID_JSON",
      message: "The message must be valid JSON",
    },
  ],
};
