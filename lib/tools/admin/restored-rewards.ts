import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { redemptionKey, redemptionPlaceKey } from "../../rewards/item-keys.ts";
import { readNewestLine } from "../../rewards/points-records.ts";
import type { Redemption } from "../../rewards/redemption.ts";
import { readStock, returningPiece } from "../../rewards/stock-records.ts";
import type { Step } from "../../table/step.ts";
import type { Table } from "../../table/table.ts";
import { write } from "../../table/write.ts";

type StoredItem = Record<string, AttributeValue>;

/**
 * Updates the points of a backup's profile. If the newest line of the live ledger is not in the backup, uses the points
 * after that line, so that spent points stay spent.
 */
export async function withNewestPoints(
  profile: StoredItem,
  { table, backup }: { table: Table; backup: Table },
): Promise<StoredItem> {
  const userID = profile.userID?.S;
  if (userID === undefined) return profile;
  const [live, saved] = await Promise.all([table, backup].map((each) => readNewestLine(each, userID)));
  if (live === undefined || live.number <= (saved?.number ?? 0)) return profile;
  return { ...profile, points: { N: String(live.points) } };
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
