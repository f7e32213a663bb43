import type { Address } from "@solana/web3.js";
import type { Lamports, TokenUnits } from "../../../core/units.ts";
import type { Order } from "../../../orders/execution.ts";
import type { DirectRoute } from "../rules/intent.ts";
import type { PoolMessageRoute } from "../rules/message-route.ts";
import type { Mint } from "./mint.ts";
import type { Account } from "./rpc-call.ts";

/** An amount that arrives, and the percentage by which its price is worse than the pool's price before the swap. */
export type PoolPayment = { amountOut: bigint; priceImpact: number };

/** A pool of any exchange that trades a token for the coin, as seen at one slot. */
export type PoolView = {
  address: Address;
  /** True if the pool is found without its address, so nobody can choose another price for the token. */
  isUsual: boolean;
  /** The sum of the pool's fees, in millionths. */
  feeRate: bigint;
  /** The amounts that set the price. They may exceed what the pool holds. */
  reserves: { coins: Lamports; tokens: TokenUnits };
  /** The coins that the pool can pay out. */
  coins: Lamports;
  /** Coins in the pool's account, with fees that it owes to others. */
  held: Lamports;
  /** False if swaps are stopped, or have not begun at the time of the slot. */
  isOpen: boolean;
  /** Accounts that each swap writes to: the pool and, if there are any, the vaults of the coin and the token. */
  written: readonly Address[];
  /** Computes the exact amount that reaches a wallet. It is 0 if the pool cannot make the trade. */
  pay(side: Order["side"], amountIn: bigint): PoolPayment;
  /** Names the pool for an order. */
  route: DirectRoute;
  /** The pool to which the token moves when this one is complete. */
  next?: DirectRoute;
  /** Adds what an order's message needs to know about the pool's state. */
  routeFor(side: Order["side"], amountIn: bigint): Promise<PoolMessageRoute>;
  /**
   * Lists the accounts that a trade opens at the wallet's cost if they do not exist, without those of the wallet's
   * tokens.
   */
  opened(side: Order["side"], wallet: Address): Promise<readonly OpenedAccount[]>;
};

/** An account that a trade fills up to its rent. */
export type OpenedAccount = { address: Address; bytes: number };

/** The state of a token at one slot, in which its pools are looked for. */
export type SeenToken = {
  address: Address;
  mint: Mint;
  epoch: bigint;
  /** Time in seconds since 1970. */
  time: bigint;
  accountAt: (address: Address) => Account | undefined;
};

/** Places where a token may have a pool. It has one in at most one of them. */
export type PoolPlaces = {
  pools: readonly Address[];
  /** The fee configurations of Raydium that the pool may have. */
  configs?: readonly Address[];
  /** The accounts to read, at one slot. */
  accounts: readonly Address[];
  viewIn(seen: SeenToken): PoolView | undefined;
};

export type AskedPools = {
  /** The fee configurations whose standard pools are read. Each has one standard pool of the token with the coin. */
  cpmmConfigs?: readonly Address[];
  /** Addresses of further pools with these configurations. */
  named?: readonly string[];
  /** The lookup table for trades on Pump's programs. If absent, no message about them would be small enough. */
  pumpTable?: Address | undefined;
};

/** An exchange: finds the places of a token's pools. */
export type PoolKind = (mint: Address, asked: AskedPools) => Promise<PoolPlaces[]>;
