import type { ShownSolAttempt, SolFillReport } from "../../../../lib/chains/sol/rules/shown-details.ts";
import type { Order } from "../../../../lib/orders/execution.ts";
import type { Balances, ShownPosition } from "../facts.ts";

/** A wallet's transaction in a Solana block as read from the node. Amounts are in lamports and units. */
export type SolTransaction = {
  hash: string;
  wallet: string;
  slot: number;
  /** Time of the transaction's block, in seconds. */
  time: number;
  purpose: "swap" | "clear" | "foreign";
  /** Order id, which seeds the marker that the transaction creates. */
  orderId?: string;
  isOk: boolean;
  /** Fee for the transaction's place in the block, plus the tip. */
  fee: bigint;
  /** Part of the fee that is charged for signatures. */
  baseFee: bigint;
  /** Coins gained by the wallet. Negative for losses. */
  coins: bigint;
  /** Coins gained by the pools. Negative for sells. */
  toPools: bigint;
  /** Gain of the wallet's permanent accounts: the marker and the token account. */
  rent: bigint;
  /**
   * Coins that strangers sent to the order's account of wrapped coin, and that the wallet receives when it closes the
   * account.
   */
  donated: bigint;
  /** Tokens gained by the wallet, by mint. */
  tokens: Balances;
  /** Tokens that the wallet held before the transaction, by mint. */
  held: Balances;
};

/** A token account owned by a wallet at the end. */
export type SolTokenAccount = {
  address: string;
  wallet: string;
  mint: string;
  delegate?: string;
  isAssociated: boolean;
};

/** Data of the Solana chain at the end of a run, or before it starts over. */
export type SolFacts = {
  /** Balances of each wallet before and after the run. */
  wallets: ReadonlyMap<string, { before: Balances; after: Balances }>;
  /** All wallets' transactions in chain order. */
  transactions: readonly SolTransaction[];
  accounts: readonly SolTokenAccount[];
  /** Ids of orders whose markers exist. */
  marked: ReadonlySet<string>;
};

/** A Solana order as shown to its user. */
export type ShownSolOrder = {
  userID: string;
  order: Order;
  /** Lamports that the user allowed for priority and tips of all transactions. */
  budget: bigint;
  /** Attempts of the order. Undefined if only the order was shown. */
  attempts?: readonly ShownSolAttempt[];
  report?: SolFillReport;
};

/** Data compared in the audit of Solana. */
export type SolTradeFacts = {
  orders: readonly ShownSolOrder[];
  positions: readonly ShownPosition[];
  /** Slot in which each sell order that found no tokens failed. */
  soldOut: ReadonlyMap<string, number>;
  chain: SolFacts;
};
