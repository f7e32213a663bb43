import type { Network } from "../core/network.ts";
import type { AskedTrade } from "./trade.ts";

/** A request for a quote. Addresses are spelled as the user entered them. */
export type QuoteRequest = AskedTrade & { chain: Network; wallet?: string | undefined };

/** A request for an order. Addresses are spelled as the user entered them. */
export type PlaceOrderRequest = AskedTrade & {
  chain: Network;
  wallet: string;
  type: "market";
  dryRun?: boolean | undefined;
  /** Another name of the idempotency key. */
  clientOrderId?: string | undefined;
};

/** A request for a buy that the user's preset describes. */
export type AutomaticRequest = {
  auto: "buy";
  chain: Network;
  token: string;
  wallet?: string | undefined;
  clientOrderId?: string | undefined;
};
