import type { TokenUnits } from "../core/units.ts";
import { parseAmount } from "../orders/decimal-text.ts";
import { isOpen, type Position } from "../orders/execution.ts";
import type { LaneKey } from "../orders/intent.ts";
import type { MissedToken } from "../orders/table-step.ts";
import type { WakeEvent } from "./execution/wake-effect.ts";

/** Minimum time between two wakings of a wallet's lane by one container. */
const restMs = 60_000;

/** Reports a position that exceeds the balance that was just read. Runs in the background and never fails. */
export type ReportMissed = (lane: LaneKey, missed: MissedToken) => void;

/**
 * Wakes the lane of a wallet with missing tokens, because positions are written only by lanes. If the report is lost,
 * the next read repeats it.
 *
 * @param onFault Receives the error if executeOrders could not be started.
 * @returns true if the report wakes the lane.
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

/** Maximum number of lanes that one list of positions wakes. The next list wakes others. */
const mostWoken = 10;

/** Maximum number of tokens whose last check is remembered. */
const mostRemembered = 10_000;

/**
 * Makes lanes check the tokens of listed positions. Starts with the tokens whose last check is oldest, so that all
 * tokens of a wallet take turns.
 */
export function positionChecker(report: ReturnType<typeof missedReporter>) {
  /** Number of each token's last check. Later checks have higher numbers. */
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

/** True for a final position from orders placed through this API. Positions of other engines have no cost. */
const isSettledHere = ({ settled, cost }: Position): boolean => settled === true && cost !== undefined;

/** True if a position exceeds a balance. False if another engine's text is not a number. */
export function countsMore(position: Position, units: TokenUnits, decimals: number): boolean {
  if (!isSettledHere(position)) return false;
  const counted = parseAmount(position.amount, decimals);
  return typeof counted === "bigint" && counted > units;
}
