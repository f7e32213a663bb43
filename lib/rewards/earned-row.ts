import type { Network } from "../core/network.ts";

/** A row that waits to be credited to its user. The step that settles an order that filled writes it. */
export type EarnedFill = {
  kind: "fill";
  userID: string;
  orderId: string;
  chain: Network;
  token: string;
  side: "buy" | "sell";
  /** Digits of the coin that a buy spent or a sale received, in the coin's smallest units, without network fees. */
  coinUnits: string;
  /** Time of the fill's block, ISO 8601. */
  filledAt: string;
  /** Time at which the order was settled, ISO 8601. */
  at: string;
};
