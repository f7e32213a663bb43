import type { Address } from "@solana/web3.js";
import type { Lamports } from "../../../core/units.ts";
import type { Order } from "../../../orders/execution.ts";

/** An account of an instruction that Jupiter has made: an address, or a position in a lookup table. */
export type VenueAccount = { isWritable: boolean } & (
  | { address: Address }
  | { table: Address; index: number }
);

/** A Raydium CPMM pool with its fee configuration. All its other accounts are derived. */
export type CpmmVenue = { kind: "cpmm"; pool: Address; config: Address };

/** An instruction that Jupiter has made for a helper key. As a delegate, the key moves exactly the order's amount. */
export type JupiterVenue = {
  kind: "jupiter";
  helper: Address;
  /** The decimals of the spent mint: 9 for a buy. */
  sourceDecimals: number;
  accounts: readonly VenueAccount[];
  data: Uint8Array;
};

/** Facts about a market of Pump that a trade's message needs. All other accounts are derived or in the table. */
type PumpTerms = { pool: Address; table: Address; vault: Address; isMayhem: boolean };

export type PumpVenue =
  /** A bonding curve. `rest` is the amount of a buy that takes all tokens that are left. */
  | ({ kind: "pump"; rest?: bigint } & PumpTerms)
  /** The pool that follows a curve. */
  | ({ kind: "pumpswap"; hasCreator: boolean; hasCashback: boolean } & PumpTerms);

/** A pool whose trades the wallet itself signs. */
export type SolPoolVenue = CpmmVenue | PumpVenue;

export type SolVenue = SolPoolVenue | JupiterVenue;

type CommonTerms = {
  wallet: Address;
  /** Id of the order, a ULID, with the number of a slice after a point. It is the seed of the marker. */
  orderId: string;
  blockhash: string;
  computeUnitLimit: number;
  /** Price of a compute unit, in millionths of a lamport. */
  microLamportsPerUnit: bigint;
  markerRentLamports: Lamports;
};

/** A transaction that makes only the order's marker, so that no attempt can fill the order any more. */
export type ClearTerms = CommonTerms & { purpose: "clear" };

/** The part of an attempt's terms that decides about its swap. */
export type PoolSwapTerms = Pick<
  AttemptTerms,
  "wallet" | "side" | "mint" | "tokenProgram" | "amountIn" | "minAmountOut"
>;

/** A transaction that either fills the order or fails. */
export type AttemptTerms = CommonTerms & {
  purpose: "swap";
  side: Order["side"];
  mint: Address;
  /** The program that owns the mint: Token or Token-2022. */
  tokenProgram: Address;
  /** The amount to spend: lamports for a buy, units of the mint for a sale. */
  amountIn: bigint;
  /** The minimum amount to receive: units of the mint for a buy, lamports for a sale. */
  minAmountOut: bigint;
  /** Absent for a trade on a bonding curve, which needs no account of wrapped SOL. */
  wsolRentLamports?: Lamports;
  /** `isPlain` for older messages, which name no account against front-running. They are read, never signed. */
  tip?: { account: Address; lamports: Lamports; isPlain?: true };
  venue: SolVenue;
};

/** Everything about a Solana message that depends on its order, the market and the hosts. All else is fixed. */
export type MessageTerms = AttemptTerms | ClearTerms;

/** The token accounts of an attempt. All of them belong to the wallet. */
export type OwnAccounts = {
  marker: Address;
  source: { account: Address; mint: Address; tokenProgram: Address };
  destination: { account: Address; mint: Address; tokenProgram: Address };
};
