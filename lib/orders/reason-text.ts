import type { ReasonCode } from "./execution.ts";

/** Explains to users why an order waits or has ended. */
export const reasonText: Readonly<Record<ReasonCode, string>> = {
  AMOUNT_TOO_SMALL: "The amount is too small: you would receive nothing",
  CANCELLED_BY_USER: "You cancelled the order",
  CHAIN_UNAVAILABLE: "The chain cannot be reached",
  GAS_PRICE_TOO_HIGH: "Gas costs more than the order allows",
  INSUFFICIENT_BALANCE: "The wallet's balance is too low",
  NONCE_TAKEN: "Another program used the wallet meanwhile",
  NOT_INCLUDED: "No block included the transaction in time",
  NO_ROUTE: "No pool can make the trade",
  POLICY_LIMIT: "The wallet's policy forbids the trade",
  RELAY_UNAVAILABLE: "The relay cannot be reached",
  REVERTED: "The trade failed on the chain",
  SIGNING_REFUSED: "The transaction was not signed",
  SLIPPAGE_EXCEEDED: "You would have received less than the minimum",
  TRADING_DISABLED: "Trading was stopped",
  WALLET_BUSY: "Another program's transaction is pending",
  WALLET_RETIRED: "The wallet was retired",
};
