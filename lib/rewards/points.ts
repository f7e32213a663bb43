/** Maximum number of points that an operator can give or that a reward can cost. Up to this limit, sums are exact. */
export const maxPoints = 1e12;

/**
 * Reasons for changes of points. `opening` is the balance from the time before there was a ledger. `restored` corrects
 * a restored or recreated profile whose points differ from the newest line.
 */
export const pointsReasons = [
  "opening",
  "restored",
  "set",
  "redeemed",
  "refunded",
  "traded",
  "referred",
] as const;

/** A change of a user's points. A user's changes add up to the user's points. */
export type PointsLine = {
  userID: string;
  /** Number of the line in the user's ledger. Numbers start at 1 and have no gaps. */
  number: number;
  /** Time of the change, ISO 8601. */
  time: string;
  reason: (typeof pointsReasons)[number];
  change: number;
  /** Balance after the change. */
  points: number;
  redemptionId?: string;
  /** XP credited with the points. */
  xp?: number;
  /** Value of the user's own fills in millionths of a dollar, as text because it may exceed 2^53. */
  microDollars?: string;
  /** The orders that were credited. */
  orderIds?: string[];
  /** Digests of the orders of others whose shares were credited. */
  shares?: string[];
};

export type PointsChange = Omit<PointsLine, "userID" | "number" | "time" | "reason" | "points"> & {
  reason: Exclude<PointsLine["reason"], "opening" | "restored">;
};

/**
 * Builds the lines that a change of points adds to the ledger. If the newest line does not match the present points,
 * first adds a line that explains them.
 *
 * @param points the balance before the change.
 * @param newest the newest line so far. Undefined if the ledger is empty.
 */
export function nextLines(
  { userID, points }: Pick<PointsLine, "userID" | "points">,
  newest: Pick<PointsLine, "number" | "points"> | undefined,
  change: PointsChange,
  now: Date,
): PointsLine[] {
  const unexplained = points - (newest?.points ?? 0);
  const lines: Pick<PointsLine, "reason" | "change" | "points" | "redemptionId">[] = [];
  if (newest === undefined || unexplained !== 0)
    lines.push({ reason: newest ? "restored" : "opening", change: unexplained, points });
  lines.push({ ...change, points: points + change.change });
  const [before, time] = [newest?.number ?? 0, now.toISOString()];
  return lines.map((line, index) => ({ userID, number: before + index + 1, time, ...line }));
}

/** Adds up the lines, and finds the numbers of missing ones. The sum equals the balance unless something is wrong. */
export function auditOf(points: number, lines: readonly Pick<PointsLine, "number" | "change">[]) {
  const numbers = new Set(lines.map(({ number }) => number));
  const all = Array.from({ length: Math.max(0, ...numbers) }, (_, index) => index + 1);
  return {
    // Uses the balance if the ledger is empty, as it is before the first change.
    sum: lines.length === 0 ? points : lines.reduce((sum, { change }) => sum + change, 0),
    missing: all.filter((number) => !numbers.has(number)),
  };
}
