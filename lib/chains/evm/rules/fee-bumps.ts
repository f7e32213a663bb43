import type { WeiPerGas } from "../../../core/units.ts";
import { greatest, least } from "../../../orders/bigints.ts";
import type { EvmFees, EvmIntent } from "./intent.ts";

/** A pending transaction is sent again with higher fees after this many seconds. */
const bumpSeconds: Record<EvmIntent["gasPreset"], number> = {
  slow: Number.POSITIVE_INFINITY,
  medium: 60,
  fast: 24,
  turbo: 12,
};

/** Time at which a transaction gets higher fees. Infinite for a preset that never raises them. */
export const bumpDueMs = (preset: EvmIntent["gasPreset"], sentAtMs: number): number =>
  sentAtMs + bumpSeconds[preset] * 1000;

/**
 * The preset for transactions that clear a nonce, whatever the order's preset: all orders of the wallet wait for them.
 */
export const clearPreset = "fast";

/** A transaction that all hosts refuse as underpriced gets higher fees after this time. */
export const repriceMs = 5000;

/** Nodes replace a transaction only for 10 % higher fees. An eighth leaves room for their rounding. */
const raised = (fee: WeiPerGas): WeiPerGas => (fee * 9n + 7n) / 8n;

/** Computes the lowest fees with which a node replaces a transaction. */
export const replacing = ({ maxFeePerGas, maxPriorityFeePerGas }: EvmFees): EvmFees => ({
  maxFeePerGas: raised(maxFeePerGas),
  maxPriorityFeePerGas: raised(maxPriorityFeePerGas),
});

/** True if a node replaces a transaction with the old fees by one with the new fees. */
export const replaces = (fees: EvmFees, old: EvmFees): boolean =>
  fees.maxFeePerGas >= raised(old.maxFeePerGas) &&
  fees.maxPriorityFeePerGas >= raised(old.maxPriorityFeePerGas);

/**
 * Computes the fees of the next attempt at a nonce: enough to replace the last one. Undefined if they exceed the cap.
 */
export function bumped(last: EvmFees, wanted: EvmFees, cap: WeiPerGas): EvmFees | undefined {
  const floor = replacing(last);
  const fees = {
    maxFeePerGas: greatest(floor.maxFeePerGas, least(wanted.maxFeePerGas, cap)),
    maxPriorityFeePerGas: greatest(floor.maxPriorityFeePerGas, least(wanted.maxPriorityFeePerGas, cap)),
  };
  return fees.maxFeePerGas <= cap && fees.maxPriorityFeePerGas <= fees.maxFeePerGas ? fees : undefined;
}
