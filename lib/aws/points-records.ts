import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { nextLines, type PointsChange, type PointsLine } from "../domain/points.ts";
import type { Profile } from "../domain/profile.ts";
import { type ProfileChanges, profileUpdate } from "./profile-records.ts";
import { pointsLineKey, pointsLinesOf } from "./reward-keys.ts";
import { queryRange, type Table } from "./table.ts";
import { putNew, type Writes } from "./writes.ts";

/**
 * Changes a user's points, with the lines of the ledger that show it. They belong into one transaction, which fails if the
 * points have changed since the profile was read, or the ledger since this call.
 *
 * @param also other changes of the profile.
 */
export async function pointsWrites(
  table: Table,
  profile: Profile,
  change: PointsChange,
  { now, also = {} }: { now: Date; also?: ProfileChanges },
): Promise<Writes> {
  const newest = await readNewestLine(table, profile.userID);
  const points = profile.points + change.change;
  return [
    { Update: profileUpdate(table, profile, { ...also, points }) },
    ...nextLines(profile, newest, change, now).map((line) =>
      putNew(table, { ...pointsLineKey(line.userID, line.number), ...line }),
    ),
  ];
}

/** The newest line of a user's ledger. Decides what the next one is, so no profile that was put back can be wrong about it. */
export async function readNewestLine(
  { client, name }: Table,
  userID: string,
): Promise<PointsLine | undefined> {
  const { PK, from, to } = pointsLinesOf(userID);
  const { Items = [] } = await client.send(
    new QueryCommand({
      TableName: name,
      ConsistentRead: true,
      KeyConditionExpression: "PK = :pk AND SK BETWEEN :from AND :to",
      ExpressionAttributeValues: { ":pk": PK, ":from": from, ":to": to },
      ScanIndexForward: false,
      Limit: 1,
    }),
  );
  return Items[0] as PointsLine | undefined;
}

/** The user's ledger, oldest first. Empty if the points have not changed since version 1.0. */
export async function readPointsLines(table: Table, userID: string): Promise<PointsLine[]> {
  return queryRange<PointsLine>(table, pointsLinesOf(userID));
}
