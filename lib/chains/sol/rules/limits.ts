import type { Network } from "../../../core/network.ts";
import type { Lamports } from "../../../core/units.ts";
import { coinUnitsFrom } from "../../../orders/decimal-text.ts";
import { type LimitTexts, limitsOf } from "../../../orders/requests.ts";
import type { SolConfiguration, SolRelay } from "./configuration.ts";

/** The operators' limits on Solana. */
export type SolLimits = {
  /** Limits the amount of a buy. */
  maxOrder?: Lamports | undefined;
  /**
   * Limits the fees of all the order's transactions, not counting base fees. Also limits each single transaction,
   * including its base fee.
   */
  maxNetworkFee: Lamports;
  /**
   * Limits the lamports that a wallet's messages pay per day, including rents that stay in accounts. By default ten
   * times `maxNetworkFee`.
   */
  maxNetworkFeesPerDay?: Lamports | undefined;
  /** Limits the base fee per signature. */
  baseFeeLamports: Lamports;
  /** The only accounts that may receive a tip, and the lowest tip that the relay accepts. */
  relay?: { tipAccounts: readonly string[]; leastTipLamports: Lamports } | undefined;
  /** The only lookup table for trades on Pump's programs. If absent, there are none. */
  pumpTable?: string | undefined;
};

/** Reads the operators' limits for Solana. */
export const solLimitsOf = (
  configuration: LimitTexts &
    Pick<SolConfiguration, "baseFee" | "pumpTable"> & { relay?: Omit<SolRelay, "url"> | undefined },
): SolLimits => {
  const { baseFee, relay, pumpTable } = configuration;
  return {
    ...limitsOf("sol", configuration),
    baseFeeLamports: coinUnitsFrom("sol", baseFee, "baseFee"),
    relay: relay && {
      tipAccounts: relay.tipAccounts,
      leastTipLamports: coinUnitsFrom("sol", relay.leastTip, "leastTip"),
    },
    pumpTable,
  };
};

/** Allows no spending if trading is off. */
export const solLimitsWhere = (
  _: Network,
  configuration: Parameters<typeof solLimitsOf>[0] | undefined,
): SolLimits => (configuration ? solLimitsOf(configuration) : { maxNetworkFee: 0n, baseFeeLamports: 0n });
