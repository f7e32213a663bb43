import type { CpmmRoute, JupiterRoute } from "./sol-intent.ts";
import type { SolFees } from "./sol-slot.ts";

/** Makes only the order's marker, so that no other message of the order can have an effect. */
export type ClearMessage = { purpose: "clear" };

/** An account of an instruction that Jupiter has built: an address, or its place in a lookup table. */
export type BuildAccount = { isWritable: boolean } & ({ address: string } | { table: string; index: number });

/** An instruction that Jupiter has built for a helper key. */
export type JupiterBuild = {
  /** The address of the key. */
  helper: string;
  /** The decimals of what is spent. */
  sourceDecimals: number;
  accounts: readonly BuildAccount[];
  /** In base64. */
  data: string;
};

/** The route of a message, with what Jupiter has built for it. */
export type MessageRoute = { route: CpmmRoute } | { route: JupiterRoute; build: JupiterBuild };

/** Fills the order, or fails. */
export type SwapMessage = {
  purpose: "swap";
  /** Lamports for a buy, units of the token for a sale. */
  amountIn: bigint;
  /** Keeps the temporary account for wrapped coin alive. */
  wsolRentLamports: bigint;
} & MessageRoute;

/** All about a message that the market and the hosts decide. The rest follows from the intent. */
export type SolMessage = Omit<SolFees, "tipLamports"> & {
  blockhash: string;
  /** No later block can have it. */
  lastValidBlockHeight: number;
  markerRentLamports: bigint;
  tip?: { account: string; lamports: bigint };
} & (ClearMessage | SwapMessage);
