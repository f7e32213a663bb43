import { dayOf } from "../core/time.ts";
import type { Streak } from "./earnings.ts";

const dayMs = 86_400_000;

/** Number of days for which a streak has a bit. */
const width = 64;

/**
 * Adds a day with a settled fill. The order of the days does not matter, as long as none comes more than 63 days after
 * a later one: such a day is ignored.
 *
 * @returns the same object if the day was counted before.
 */
export function withTradingDay(streak: Streak | undefined, day: string): Streak {
  if (streak === undefined) return { last: day, bits: digitsOf(1n), before: 0 };
  const ahead = daysBetween(streak.last, day);
  let bits = BigInt(`0x${streak.bits}`);
  if (ahead <= 0) {
    const bit = ahead > -width ? 1n << BigInt(-ahead) : 0n;
    return (bits | bit) === bits ? streak : { ...streak, bits: digitsOf(bits | bit) };
  }
  let { before } = streak;
  // Ends after one day without a bit before the new ones, since nothing is left to count by then.
  for (let moved = 0; moved < Math.min(ahead, width + 1); moved++) {
    before = bits >> BigInt(width - 1) === 1n ? before + 1 : 0;
    bits = BigInt.asUintN(width, bits << 1n);
  }
  return { last: day, bits: digitsOf(bits | 1n), before };
}

/** Counts the consecutive days with a settled fill up to today or yesterday. */
export function streakAt(streak: Streak | undefined, now: Date): number {
  if (streak === undefined || daysBetween(streak.last, dayOf(now)) > 1) return 0;
  const bits = BigInt(`0x${streak.bits}`).toString(2).padStart(width, "0");
  const gap = [...bits].reverse().indexOf("0");
  return gap === -1 ? width + streak.before : gap;
}

const digitsOf = (bits: bigint): string => bits.toString(16).padStart(width / 4, "0");

const daysBetween = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / dayMs;
