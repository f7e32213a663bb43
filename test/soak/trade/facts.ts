import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import type { FillReport, ShownAttempt } from "../../../lib/chains/evm/rules/shown-details.ts";
import { chainFacts, type EvmChain } from "../../../lib/core/chain-facts.ts";
import type { Network } from "../../../lib/core/network.ts";
import { formatAmount } from "../../../lib/orders/decimal-text.ts";
import type { Order, Position } from "../../../lib/orders/execution.ts";

/** A mined transaction of a wallet, read from the node. Amounts are in units. */
export type MinedTransaction = {
  hash: string;
  wallet: string;
  nonce: number;
  /** The time of its block, in seconds. */
  time: number;
  purpose: "approve" | "swap" | "clear";
  /** Whether another program of the wallet's owner has sent it. */
  isForeign: boolean;
  isOk: boolean;
  fee: bigint;
  /** The wallet's gain of each token, by address. Negative for a loss. */
  tokens: ReadonlyMap<string, bigint>;
  /** Coin that the routers wrapped and unwrapped. */
  wrapped: bigint;
  unwrapped: bigint;
};

/** Balances by the address of the token; `native` for the coin. */
export type Balances = ReadonlyMap<string, bigint>;

export type Account = {
  before: Balances;
  after: Balances;
  /** Counts of transactions: mined ones, and those including the pool. */
  nonce: { latest: number; pending: number };
};

/** A chain's data at the end of the run. */
export type ChainFacts = {
  accounts: ReadonlyMap<string, Account>;
  /** Sorted as on the chain. */
  transactions: readonly MinedTransaction[];
  /** Coin and wrapped coin left in routers. */
  stray: bigint;
  /** The units of wallets that routers may still take. */
  allowances: readonly { wallet: string; token: string; router: string; units: bigint }[];
};

/** An order as shown to its user at the end. */
export type ShownOrder = { userID: string; order: Order; attempts: ShownAttempt[]; report?: FillReport };

export type ShownPosition = Position & { userID: string };

/** All data that the audit of EVM chains compares. */
export type TradeFacts = {
  orders: readonly ShownOrder[];
  positions: readonly ShownPosition[];
  /** For sales that found no tokens, the nonce at which they failed, by order. */
  soldOut: ReadonlyMap<string, number>;
  chains: ReadonlyMap<EvmChain, ChainFacts>;
  /** Lanes, jobs and slots in the table, by their keys. */
  leftovers: readonly string[];
};

/** MOON and the other tokens of sol have as many as USDX. */
function decimalsOf(token: string, chain: Network): number {
  if (token === "native") return chainFacts[chain].coin.decimals;
  return chain === "sol" || token === localAddresses.usdx ? 6 : 18;
}

/** Units of a token of the local chains, or of the coin, as decimal text. */
export const textOf = (units: bigint, token: string, chain: Network): string =>
  formatAmount(units, decimalsOf(token, chain));

/** Units from decimal text. */
export function unitsOf(text: string | undefined, token: string, chain: Network): bigint {
  const [whole = "", places = ""] = (text ?? "0").split(".");
  return BigInt(whole + places.padEnd(decimalsOf(token, chain), "0"));
}
