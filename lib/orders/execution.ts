import type { PrivateChannel } from "../core/channel.ts";
import type { ExecutionKind, OrderStatus } from "../core/execution-words.ts";
import type { Network } from "../core/network.ts";
import { epochSeconds } from "../core/time.ts";

export const channelOf = { order: "orders", position: "positions" } as const satisfies Record<
  ExecutionKind,
  PrivateChannel
>;

export const orderSides = ["buy", "sell"] as const;
export const orderTypes = ["market", "limit", "stop", "stop_limit", "take_profit"] as const;
export const positionStatuses = ["open", "closed"] as const;

/** The stages of an order placed here. An order that has ended is `done`. */
export const orderStages = ["queued", "waiting", "approving", "sent", "cancelling", "done"] as const;

/** The reasons why an order placed here waits, or ended without a fill. */
export const reasonCodes = [
  "AMOUNT_TOO_SMALL",
  "CANCELLED_BY_USER",
  "CHAIN_UNAVAILABLE",
  "GAS_PRICE_TOO_HIGH",
  "INSUFFICIENT_BALANCE",
  "NONCE_TAKEN",
  "NOT_INCLUDED",
  "NO_ROUTE",
  "POLICY_LIMIT",
  "RELAY_UNAVAILABLE",
  "REVERTED",
  "SIGNING_REFUSED",
  "SLIPPAGE_EXCEEDED",
  "TRADING_DISABLED",
  "WALLET_BUSY",
  "WALLET_RETIRED",
] as const;

export type ReasonCode = (typeof reasonCodes)[number];

/**
 * An order. Amounts and prices are decimal numbers as text, times ISO 8601. Prices are in the quote currency of the
 * symbol. Orders placed here have all applicable fields from `token` on. Other engines need not send them.
 */
export type Order = {
  orderId: string;
  /** The address that trades. */
  wallet: string;
  chain: Network;
  /** The traded pair or token as the engine names it, such as `SOL/USDC` or a token's address. */
  symbol: string;
  /** The two symbols of the pair. They are kept apart because a token's symbol may contain a slash. */
  baseSymbol?: string | undefined;
  quoteSymbol?: string | undefined;
  side: (typeof orderSides)[number];
  type: (typeof orderTypes)[number];
  status: OrderStatus;
  amount: string;
  filledAmount: string;
  /** The limit of a limit order. */
  price?: string | undefined;
  stopPrice?: string | undefined;
  /** The average price of the filled amount. */
  averagePrice?: string | undefined;
  /** The last transaction that settled it. */
  txHash?: string | undefined;
  /** The reason for a rejection or a cancellation, for the user. */
  reason?: string | undefined;
  createdAt: string;
  updatedAt: string;
  /** Grows with each change. The record with the greatest version is the current one. */
  version: number;
  /** The address of the traded token. */
  token?: string | undefined;
  /** The idempotency key of the request that placed it. */
  clientOrderId?: string | undefined;
  /** The unit of `amount`: a token's address, or `native` for the chain's coin. */
  amountToken?: string | undefined;
  /** The share of the balance that a sale asked for, in percent. */
  percent?: number | undefined;
  /** The amount that reached the wallet: tokens of a buy, native coin of a sale. */
  receivedAmount?: string | undefined;
  /** The minimum amount that must arrive. */
  minAmountOut?: string | undefined;
  /** Percent. */
  slippage?: number | undefined;
  /** Native coin paid for all transactions of the order so far. */
  networkFee?: string | undefined;
  /** SOL that stays in accounts opened for the order. */
  rent?: string | undefined;
  stage?: (typeof orderStages)[number] | undefined;
  /** True if the outcome is final on chain. */
  settled?: boolean | undefined;
  reasonCode?: ReasonCode | undefined;
  /** No transaction that could fill it is signed after this time. */
  validUntil?: string | undefined;
};

export type Position = {
  positionId: string;
  wallet: string;
  chain: Network;
  symbol: string;
  baseSymbol?: string | undefined;
  quoteSymbol?: string | undefined;
  status: (typeof positionStatuses)[number];
  /** The amount held now. */
  amount: string;
  averageEntryPrice: string;
  /** May be negative. */
  realizedPnl: string;
  openedAt: string;
  updatedAt: string;
  version: number;
  /** The address of the held token. */
  token?: string | undefined;
  closedAt?: string | undefined;
  /** True if all of its fills are final on chain. */
  settled?: boolean | undefined;
  /** Native coin paid for `amount`. */
  cost?: string | undefined;
  /** Native coin paid for the transactions of its orders. */
  networkFees?: string | undefined;
  /** Tokens that left the wallet without an order. */
  movedOut?: string | undefined;
  /** The reason for closing it without a sale: its tokens left the wallet. */
  reason?: "MOVED_OUT" | undefined;
};

export type Execution = Order | Position;

export const idOf = (execution: Execution): string =>
  "orderId" in execution ? execution.orderId : execution.positionId;

/** Returns the start, by which lists are sorted. */
export const startOf = (execution: Execution): string =>
  "orderId" in execution ? execution.createdAt : execution.openedAt;

/** True if it can still change. */
export const isOpen = ({ status }: Execution): boolean => status === "open" || status === "partially_filled";

/** Time for which a finished order or position is shown. Other engines keep their own history. */
const shownAfterEndSeconds = 7 * 24 * 60 * 60;

/** The limit of finished orders, or positions, that are shown. Those that ended last are. */
export const maxShownAfterEnd = 500;

/** Returns when a record that is saved now may be deleted, in epoch seconds. Undefined while it can still change. */
export function expiryOf(execution: Execution, now: Date): number | undefined {
  return isOpen(execution) ? undefined : epochSeconds(now) + shownAfterEndSeconds;
}
