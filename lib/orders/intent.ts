import type { Network } from "../core/network.ts";
import type { Order } from "./execution.ts";

/** A wallet on one chain. Its transactions form one sequence, even if several users have the key. */
export type LaneKey = { chain: Network; wallet: string };

/** The longest time for which an order may be filled after it was placed. */
export const longestValidSeconds = 600;

/** The limits of an order on any chain. The minimum is never lowered later. */
export type IntentTerms = LaneKey & {
  orderId: string;
  userID: string;
  side: Order["side"];
  /** The traded token. The other side is always the chain's native coin. */
  token: string;
  /** The most that may be spent: coin for a buy, tokens for a sale. In units, like all amounts in this folder. */
  amount: bigint;
  /** The least that may arrive. */
  minAmountOut: bigint;
  /** The amount that the hosts quoted when the order was placed. Policies compare the minimum with it. */
  quotedOut: bigint;
  /** True if its transactions go only to a relay. */
  isPrivate: boolean;
  /** In seconds. Nothing is signed for a fill after it. */
  validUntil: number;
};
