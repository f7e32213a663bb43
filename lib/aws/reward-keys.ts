import { endOf, type Key, type KeyRange, pointsPartition } from "./table-keys.ts";

/**
 * The part of the table's layout for rewards. A user's redemptions are in table-keys.ts, since they are published:
 *
 * | PK                 | SK                      | item                                                               |
 * | ------------------ | ----------------------- | ------------------------------------------------------------------ |
 * | CATALOGUE          | REWARDS                 | the rewards: one item, so that they change as a whole              |
 * | REWARD#rewardID    | STOCK                   | how many of a limited reward are left                              |
 * | REDEMPTIONS#userID | REDEMPTION#newest first | what a user has bought, kept for good                              |
 * | REDEMPTION#id      | PLACE                   | where the redemption with that id is; taken once for each id       |
 * | POINTS#userID      | LINE#number             | a change of the user's points, kept for good                       |
 *
 * Lines are numbered without gaps, whatever clocks say, so that one that is lost is missed.
 *
 * The stock is not in the catalogue: each sale would write up to 400 KB, and operators who replace the catalogue would put back
 * what was sold meanwhile.
 */
export const catalogueKey: Key = { PK: "CATALOGUE", SK: "REWARDS" };

export const stockKey = (rewardID: string): Key => ({ PK: `REWARD#${rewardID}`, SK: "STOCK" });

export const redemptionPlaceKey = (id: string): Key => ({ PK: `REDEMPTION#${id}`, SK: "PLACE" });

const LINE = "LINE#";

export const pointsLineKey = (userID: string, number: number): Key => ({
  PK: pointsPartition(userID),
  SK: LINE + String(number).padStart(10, "0"),
});

/** The oldest first. */
export const pointsLinesOf = (userID: string): KeyRange => ({
  PK: pointsPartition(userID),
  from: LINE,
  to: endOf(LINE),
});
