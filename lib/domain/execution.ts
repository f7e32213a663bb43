import type { PrivateChannel } from "./channel.ts";
import type { Network } from "./network.ts";

/** What an execution engine records. */
export const executionKinds = ["order", "position"] as const;

export type ExecutionKind = (typeof executionKinds)[number];

/** The channel that tells of each kind. */
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
  /** What is traded, as the engine names it, e.g. `SOL/USDC` or a token's address. */
  symbol: string;
  side: (typeof orderSides)[number];
  type: (typeof orderTypes)[number];
  status: (typeof orderStatuses)[number];
  amount: string;
  filledAmount: string;
  /** The limit of a limit order. */
  price?: string | undefined;
  stopPrice?: string | undefined;
  /** Of what has been filled. */
  averagePrice?: string | undefined;
  /** The transaction that settled it, or the last of them. */
  txHash?: string | undefined;
  /** Why it was rejected or cancelled, for the user to read. */
  reason?: string | undefined;
  createdAt: string;
  updatedAt: string;
  /** Grows with each change: of two records of an order, the one with the greater version holds. */
  version: number;
};

export type Position = {
  positionId: string;
  wallet: string;
  chain: Network;
  symbol: string;
  status: (typeof positionStatuses)[number];
  /** Held now. */
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

/** Whether more can come of it. */
export const isOpen = ({ status }: Execution): boolean => status === "open" || status === "partially_filled";

/** How long a finished order or position is shown, in seconds. Its history is the engine's to keep. */
const shownAfterEnd = 7 * 24 * 60 * 60;

/** When a record of now may be forgotten, in seconds since the epoch; undefined while more can come of it. */
export function expiryOf(execution: Execution, now: Date): number | undefined {
  return isOpen(execution) ? undefined : Math.floor(now.getTime() / 1000) + shownAfterEnd;
}
