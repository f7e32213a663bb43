import { randomUUID } from "node:crypto";
import { type PointsChange, type PointsLine, pointsChanged } from "../domain/points.ts";
import type { Profile } from "../domain/profile.ts";
import { type ProfileChanges, profileUpdate } from "./profile-records.ts";
import { openingLineKey, pointsLineKey, pointsLinesOf } from "./reward-keys.ts";
import { queryRange, type Table } from "./table.ts";
import { putNew, type Writes } from "./writes.ts";

/**
 * Changes a user's points, with the lines of the ledger that show it. They belong into one transaction, which fails if the
 * points have changed since the profile was read.
 *
 * @param also other changes of the profile.
 */
export function pointsWrites(
  table: Table,
  profile: Profile,
  change: PointsChange,
  { now, also = {} }: { now: Date; also?: ProfileChanges },
): Writes {
  const { attributes, lines } = pointsChanged(profile, change, now);
  return [
    { Update: profileUpdate(table, profile, { ...also, ...attributes }) },
    ...lines.map((line) => putNew(table, { ...keyOf(line), ...line })),
  ];
}

const keyOf = ({ userID, time, reason }: PointsLine) =>
  reason === "opening" ? openingLineKey(userID) : pointsLineKey(userID, time, randomUUID());

/** The user's ledger, oldest first. Empty if the points have not changed since version 1.0. */
export async function readPointsLines(table: Table, userID: string): Promise<PointsLine[]> {
  return queryRange<PointsLine>(table, pointsLinesOf(userID));
}
