import type { Network } from "../core/network.ts";
import type { AskedTrade } from "./trade.ts";

/** A request for a quote. Addresses are as the user wrote them. */
export type QuoteRequest = AskedTrade & { chain: Network; wallet?: string | undefined };

/** A request for an order. Addresses are as the user wrote them. */
export type PlaceOrderRequest = AskedTrade & {
  chain: Network;
  wallet: string;
  type: "market";
  validForSeconds?: number | undefined;
  dryRun?: boolean | undefined;
};
