import type { MessageRoute } from "./jupiter-build.ts";
import type { SolFees } from "./slot.ts";

/** Makes only the order's marker, so that no other message of the order can have an effect. */
export type ClearMessage = { purpose: "clear" };

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
