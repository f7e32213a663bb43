import type { Step } from "../table/step.ts";
import { queryRange, type Table } from "../table/table.ts";
import type { Profile } from "../users/profile.ts";
import { type ProfileChanges, profileChange } from "../users/profile-records.ts";
import { pointsLineKey, pointsLinesOf } from "./item-keys.ts";
import { nextLines, type PointsChange, type PointsLine } from "./points.ts";

/**
 * Builds the writes that change a user's points and add lines to the ledger. The transaction fails if the points have
 * changed since the profile was read, or if the ledger has changed since this call.
 *
 * @param also further changes of the profile.
 */
export async function pointsWrites(
  table: Table,
  profile: Profile,
  change: PointsChange,
  { now, also = {} }: { now: Date; also?: ProfileChanges },
): Promise<Step> {
  const newest = await readNewestLine(table, profile.userID);
  const points = profile.points + change.change;
  const changed = change.change === 0 ? {} : { pointsChangedAt: now.toISOString() };
  return [
    profileChange(profile, { ...also, points, ...changed }),
    ...nextLines(profile, newest, change, now).map((line) => ({
      kind: "put" as const,
      key: pointsLineKey(line.userID, line.number),
      item: line,
      when: "absent" as const,
    })),
  ];
}

/**
 * Reads the newest line of a user's ledger. The next line continues from it, even if a restored profile has a different
 * number of points.
 */
export async function readNewestLine(table: Table, userID: string): Promise<PointsLine | undefined> {
  const [newest] = await queryRange<PointsLine>(table, pointsLinesOf(userID), { limit: 1, isReversed: true });
  return newest;
}

/** Reads the user's ledger, oldest first. Empty if the points have not changed since version 1.0. */
export async function readPointsLines(table: Table, userID: string): Promise<PointsLine[]> {
  return queryRange<PointsLine>(table, pointsLinesOf(userID));
}
