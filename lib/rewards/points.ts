/** The most points that an operator can give, and that a reward can cost. Sums of them stay exact. */
export const maxPoints = 1e12;

/**
 * Why points change. `opening` is the balance from before there was a ledger; `restored` is the difference of a profile that was
 * put back, or made again, with other points than the newest line says.
 */
export const pointsReasons = ["opening", "restored", "set", "redeemed", "refunded"] as const;

/** A change of a user's points. A user's changes add up to the user's points. */
export type PointsLine = {
  userID: string;
  /** From 1, without gaps. */
  number: number;
  /** ISO 8601. */
  time: string;
  reason: (typeof pointsReasons)[number];
  change: number;
  /** The balance after it. */
  points: number;
  redemptionId?: string;
};

export type PointsChange = Pick<PointsLine, "change" | "redemptionId"> & {
  reason: Exclude<PointsLine["reason"], "opening" | "restored">;
};

/**
 * The lines that a change of points adds to the ledger. Before it comes one for points that no line explains.
 *
 * @param points before the change.
 * @param newest the newest line so far. Absent: the ledger is empty.
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

/** What the lines add up to, which is the balance unless something is wrong, and the numbers of missing lines. */
export function auditOf(points: number, lines: readonly Pick<PointsLine, "number" | "change">[]) {
  const numbers = new Set(lines.map(({ number }) => number));
  const all = Array.from({ length: Math.max(0, ...numbers) }, (_, index) => index + 1);
  return {
    // Before the first change, there is no ledger.
    sum: lines.length === 0 ? points : lines.reduce((sum, { change }) => sum + change, 0),
    missing: all.filter((number) => !numbers.has(number)),
  };
}
