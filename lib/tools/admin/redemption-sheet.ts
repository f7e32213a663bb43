import { auditOf, type PointsLine } from "../../rewards/points.ts";
import { readPointsLines } from "../../rewards/points-records.ts";
import type { Redemption } from "../../rewards/redemption.ts";
import { readRedemptions } from "../../rewards/redemption-records.ts";
import type { Table } from "../../table/table.ts";
import type { Profile } from "../../users/profile.ts";
import { harmless } from "./terminal.ts";

/** Number of latest ledger lines and redemptions to show. */
const shownCount = 10;

/** A user's purchases, newest first. */
export async function readAllRedemptions(table: Table, userID: string): Promise<Redemption[]> {
  const all: Redemption[] = [];
  let after: string | undefined;
  do {
    const { redemptions, end } = await readRedemptions(table, userID, { limit: 1000, after });
    all.push(...redemptions);
    after = end;
  } while (after !== undefined);
  return all;
}

/** Latest changes of a user's points, their sum over all lines, and the latest redemptions. */
export async function readAccount(table: Table, { userID, points }: Profile) {
  const [lines, { redemptions }] = await Promise.all([
    readPointsLines(table, userID),
    readRedemptions(table, userID, { limit: shownCount }),
  ]);
  const { sum, missing } = auditOf(points, lines);
  return {
    ledger: lines.slice(-shownCount).toReversed().map(shownLine),
    /** Sum of all lines. It equals the points if the ledger is complete. */
    ledgerSum: sum,
    /** Numbers of missing ledger lines. */
    missingLines: missing,
    redemptions: redemptions.map(({ redemptionId, rewardId, name, cost, status, createdAt }) => {
      return { redemptionId, rewardId, name, cost, status, createdAt };
    }),
  };
}

const shownLine = ({ number, time, reason, change, points, redemptionId }: PointsLine) => ({
  number,
  time,
  reason,
  change,
  points,
  redemptionId: redemptionId ?? null,
});

type Account = Awaited<ReturnType<typeof readAccount>>;

export const accountSheet = (
  { ledger, ledgerSum, missingLines, redemptions }: Account,
  points: number,
): string[] => [
  "points ledger, newest first",
  ...ledger.map(({ time, reason, change, points, redemptionId }) =>
    `  ${time}  ${signed(change).padStart(9)} -> ${String(points).padStart(9)}  ${reason} ${redemptionId ?? ""}`.trimEnd(),
  ),
  ...(ledgerSum === points ? [] : [`  the lines add up to ${ledgerSum}, and the balance is ${points}`]),
  ...(missingLines.length === 0 ? [] : [`  missing lines: ${missingLines.join(", ")}`]),
  "redemptions, newest first",
  ...redemptions.map((redemption) => `  ${redemptionLine(redemption)}`),
];

const signed = (change: number) => (change < 0 ? `${change}` : `+${change}`);

type Line = Pick<Redemption, "redemptionId" | "createdAt" | "status" | "cost" | "rewardId" | "name">;

export const redemptionLine = ({ redemptionId, createdAt, status, cost, rewardId, name }: Line): string =>
  `${redemptionId}  ${createdAt}  ${status.padEnd(9)}  ${String(cost).padStart(7)}  ${rewardId}  ${harmless(name)}`;
