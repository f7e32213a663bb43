import type { Step, Write } from "../table/step.ts";
import { queryRange, type Table } from "../table/table.ts";
import { type WindowName, windowsAt } from "../users/experience.ts";
import type { Profile } from "../users/profile.ts";
import { type ProfileChanges, profileChange, readProfile } from "../users/profile-records.ts";
import { standingsOf } from "./item-keys.ts";
import type { PointsChange } from "./points.ts";
import { pointsWrites } from "./points-records.ts";
import {
  changedStandings,
  entriesOf,
  type LeaderboardEntry,
  type Listed,
  type StandingRow,
} from "./standings.ts";

/** Returns the fields of a profile that standings follow. They must be unchanged when standings are written. */
const listedFields = ({ experience, ranked, publicName, blockedAt }: Profile): ProfileChanges => ({
  experience,
  ranked,
  publicName,
  blockedAt,
});

/**
 * Builds the writes that bring a user's standings in line with a changed profile. The change of the profile must be in
 * the same transaction, on condition of {@link listedFields}.
 */
export function standingWrites(before: Listed, after: Listed, now: Date): Write[] {
  const { written, removed } = changedStandings(before, after, now);
  return [
    ...removed.map((key) => ({ kind: "remove", key }) as const),
    ...written.map(({ key, item }) => ({ kind: "put", key, item }) as const),
  ];
}

/** Builds the writes that change a profile together with the user's standings. */
export const listedChange = (read: Profile, changes: ProfileChanges, now: Date): Step => [
  profileChange(read, { ...listedFields(read), ...changes }),
  ...standingWrites(read, { ...read, ...changes } as Profile, now),
];

/**
 * Builds the writes that change a user's points and other fields of the profile together with the user's standings, and
 * add lines to the ledger. They fail under the conditions of {@link pointsWrites} and {@link listedChange}.
 */
export const listedPointsChange = async (
  table: Table,
  read: Profile,
  change: PointsChange,
  { now, also }: { now: Date; also: ProfileChanges },
): Promise<Step> => [
  ...(await pointsWrites(table, read, change, { now, also: { ...listedFields(read), ...also } })),
  ...standingWrites(read, { ...read, ...also } as Profile, now),
];

const mostEntries = 100;

/** Reads the leaderboard of a period that is not over, by one Query, and the caller's own public name. */
export async function readLeaderboard(
  table: Table,
  { userID, window, now }: { userID: string; window: WindowName; now: Date },
): Promise<{ window: WindowName; start: string; publicName: string | null; entries: LeaderboardEntry[] }> {
  const { start } = windowsAt(now)[window];
  const [standings, profile] = await Promise.all([
    queryRange<StandingRow>(table, standingsOf(window, start), { limit: mostEntries }),
    readProfile(table, userID),
  ]);
  return { window, start, publicName: profile?.publicName ?? null, entries: entriesOf(standings, userID) };
}
