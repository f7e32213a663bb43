import { itemKey, type Key, type KeyRange, rangeOf } from "../table/keys.ts";

export const catalogueKey: Key = itemKey("catalogue", {});

export const stockKey = (rewardId: string): Key => itemKey("stock", { rewardId });

export const redemptionPlaceKey = (redemptionId: string): Key => itemKey("redemptionPlace", { redemptionId });

export const pointsLineKey = (userID: string, number: number): Key =>
  itemKey("pointsLine", { userID, number: String(number).padStart(10, "0") });

/** The oldest first. */
export const pointsLinesOf = (userID: string): KeyRange => rangeOf("pointsLine", { userID });
