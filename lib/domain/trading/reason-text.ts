import type { ReasonCode } from "../execution.ts";

/** Why an order waits or ended, in words for its user. */
export const reasonText: Readonly<Record<ReasonCode, string>> = {
  AMOUNT_TOO_SMALL: "For such a small amount nothing would arrive",
  CANCELLED_BY_USER: "You cancelled it",
  CHAIN_UNAVAILABLE: "The chain cannot be reached",
  GAS_PRICE_TOO_HIGH: "Gas costs more than the order allows",
  INSUFFICIENT_BALANCE: "The wallet has too little for it",
  NONCE_TAKEN: "Another program used the wallet meanwhile",
  NOT_INCLUDED: "No block took it in time",
  NO_ROUTE: "No pool can make the trade",
  POLICY_LIMIT: "It is above a limit",
  RELAY_UNAVAILABLE: "The relay cannot be reached",
  REVERTED: "The chain took it, and the trade failed",
  SIGNING_REFUSED: "It was not signed",
  SLIPPAGE_EXCEEDED: "Less would have arrived than its minimum",
  TRADING_DISABLED: "Trading was stopped",
  WALLET_BUSY: "Another program's transaction is pending",
  WALLET_RETIRED: "The wallet was retired",
};
