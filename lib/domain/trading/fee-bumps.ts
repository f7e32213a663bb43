import { greatest, least } from "./bigints.ts";
import type { Fees, Intent } from "./intent.ts";

/** Seconds after which a transaction that no block took is sent again with higher fees. */
const bumpSeconds: Record<Intent["gasPreset"], number> = {
  slow: Number.POSITIVE_INFINITY,
  medium: 60,
  fast: 24,
  turbo: 12,
};

/** Infinite for a preset that is never bumped. */
export const bumpDueMs = (preset: Intent["gasPreset"], sentAtMs: number): number =>
  sentAtMs + bumpSeconds[preset] * 1000;

/** Of transactions that clear a nonce, whatever their order's preset: all orders of the wallet wait for them. */
export const clearPreset = "fast";

export const isDueForBump = (preset: Intent["gasPreset"], sentAtMs: number, nowMs: number): boolean =>
  nowMs >= bumpDueMs(preset, sentAtMs);

/** Nodes want 10 % more before they replace a transaction. An eighth leaves room for their rounding. */
const raised = (fee: bigint) => (fee * 9n + 7n) / 8n;

/** The least fees with which a node that holds a transaction replaces it. */
export const replacing = ({ maxFeePerGas, maxPriorityFeePerGas }: Fees): Fees => ({
  maxFeePerGas: raised(maxFeePerGas),
  maxPriorityFeePerGas: raised(maxPriorityFeePerGas),
});

/** Whether a node that holds a transaction with the old fees will replace it. */
export const replaces = (fees: Fees, old: Fees): boolean =>
  fees.maxFeePerGas >= raised(old.maxFeePerGas) &&
  fees.maxPriorityFeePerGas >= raised(old.maxPriorityFeePerGas);

/** The fees of the next attempt at a nonce: enough to replace the last one. Undefined if that exceeds the cap. */
export function bumped(last: Fees, wanted: Fees, cap: bigint): Fees | undefined {
  const floor = replacing(last);
  const fees = {
    maxFeePerGas: greatest(floor.maxFeePerGas, least(wanted.maxFeePerGas, cap)),
    maxPriorityFeePerGas: greatest(floor.maxPriorityFeePerGas, least(wanted.maxPriorityFeePerGas, cap)),
  };
  return fees.maxFeePerGas <= cap && fees.maxPriorityFeePerGas <= fees.maxFeePerGas ? fees : undefined;
}
