import type { PrivateChannel } from "./channel.ts";
import type { Network } from "./network.ts";

/** The kinds of records that an execution engine sends. */
export const executionKinds = ["order", "position"] as const;

export type ExecutionKind = (typeof executionKinds)[number];

export const channelOf = { order: "orders", position: "positions" } as const satisfies Record<
  ExecutionKind,
  PrivateChannel
>;

export const orderSides = ["buy", "sell"] as const;
export const orderTypes = ["market", "limit", "stop", "stop_limit", "take_profit"] as const;
export const orderStatuses = [
  "open",
  "partially_filled",
  "filled",
  "cancelled",
  "rejected",
  "expired",
] as const;
export const positionStatuses = ["open", "closed"] as const;

/** Amounts and prices are decimal numbers as text, times ISO 8601. Prices are in the quote currency of the symbol. */
export type Order = {
  orderId: string;
  /** The address that trades. */
  wallet: string;
  chain: Network;
  /** The traded pair or token as the engine names it, such as `SOL/USDC` or a token's address. */
  symbol: string;
  side: (typeof orderSides)[number];
  type: (typeof orderTypes)[number];
  status: (typeof orderStatuses)[number];
  amount: string;
  filledAmount: string;
  /** The limit of a limit order. */
  price?: string | undefined;
  stopPrice?: string | undefined;
  /** Of the filled amount. */
  averagePrice?: string | undefined;
  /** The last transaction that settled it. */
  txHash?: string | undefined;
  /** Why it was rejected or cancelled, for the user. */
  reason?: string | undefined;
  createdAt: string;
  updatedAt: string;
  /** Grows with each change. The record with the greatest version is the current one. */
  version: number;
};

export type Position = {
  positionId: string;
  wallet: string;
  chain: Network;
  symbol: string;
  status: (typeof positionStatuses)[number];
  /** The amount held now. */
  amount: string;
  averageEntryPrice: string;
  /** May be negative. */
  realizedPnl: string;
  openedAt: string;
  updatedAt: string;
  version: number;
};

export type Execution = Order | Position;

export const idOf = (execution: Execution): string =>
  "orderId" in execution ? execution.orderId : execution.positionId;

/** Whether it can still change. */
export const isOpen = ({ status }: Execution): boolean => status === "open" || status === "partially_filled";

/** How long a finished order or position is shown. The engine keeps the history. */
const shownAfterEndSeconds = 7 * 24 * 60 * 60;

/** How many finished orders, or positions, are shown at most. Those that ended last are. */
export const maxShownAfterEnd = 500;

/** When a record that is saved now may be deleted, in seconds since the epoch. Undefined while it can still change. */
export function expiryOf(execution: Execution, now: Date): number | undefined {
  return isOpen(execution) ? undefined : Math.floor(now.getTime() / 1000) + shownAfterEndSeconds;
}
