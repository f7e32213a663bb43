import type { PrivateChannel } from "../core/channel.ts";
import type { ExecutionKind, OrderStatus } from "../core/execution-words.ts";
import type { Network } from "../core/network.ts";
import { epochSeconds } from "../core/time.ts";
import type { GivenGain, GivenLoss, PlacedExit } from "./resting/exits/given.ts";

export const channelOf = { order: "orders", position: "positions" } as const satisfies Record<
  ExecutionKind,
  PrivateChannel
>;

export const orderSides = ["buy", "sell"] as const;
export const orderTypes = [
  "market",
  "limit",
  "stop",
  "stop_limit",
  "take_profit",
  "oco",
  "trailing_stop",
  "twap",
] as const;
export const positionStatuses = ["open", "closed"] as const;

/** Stages of an order that this service executes itself. An ended order is `done`. */
export const orderStages = [
  "queued",
  "waiting",
  "approving",
  "sent",
  "cancelling",
  "done",
  "pending",
  "resting",
  "suspended",
  "firing",
] as const;

/** Reasons why an order that this service executes itself waits, or ended without a fill. */
export const reasonCodes = [
  "AMOUNT_TOO_SMALL",
  "CANCELLED_BY_USER",
  "CHAIN_UNAVAILABLE",
  "EXPIRED",
  "GAS_PRICE_TOO_HIGH",
  "INSUFFICIENT_BALANCE",
  "KEY_LIMIT",
  "MANDATE_VOID",
  "NONCE_TAKEN",
  "NOT_INCLUDED",
  "NO_ROUTE",
  "PARENT_NOT_FILLED",
  "POLICY_LIMIT",
  "POSITION_CLOSED",
  "RELAY_UNAVAILABLE",
  "REPLACED",
  "REVERTED",
  "SIGNING_REFUSED",
  "SLIPPAGE_EXCEEDED",
  "TRADING_DISABLED",
  "WALLET_BUSY",
  "WALLET_RETIRED",
  "YIELDED",
] as const;

export type ReasonCode = (typeof reasonCodes)[number];

/** Conditions that keep a resting order from firing although its price may have come. */
export const attentionCodes = [
  "PRICE_BEYOND_WORST",
  "NO_ROUTE",
  "FEE_BUDGET_SPENT",
  "INSUFFICIENT_GAS",
  "INSUFFICIENT_BALANCE",
  "POLICY_LIMIT",
  "KEY_LIMIT",
  "TRADING_DISABLED",
  "EXIT_SUSPENDED",
  "POSITION_CHANGED",
] as const;

export type AttentionCode = (typeof attentionCodes)[number];

type Shown = {
  /** Address of the wallet that trades. */
  wallet: string;
  chain: Network;
  /** The traded pair or token as the engine names it, such as `SOL/USDC` or a token's address. */
  symbol: string;
  /** The symbols of the pair's two sides, as separate fields because a token's symbol may contain a slash. */
  baseSymbol?: string | undefined;
  quoteSymbol?: string | undefined;
  updatedAt: string;
  /** Grows with each change. The record with the highest version is the current one. */
  version: number;
  /** The address of the traded token. */
  token?: string | undefined;
  /** True if the order's outcome, or all fills of the position, are final on the chain. */
  settled?: boolean | undefined;
};

/**
 * An order. Amounts and prices are decimal text, and times ISO 8601. Prices are in the quote currency of the symbol.
 * Orders that this service executes itself have `token`, `settled` and all applicable fields from `clientOrderId` on;
 * orders of other engines may lack them.
 */
export type Order = Shown & {
  orderId: string;
  side: (typeof orderSides)[number];
  type: (typeof orderTypes)[number];
  status: OrderStatus;
  amount: string;
  filledAmount: string;
  /** The limit price of a limit order. */
  price?: string | undefined;
  stopPrice?: string | undefined;
  /** Average price of the filled amount. */
  averagePrice?: string | undefined;
  /** The last of the transactions that settled the order. */
  txHash?: string | undefined;
  /** Tells the user why the order was rejected or cancelled. */
  reason?: string | undefined;
  createdAt: string;
  /** Idempotency key of the request that placed the order. */
  clientOrderId?: string | undefined;
  /** The program key by which a program placed the order. */
  keyId?: string | undefined;
  /** The unit in which `amount` is given: a token's address, or `native` for the chain's coin. */
  amountToken?: string | undefined;
  /** Percentage of the balance that the sale was placed for. */
  percent?: number | undefined;
  /** Amount that reached the wallet: tokens of a buy, native coin of a sale. */
  receivedAmount?: string | undefined;
  /** Minimum amount that must reach the wallet. */
  minAmountOut?: string | undefined;
  /** The accepted slippage, in percent. */
  slippage?: number | undefined;
  /** Native coin paid for all transactions of the order so far. */
  networkFee?: string | undefined;
  /** SOL that stays in accounts opened for the order. */
  rent?: string | undefined;
  stage?: (typeof orderStages)[number] | undefined;
  reasonCode?: ReasonCode | undefined;
  /** After this time, the signer signs no transaction that could fill the order. */
  validUntil?: string | undefined;
  /** The resting order that placed this one, or the buy of an exit. */
  parentOrderId?: string | undefined;
  /** The legs of a pair. */
  takeProfit?: GivenGain | undefined;
  stopLoss?: GivenLoss | undefined;
  /** The price that a trailing stop follows, and the price at which it fires. */
  trailing?: { trailPercent: number; mark?: string; stopPrice?: string } | undefined;
  /** The exits of a buy. */
  exits?: PlacedExit[] | undefined;
  /** Maximum amount that an exit sells, whatever its buy receives. */
  maxAmount?: string | undefined;
  /** Number of slices, how many of them have filled, and when the next one is due. */
  slices?: number | undefined;
  slicesDone?: number | undefined;
  nextAt?: string | undefined;
  /** Time after which a resting order fires no more. */
  expiresAt?: string | undefined;
  /** Native coin that the transactions of all children may pay the network. */
  maxNetworkFee?: string | undefined;
  /** The part of it that signatures may have used up, by kind of leg. */
  feesSpent?: { limit: string; stop: string } | undefined;
  /** The newest child. */
  childOrderId?: string | undefined;
  /** Conditions that keep a resting order from firing. */
  attention?: { code: AttentionCode; since: string }[] | undefined;
};

export type Position = Shown & {
  positionId: string;
  status: (typeof positionStatuses)[number];
  /** Amount of the token that the position holds now. */
  amount: string;
  averageEntryPrice: string;
  /** Realized profit; negative for a loss. */
  realizedPnl: string;
  openedAt: string;
  closedAt?: string | undefined;
  /** Native coin that was paid for the held `amount`. */
  cost?: string | undefined;
  /** Native coin that was paid for the transactions of the position's orders. */
  networkFees?: string | undefined;
  /** The part of `networkFees` that was paid for the held `amount`, as `cost` was. */
  costFees?: string | undefined;
  /** `realizedPnl` less the other `networkFees`. */
  netRealizedPnl?: string | undefined;
  /** Tokens that left the wallet without an order. */
  movedOut?: string | undefined;
  /** Why the position was closed without a sale: its tokens left the wallet. */
  reason?: "MOVED_OUT" | undefined;
};

export type Execution = Order | Position;

/**
 * An order or a position as it is stored. The table deletes items by their field `expiresAt`, so the order's own time
 * has another name there.
 */
export type StoredExecution = (Omit<Order, "expiresAt"> | Position) & {
  restsUntil?: string | undefined;
  expiresAt?: number | undefined;
};

export function executionIn<Stored extends StoredExecution>({
  restsUntil,
  expiresAt: _,
  ...execution
}: Stored): Execution & Omit<Stored, "restsUntil" | "expiresAt"> {
  const own = restsUntil === undefined ? {} : { expiresAt: restsUntil };
  return { ...execution, ...own } as Execution & Omit<Stored, "restsUntil" | "expiresAt">;
}

export const idOf = (execution: Execution): string =>
  "orderId" in execution ? execution.orderId : execution.positionId;

/** Returns the time by which lists are sorted: when the order was placed or the position opened. */
export const startOf = (execution: Execution): string =>
  "orderId" in execution ? execution.createdAt : execution.openedAt;

/** True if the order or position can still change. */
export const isOpen = ({ status }: Pick<Execution, "status">): boolean =>
  status === "open" || status === "partially_filled";

/** How long a finished order or position is shown. Other engines keep their own history. */
const shownAfterEndSeconds = 7 * 24 * 60 * 60;

/** Maximum number of finished orders, or of finished positions, that are shown. The ones that ended last are shown. */
export const maxShownAfterEnd = 500;

/**
 * Returns when a record that is saved now may be deleted, in epoch seconds. Undefined while the record can still
 * change.
 */
export function expiryOf(execution: Execution, now: Date): number | undefined {
  return isOpen(execution) ? undefined : epochSeconds(now) + shownAfterEndSeconds;
}
