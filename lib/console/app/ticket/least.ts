import type { Market, OrderRequest, TerminalState, TokenName } from "trading-terminal-client";
import { marketOf } from "trading-terminal-client/markets";
import { amount, coinOf } from "../format.ts";

type Trade = Pick<OrderRequest, "chain" | "side" | "token">;

/** Names a trade regardless of its amount. */
export const tradeOf = ({ chain, side, token }: Trade) => `${chain} ${side} ${token.toLowerCase()}`;

/** Names the order to which a typed minimum belongs. For a larger order, the same minimum would protect too little. */
export const sizedTradeOf = (ticket: Trade & { given: string; unit: string; wallet: string }) =>
  `${tradeOf(ticket)} ${ticket.given} ${ticket.unit} ${ticket.wallet}`;

/**
 * Shows the token's last price from another source, if there is one.
 * @param market The token's market as read once. The stream's market is newer.
 */
export function leastHint(
  { chain, token }: TokenName,
  symbol: string,
  state: Pick<TerminalState, "markets"> | undefined,
  market: Pick<Market, "price"> | undefined,
): string {
  const { price } = (state && marketOf(state, { chain, token })) ?? market ?? {};
  return price === undefined
    ? "no other source has a price"
    : `last price elsewhere: ${amount(price)} ${coinOf[chain]} for one ${symbol}`;
}
