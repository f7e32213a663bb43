import type { ShownSolAttempt, SolFillReport } from "../../../../lib/chains/sol/rules/shown-details.ts";
import type { Order } from "../../../../lib/orders/execution.ts";
import type { Balances, ShownPosition } from "../facts.ts";

/** A transaction of a wallet in a block of sol, read from the node. Amounts are in lamports and units. */
export type SolTransaction = {
  hash: string;
  wallet: string;
  slot: number;
  /** The time of its block, in seconds. */
  time: number;
  purpose: "swap" | "clear" | "foreign";
  /** The seed of the marker that it makes, which is an order's id. */
  orderId?: string;
  isOk: boolean;
  /** The charge of the block, and its tip. */
  fee: bigint;
  /** The part of the fee for signatures. */
  baseFee: bigint;
  /** The wallet's gain of coins. Negative for a loss. */
  coins: bigint;
  /** The gain of the pools. Negative for a sale. */
  toPools: bigint;
  /** The gain of the wallet's accounts that stay: the marker and the token's. */
  rent: bigint;
  /** Coins of strangers in the order's account of wrapped coin, which go to the wallet. */
  donated: bigint;
  /** The wallet's gain of each token, by mint. */
  tokens: Balances;
  /** The wallet's tokens before, by mint. */
  held: Balances;
};

/** A token account that belongs to a wallet at the end. */
export type SolTokenAccount = {
  address: string;
  wallet: string;
  mint: string;
  delegate?: string;
  isAssociated: boolean;
};

/** The data of the chain sol at the end of a run, or before it starts over. */
export type SolFacts = {
  /** The balances of each wallet. */
  wallets: ReadonlyMap<string, { before: Balances; after: Balances }>;
  /** Sorted as on the chain. */
  transactions: readonly SolTransaction[];
  accounts: readonly SolTokenAccount[];
  /** The ids of orders whose markers have been made. */
  marked: ReadonlySet<string>;
};

/** An order on sol as shown to its user. */
export type ShownSolOrder = {
  userID: string;
  order: Order;
  /** Lamports for priority and tips of all its transactions, as its user asked. */
  budget: bigint;
  /** Undefined if only the order was shown. */
  attempts?: readonly ShownSolAttempt[];
  report?: SolFillReport;
};

/** All data that the audit of sol compares. */
export type SolTradeFacts = {
  orders: readonly ShownSolOrder[];
  positions: readonly ShownPosition[];
  /** For sales that found no tokens, the slot in which they failed, by order. */
  soldOut: ReadonlyMap<string, number>;
  chain: SolFacts;
};
