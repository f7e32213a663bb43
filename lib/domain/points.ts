import type { Profile } from "./profile.ts";

/** Why points change. `opening` is the balance from before there was a ledger. */
export const pointsReasons = ["opening", "set", "redeemed", "refunded"] as const;

/** A change of a user's points. A user's changes add up to the user's points. */
export type PointsLine = {
  userID: string;
  /** ISO 8601. */
  time: string;
  reason: (typeof pointsReasons)[number];
  change: number;
  /** The balance after it. */
  points: number;
  redemptionId?: string;
};

export type PointsChange = Pick<PointsLine, "change" | "redemptionId"> & {
  reason: Exclude<PointsLine["reason"], "opening">;
};

type Account = Pick<Profile, "userID" | "points" | "pointsLedgerSince">;

/**
 * What a change of points writes: attributes of the profile, and lines of the ledger. The first change of a user's points
 * opens the ledger.
 */
export function pointsChanged(
  { userID, points: before, pointsLedgerSince }: Account,
  change: PointsChange,
  now: Date,
): { attributes: Required<Pick<Profile, "points" | "pointsLedgerSince">>; lines: PointsLine[] } {
  const time = now.toISOString();
  const points = before + change.change;
  const opening = { userID, time, reason: "opening", change: before, points: before } as const;
  return {
    attributes: { points, pointsLedgerSince: pointsLedgerSince ?? time },
    lines: [...(pointsLedgerSince === undefined ? [opening] : []), { userID, time, ...change, points }],
  };
}
