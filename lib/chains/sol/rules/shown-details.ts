import type { ReportTerms, ShownTransaction } from "../../../orders/order-details.ts";
import type { SolRouteStep } from "./route-step.ts";

/** A signed transaction on Solana, without its bytes. */
export type ShownSolAttempt = ShownTransaction & {
  purpose: "swap" | "clear";
  /** Fees in SOL. */
  priorityFee: string;
  tip: string;
  computeUnitLimit: number;
  /** Last block height at which a block can contain the transaction. */
  lastValidBlockHeight: number;
  outcome: "pending" | "mined" | "reverted" | "expired";
};

/** The report of an order on Solana. */
export type SolFillReport = ReportTerms & {
  route?: SolRouteStep[];
  /** Fees in SOL. `priority` and `tip` are parts of the total. */
  networkFee: Record<"total" | "swap" | "clear" | "priority" | "tip", string>;
  /** Rent in SOL that stays in accounts that were opened for the order. */
  rent: string;
  computeUnits?: number;
};

/** An order's transactions. They are stored with the order when it settles and its slots are removed. */
export type SolDetails = {
  attempts: ShownSolAttempt[];
  report?: SolFillReport;
};
