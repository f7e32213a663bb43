import type { Balance, Network, Order, Position } from "trading-terminal-client";
import { isSameToken } from "trading-terminal-client/markets";

/** Balances of one wallet on a chain, as last read. */
export type WalletBalances = { chain: Network; wallet: string; balances: readonly Balance[] };

/**
 * Says why a resting sale has nothing to sell. Undefined if it has, or if the page does not know: a wallet may hold
 * tokens that no position counts. Only exits depend solely on a position.
 */
export function nothingToSell(
  { side, stage, chain, wallet, token, maxAmount, createdAt }: Order,
  positions: readonly Position[],
  read: WalletBalances | undefined,
): string | undefined {
  // A pending exit waits for its buy.
  if (side !== "sell" || stage === "pending" || token === undefined) return undefined;
  const isSold = (other: string | undefined) =>
    other !== undefined && isSameToken({ chain, token: other }, { chain, token });
  const own = positions.filter(
    (each) => each.chain === chain && each.wallet === wallet && isSold(each.token),
  );
  // A position may be newer than the balances.
  if (own.some(({ status }) => status === "open")) return undefined;
  const isRead = read?.chain === chain && read.wallet === wallet;
  const balance = isRead ? read.balances.find((each) => isSold(each.token)) : undefined;
  if (balance !== undefined) return Number(balance.amount) === 0 ? "the wallet holds none" : undefined;
  const isClosed = own.some(({ closedAt }) => closedAt !== undefined && closedAt > createdAt);
  return maxAmount !== undefined && isClosed ? "its position is closed" : undefined;
}
