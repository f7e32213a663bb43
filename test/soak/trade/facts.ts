import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import type { EvmFillReport, ShownEvmAttempt } from "../../../lib/chains/evm/rules/shown-details.ts";
import { chainFacts, type EvmChain } from "../../../lib/core/chain-facts.ts";
import type { Network } from "../../../lib/core/network.ts";
import { formatAmount } from "../../../lib/orders/decimal-text.ts";
import type { Order, Position } from "../../../lib/orders/execution.ts";

/** A wallet's mined transaction as read from the node. Amounts are in units. */
export type MinedTransaction = {
  hash: string;
  wallet: string;
  nonce: number;
  /** Time of the transaction's block, in seconds. */
  time: number;
  purpose: "approve" | "swap" | "clear";
  /** True if the wallet's owner sent it with another program. */
  isForeign: boolean;
  isOk: boolean;
  fee: bigint;
  /** Tokens gained by the wallet, by address. Negative for losses. */
  tokens: ReadonlyMap<string, bigint>;
  /** Coin wrapped and unwrapped by the routers. */
  wrapped: bigint;
  unwrapped: bigint;
};

/** Balances by token address, with `native` for the coin. */
export type Balances = ReadonlyMap<string, bigint>;

export type Account = {
  before: Balances;
  after: Balances;
  /** Number of the wallet's mined transactions, and that number plus its transactions in the pool. */
  nonce: { latest: number; pending: number };
};

/** A chain's data at the end of the run. */
export type ChainFacts = {
  accounts: ReadonlyMap<string, Account>;
  /** All wallets' transactions in chain order. */
  transactions: readonly MinedTransaction[];
  /** Coin and wrapped coin left in routers. */
  stray: bigint;
  /** Units that routers may still take from wallets. */
  allowances: readonly { wallet: string; token: string; router: string; units: bigint }[];
};

/** An order as its user saw it at the end. */
export type ShownOrder = {
  userID: string;
  order: Order;
  attempts: ShownEvmAttempt[];
  report?: EvmFillReport;
};

export type ShownPosition = Position & { userID: string };

/** Data compared in the audit of EVM chains. */
export type TradeFacts = {
  orders: readonly ShownOrder[];
  positions: readonly ShownPosition[];
  /** Nonce at which each sell order that found no tokens failed. */
  soldOut: ReadonlyMap<string, number>;
  chains: ReadonlyMap<EvmChain, ChainFacts>;
  /** Keys of lanes, jobs and slots that are left in the table. */
  leftovers: readonly string[];
};

/** Returns a token's decimals. Solana's tokens have as many as USDX. */
function decimalsOf(token: string, chain: Network): number {
  if (token === "native") return chainFacts[chain].coin.decimals;
  return chain === "sol" || token === localAddresses.usdx ? 6 : 18;
}

/** Formats units of a local token or coin as decimal text. */
export const textOf = (units: bigint, token: string, chain: Network): string =>
  formatAmount(units, decimalsOf(token, chain));

/** Parses decimal text to units. */
export function unitsOf(text: string | undefined, token: string, chain: Network): bigint {
  const [whole = "", places = ""] = (text ?? "0").split(".");
  return BigInt(whole + places.padEnd(decimalsOf(token, chain), "0"));
}
