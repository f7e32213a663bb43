import { createHash } from "node:crypto";
import { itemAt, itemKey, type Key, type KeyRange, newestFirst, rangeOf, sortKeysOf } from "../table/keys.ts";
import type { WindowName } from "../users/experience.ts";

export const catalogueKey: Key = itemKey("catalogue", {});

export const stockKey = (rewardId: string): Key => itemKey("stock", { rewardId });

export const redemptionKey = (userID: string, time: Date, redemptionId: string): Key =>
  itemKey("redemption", { userID, newestFirst: newestFirst(time), redemptionId });

/** Covers a user's redemptions, newest first. */
export const redemptionsOf = (userID: string): KeyRange => rangeOf("redemption", { userID });

export const everyRedemption = sortKeysOf("redemption");

export const isRedemption = (key: Key): boolean => itemAt(key) === "redemption";

export const redemptionPlaceKey = (redemptionId: string): Key => itemKey("redemptionPlace", { redemptionId });

export const pointsLineKey = (userID: string, number: number): Key =>
  itemKey("pointsLine", { userID, number: String(number).padStart(10, "0") });

/** Covers the changes of a user's points, oldest first. */
export const pointsLinesOf = (userID: string): KeyRange => rangeOf("pointsLine", { userID });

/** Number of partitions over which earned rows are spread. All rows of a user are in one of them. */
const earnedShards = 8;

function earnedShard(userID: string): number {
  const [byte = 0] = createHash("sha256").update(userID).digest();
  return byte % earnedShards;
}

/** @param id The id of the order that filled, or the digest of the orders that a share comes from. */
export const earnedKey = (userID: string, at: string, id: string): Key =>
  itemKey("earned", { shard: earnedShard(userID), time: at, id });

/** Covers the user's earned rows and those of others in the same shard, oldest first. */
export const earnedRowsWith = (userID: string): KeyRange => rangeOf("earned", { shard: earnedShard(userID) });

/** Covers the earned rows of each shard, oldest first. */
export const earnedRanges: readonly KeyRange[] = Array.from({ length: earnedShards }, (_, shard) =>
  rangeOf("earned", { shard }),
);

/** Names a user's standing in the period that began on the day `start`. */
export const standingKey = (window: WindowName, start: string, xp: number, userID: string): Key =>
  itemKey("standing", {
    window,
    start,
    mostFirst: String(Number.MAX_SAFE_INTEGER - xp).padStart(16, "0"),
    userID,
  });

/** Covers the standings of a period, those with the most XP first. */
export const standingsOf = (window: WindowName, start: string): KeyRange =>
  rangeOf("standing", { window, start });
