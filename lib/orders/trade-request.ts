import type { Network } from "../core/network.ts";
import type { AskedTrade } from "./trade.ts";

/** A request for a quote. Addresses may have any case or checksum. */
export type QuoteRequest = AskedTrade & { chain: Network; wallet?: string | undefined };

/** A request for an order. Addresses may have any case or checksum. */
export type PlaceOrderRequest = AskedTrade & {
  chain: Network;
  wallet: string;
  type: "market";
  validForSeconds?: number | undefined;
  dryRun?: boolean | undefined;
};
