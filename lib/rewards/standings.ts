import { epochSeconds } from "../core/time.ts";
import type { Key } from "../table/keys.ts";
import { type Experience, type WindowName, windowNames, windowsOf } from "../users/experience.ts";
import { levelAt } from "../users/level.ts";
import type { Profile } from "../users/profile.ts";
import { standingKey } from "./item-keys.ts";

/** A row of a leaderboard: the XP that a user has earned in a period. */
export type StandingRow = {
  userID: string;
  publicName: string;
  xp: number;
  level: number;
  /** Time when the table may remove the row, in epoch seconds. */
  expiresAt: number;
};

/** Fields of a profile that decide about the user's standings. */
export type Listed = Pick<Profile, "userID" | "experience" | "ranked" | "publicName" | "blockedAt">;

/** Days from the start of a period to when its rows expire. Nobody can ask for the period by then. */
const keptDays: Readonly<Record<WindowName, number>> = { daily: 3, weekly: 9, monthly: 33 };

/** Lists a user's standings by their keys. Empty unless others may see the user. */
function standingsIn(
  { userID, experience, ranked, publicName, blockedAt }: Listed,
  periods: (experience: Experience) => Omit<Experience, "total">,
): { key: Key; item: StandingRow }[] {
  if (!ranked || publicName === undefined || blockedAt !== undefined) return [];
  const windows = periods(experience);
  const level = levelAt(experience.total);
  return windowNames.flatMap((window) => {
    const { start, xp } = windows[window];
    if (xp === 0) return [];
    const expiresAt = epochSeconds(new Date(start)) + keptDays[window] * 86_400;
    return [
      {
        key: standingKey(window, start, xp, userID),
        item: { userID, publicName, xp, level, expiresAt },
      },
    ];
  });
}

/** Finds the standings that a change of a profile adds, replaces or removes. */
export function changedStandings(before: Listed, after: Listed, now: Date) {
  const written = standingsIn(after, (experience) => windowsOf(experience, now));
  // Uses the periods as stored, so that the last row goes even if its period is over.
  const removed = standingsIn(before, (experience) => experience)
    .map(({ key }) => key)
    .filter(({ PK, SK }) => !written.some(({ key }) => key.PK === PK && key.SK === SK));
  return { written, removed };
}

/** A standing as clients see it. Users with the same XP share a rank. */
export type LeaderboardEntry = {
  rank: number;
  publicName: string;
  xp: number;
  Level: number;
  isYou?: true;
};

/** Builds the entries of a leaderboard. `standings` must have the most XP first. */
export const entriesOf = (
  standings: readonly Omit<StandingRow, "expiresAt">[],
  userID: string,
): LeaderboardEntry[] =>
  standings.map(({ publicName, xp, level, userID: other }) => ({
    rank: standings.findIndex((each) => each.xp === xp) + 1,
    publicName,
    xp,
    Level: level,
    ...(other === userID && { isYou: true }),
  }));
