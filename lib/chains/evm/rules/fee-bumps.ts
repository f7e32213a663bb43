import type { WeiPerGas } from "../../../core/units.ts";
import { greatest, least } from "../../../orders/bigints.ts";
import type { EvmFees, EvmIntent } from "./intent.ts";

/** Number of seconds after which a pending transaction is replaced by one with higher fees. */
const bumpSeconds: Record<EvmIntent["gasPreset"], number> = {
  slow: Number.POSITIVE_INFINITY,
  medium: 60,
  fast: 24,
  turbo: 12,
};

/** Time at which a transaction is replaced by one with higher fees. Infinite for a preset that never raises them. */
export const bumpDueMs = (preset: EvmIntent["gasPreset"], sentAtMs: number): number =>
  sentAtMs + bumpSeconds[preset] * 1000;

/**
 * The preset for transactions that clear a nonce. It does not depend on the order's preset, because all orders of the
 * wallet wait for the nonce.
 */
export const clearPreset = "fast";

/** Time after which a transaction that all hosts refuse as underpriced gets higher fees. */
export const repriceMs = 5000;

/**
 * Raises a fee by an eighth. Nodes require 10 % more to replace a transaction, and the rest leaves room for their
 * rounding.
 */
const raised = (fee: WeiPerGas): WeiPerGas => (fee * 9n + 7n) / 8n;

/** Computes the lowest fees at which a node accepts a replacement for a transaction. */
export const replacing = ({ maxFeePerGas, maxPriorityFeePerGas }: EvmFees): EvmFees => ({
  maxFeePerGas: raised(maxFeePerGas),
  maxPriorityFeePerGas: raised(maxPriorityFeePerGas),
});

/** True if a node replaces a transaction with the old fees by one with the new fees. */
export const replaces = (fees: EvmFees, old: EvmFees): boolean =>
  fees.maxFeePerGas >= raised(old.maxFeePerGas) &&
  fees.maxPriorityFeePerGas >= raised(old.maxPriorityFeePerGas);

/**
 * Computes the fees of the next attempt at a nonce: high enough to replace the last attempt. Undefined if they exceed
 * the cap.
 */
export function bumped(last: EvmFees, wanted: EvmFees, cap: WeiPerGas): EvmFees | undefined {
  const floor = replacing(last);
  const fees = {
    maxFeePerGas: greatest(floor.maxFeePerGas, least(wanted.maxFeePerGas, cap)),
    maxPriorityFeePerGas: greatest(floor.maxPriorityFeePerGas, least(wanted.maxPriorityFeePerGas, cap)),
  };
  return fees.maxFeePerGas <= cap && fees.maxPriorityFeePerGas <= fees.maxFeePerGas ? fees : undefined;
}
