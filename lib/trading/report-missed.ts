import { parseAmount } from "./core/decimal-text.ts";
import type { Position } from "./core/execution.ts";
import type { LaneKey } from "./core/intent.ts";
import type { MissedToken } from "./core/table-step.ts";
import type { WakeEvent } from "./execution/wake-effect.ts";

/** A wallet is woken at most once in this time, by each container. */
const restMs = 60_000;

/** Reports that a position says more than a balance that was just read. It never fails, and nothing waits for it. */
export type ReportMissed = (lane: LaneKey, missed: MissedToken) => void;

/**
 * Wakes the lane of a wallet that lacks tokens. Only the lane writes positions. If the report is lost, the next read
 * repeats it.
 *
 * @param onFault Receives the error that kept executeOrders from starting.
 */
export function missedReporter(
  start: (event: WakeEvent) => Promise<void>,
  onFault: (error: unknown) => void,
  nowMs = Date.now,
): ReportMissed {
  const wokenMs = new Map<string, number>();
  return ({ chain, wallet }, missed) => {
    const now = nowMs();
    for (const [known, ms] of wokenMs) if (now - ms >= restMs) wokenMs.delete(known);
    const name = `${chain} ${wallet}`;
    if (wokenMs.has(name)) return;
    wokenMs.set(name, now);
    void start({ chain, wallet, missed }).catch(onFault);
  };
}

/** True if a position counts more than a balance. Positions of other engines may have any text. */
export function countsMore({ amount, settled, cost }: Position, units: bigint, decimals: number): boolean {
  // Only positions of orders that were placed here have a cost.
  if (!settled || cost === undefined) return false;
  const counted = parseAmount(amount, decimals);
  return typeof counted === "bigint" && counted > units;
}
