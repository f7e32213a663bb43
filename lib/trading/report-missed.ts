import { parseAmount } from "../orders/decimal-text.ts";
import { isOpen, type Position } from "../orders/execution.ts";
import type { LaneKey } from "../orders/intent.ts";
import type { MissedToken } from "../orders/table-step.ts";
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
 * @returns whether a report wakes the lane.
 */
export function missedReporter(
  start: (event: WakeEvent) => Promise<void>,
  onFault: (error: unknown) => void,
  nowMs = Date.now,
): (...reported: Parameters<ReportMissed>) => boolean {
  const wokenMs = new Map<string, number>();
  return ({ chain, wallet }, missed) => {
    const now = nowMs();
    for (const [known, ms] of wokenMs) if (now - ms >= restMs) wokenMs.delete(known);
    const name = `${chain} ${wallet}`;
    if (wokenMs.has(name)) return false;
    wokenMs.set(name, now);
    void start({ chain, wallet, missed }).catch(onFault);
    return true;
  };
}

/** The most lanes that a list of positions wakes. The next list wakes others. */
const mostWoken = 10;

/** The most tokens whose last check is remembered. */
const mostRemembered = 10_000;

/**
 * Has lanes check the tokens of listed positions, without their balances. The tokens that were not checked for longest
 * come first, so that all of a wallet take turns.
 */
export function positionChecker(report: ReturnType<typeof missedReporter>) {
  /** The number of each token's last check, in the order of checks. */
  const checked = new Map<string, number>();
  let count = 0;
  return (userID: string, positions: readonly Position[]): void => {
    const open = positions.flatMap((position) => {
      const { chain, wallet, token } = position;
      if (!isOpen(position) || !isSettledHere(position) || token === undefined) return [];
      const name = `${chain} ${wallet} ${token}`;
      return [{ name, lane: { chain, wallet }, token, last: checked.get(name) ?? 0 }];
    });
    let woken = 0;
    for (const { name, lane, token } of open.toSorted((a, b) => a.last - b.last)) {
      if (woken === mostWoken) return;
      if (!report(lane, { userID, token })) continue;
      woken++;
      checked.delete(name);
      checked.set(name, ++count);
      const [oldest = ""] = checked.keys();
      if (checked.size > mostRemembered) checked.delete(oldest);
    }
  };
}

/** True for a final position of orders that were placed here. Those of other engines have no cost. */
const isSettledHere = ({ settled, cost }: Position): boolean => settled === true && cost !== undefined;

/** True if a position counts more than a balance. Positions of other engines may have any text. */
export function countsMore(position: Position, units: bigint, decimals: number): boolean {
  if (!isSettledHere(position)) return false;
  const counted = parseAmount(position.amount, decimals);
  return typeof counted === "bigint" && counted > units;
}
