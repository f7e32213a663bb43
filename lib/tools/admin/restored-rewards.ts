import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import { withLine } from "../../rewards/credit.ts";
import { redemptionKey, redemptionPlaceKey } from "../../rewards/item-keys.ts";
import { readNewestLine, readPointsLines } from "../../rewards/points-records.ts";
import type { Redemption } from "../../rewards/redemption.ts";
import { readStock, returningPiece } from "../../rewards/stock-records.ts";
import type { Step } from "../../table/step.ts";
import { readNumbers, type Table } from "../../table/table.ts";
import { write } from "../../table/write.ts";
import type { Profile } from "../../users/profile.ts";

type StoredItem = Record<string, AttributeValue>;

/**
 * Brings a backup's profile in line with the live ledger, if that has lines which the backup lacks: spent points stay
 * spent, XP that trades have earned stay earned, and the caps of a day are used once.
 */
export async function withNewestLines(
  profile: StoredItem,
  { table, backup }: { table: Table; backup: Table },
): Promise<StoredItem> {
  const userID = profile.userID?.S;
  if (userID === undefined) return profile;
  const [lines, saved] = await Promise.all([readPointsLines(table, userID), readNewestLine(backup, userID)]);
  const newer = lines.filter(({ number }) => number > (saved?.number ?? 0));
  if (newer.length === 0) return profile;
  const { points, experience, earnings } = newer.reduce(
    withLine,
    unmarshall(profile, readNumbers) as Profile,
  );
  return { ...profile, ...marshall({ points, experience, earnings }, { removeUndefinedValues: true }) };
}

/** True if deleting this redemption would lose an undelivered piece of a limited reward. */
export const holdsPiece = ({ status, isLimited }: StoredItem): boolean =>
  status?.S === "pending" && isLimited?.BOOL === true;

/**
 * Deletes a redemption and returns its piece to the stock. Returns false, without writing, if the redemption has
 * changed.
 */
export async function deleteWithPiece(table: Table, item: StoredItem): Promise<boolean> {
  const { userID, redemptionId, rewardId, createdAt, version } = unmarshall(item) as Redemption;
  const isCounted = (await readStock(table, rewardId)) !== undefined;
  const step: Step = [
    {
      kind: "remove",
      key: redemptionKey(userID, new Date(createdAt), redemptionId),
      when: { version },
    },
    { kind: "remove", key: redemptionPlaceKey(redemptionId) },
    ...(isCounted ? [returningPiece(rewardId)] : []),
  ];
  return write(table, step);
}
