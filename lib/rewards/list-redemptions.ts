import { cursorAt, positionGiven } from "../core/cursor.ts";
import type { Table } from "../table/table.ts";
import { readOwnProfile } from "../users/profile-records.ts";
import type { Redemption } from "./redemption.ts";
import { readRedemptions } from "./redemption-records.ts";

/**
 * Lists a page of the user's redemptions, newest first, with the user's points.
 *
 * @throws {DomainError} INVALID_REQUEST if the cursor belongs to another list.
 */
export async function listRedemptions(
  table: Table,
  userID: string,
  { limit, cursor }: { limit: string; cursor?: string | undefined },
): Promise<{ redemptions: Redemption[]; points: number; cursor?: string }> {
  const list = ["redemptions", userID];
  const after = positionGiven(cursor, list);
  const [{ redemptions, end }, { points }] = await Promise.all([
    readRedemptions(table, userID, { limit: Number(limit), after }),
    readOwnProfile(table, userID),
  ]);
  return { redemptions, points, ...(end !== undefined && { cursor: cursorAt(end, list) }) };
}
