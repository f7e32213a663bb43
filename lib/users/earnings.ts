import { dayOf } from "../core/time.ts";

/** What a user's trades have earned. Sums in millionths are whole numbers below 2^53, and days are YYYY-MM-DD in UTC. */
export type Earnings = {
  /** Millionths of an XP and of a point from which the next credit continues. */
  microXp: number;
  microPoints: number;
  /** Day to which the following sums belong. */
  day: string;
  /** What was credited on that day for the user's own trades. */
  ownMicroXp: number;
  ownMicroPoints: number;
  /** What was credited on that day as shares of what others have earned. */
  sharedMicroXp: number;
  sharedMicroPoints: number;
  /** Number of days with a settled fill. */
  tradingDays: number;
  /** Absent before the first fill. */
  streak?: Streak;
  /** Time of the last credit that connections were told about, ISO 8601. */
  announcedAt?: string;
};

/** The latest days with a settled fill. */
export type Streak = {
  last: string;
  /** The 64 days up to `last`, as 16 hexadecimal digits. The lowest bit is `last`. */
  bits: string;
  /** Number of consecutive days that end where these begin. */
  before: number;
};

/** Begins new sums on a new day. A clock that is behind continues the later day. */
export function earningsAt(earnings: Earnings | undefined, now: Date): Earnings {
  const day = dayOf(now);
  if (earnings !== undefined && earnings.day >= day) return earnings;
  return {
    microXp: 0,
    microPoints: 0,
    tradingDays: 0,
    ...earnings,
    day,
    ownMicroXp: 0,
    ownMicroPoints: 0,
    sharedMicroXp: 0,
    sharedMicroPoints: 0,
  };
}
