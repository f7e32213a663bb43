import type { ReportTerms, ShownTransaction } from "../../../orders/order-details.ts";
import type { EvmCall } from "./intent.ts";
import type { EvmRouteStep } from "./route-steps.ts";

/** A signed transaction on an EVM chain, without its bytes. */
export type ShownEvmAttempt = ShownTransaction & {
  purpose: EvmCall["purpose"];
  nonce: number;
  /** Fees in gwei. */
  maxFeePerGas: string;
  maxPriorityFeePerGas: string;
  gasLimit: number;
  outcome: "pending" | "mined" | "reverted" | "replaced";
};

/** The report of an order on an EVM chain. */
export type EvmFillReport = ReportTerms & {
  route?: EvmRouteStep[];
  /** Fees in coin. `l1` is the part of the total paid in addition to gas: for layer 1, and to base's operator. */
  networkFee: Record<"total" | EvmCall["purpose"] | "l1", string>;
  gasUsed: number;
  /** Fees in gwei. */
  effectiveGasPrice: string;
  /** The tokens that the router may still take from the wallet. */
  approvalLeft: string;
  /**
   * ODD_EVENTS: the token's events misstate what the wallet received or sent, so the amount comes from its balances.
   */
  flags?: "ODD_EVENTS"[];
  /**
   * True if the wallet's balances around the fill are not known from two hosts. The amount then comes from the events.
   */
  unchecked?: true;
};

/** An order's transactions. They are stored with the order when it settles and its slots are removed. */
export type EvmDetails = {
  attempts: ShownEvmAttempt[];
  report?: EvmFillReport;
};
