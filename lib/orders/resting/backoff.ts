import type { LegClass } from "./mandate.ts";
import { triggerTimes } from "./times.ts";

/** Dead children of a leg in a row, and the time from which the leg may fire again. */
export type LegState = { tries: number; nextAtMs: number };

export const freshLeg: LegState = { tries: 0, nextAtMs: 0 };

/** Number of dead children after which a leg begins to pause. */
const triesWithoutPause: Record<LegClass, number> = { limit: 0, stop: 5 };

/** Makes a leg pause after the death of its child. Each leg has its own pauses, so a limit never delays a stop. */
export function afterDeadChild({ tries, nextAtMs }: LegState, legClass: LegClass, nowMs: number): LegState {
  const now = nowMs - nextAtMs > triggerTimes.forgetMs ? 1 : tries + 1;
  const doublings = now - 1 - triesWithoutPause[legClass];
  if (doublings < 0) return { tries: now, nextAtMs: nowMs };
  const { firstPauseMs, longestPauseMs } = triggerTimes;
  return { tries: now, nextAtMs: nowMs + Math.min(firstPauseMs * 2 ** doublings, longestPauseMs[legClass]) };
}

export const isPausing = ({ nextAtMs }: LegState, nowMs: number): boolean => nowMs < nextAtMs;
