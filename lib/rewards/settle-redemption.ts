import { retry } from "../table/retry.ts";
import type { Step } from "../table/step.ts";
import type { Table } from "../table/table.ts";
import { writeOnce } from "../table/write.ts";
import { readProfile } from "../users/profile-records.ts";
import { pointsWrites } from "./points-records.ts";
import { canBecome, changedTo, type Redemption } from "./redemption.ts";
import { changingRedemption, readRedemption } from "./redemption-records.ts";
import { readStock, returningPiece } from "./stock-records.ts";

/** A changed redemption, or the reason why it did not change. */
export type Settlement =
  | { outcome: "changed" | "unchanged" | "not allowed"; redemption: Redemption }
  | { outcome: "unknown" }
  | { outcome: "busy" };

/**
 * Maximum number of attempts. It is higher than for a purchase, because purchases of the same reward keep causing
 * conflicts.
 */
const maxAttempts = 20;

/**
 * Fulfils or refunds a redemption. A refund returns the points, and the piece unless it was handed out. Repeating a
 * call changes nothing.
 *
 * @returns the outcome "busy" if the items change during each attempt.
 */
export async function settleRedemption(
  table: Table,
  { redemptionId, status, now }: { redemptionId: string; status: "fulfilled" | "refunded"; now: Date },
): Promise<Settlement> {
  const settled = await retry(
    async (): Promise<Settlement | undefined> => {
      const redemption = await readRedemption(table, redemptionId);
      if (redemption === undefined) return { outcome: "unknown" };
      if (redemption.status === status) return { outcome: "unchanged", redemption };
      if (!canBecome(redemption, status)) return { outcome: "not allowed", redemption };
      const changed = changedTo(redemption, status, now);
      const isWritten = await writeOnce(table, [
        changingRedemption(redemption, changed),
        ...(status === "refunded" ? await refund(table, redemption, now) : []),
      ]);
      return isWritten ? { outcome: "changed", redemption: changed } : undefined;
    },
    { attempts: maxAttempts },
  );
  return settled ?? { outcome: "busy" };
}

async function refund(table: Table, redemption: Redemption, now: Date): Promise<Step> {
  const { redemptionId, userID, rewardId, cost, status, isLimited } = redemption;
  const [profile, stock] = await Promise.all([readProfile(table, userID), readStock(table, rewardId)]);
  const change = { reason: "refunded", change: cost, redemptionId } as const;
  return [
    // Skips the points of a deleted user, who has no balance.
    ...(profile ? await pointsWrites(table, profile, change, { now }) : []),
    ...(isLimited && status === "pending" && stock !== undefined ? [returningPiece(rewardId)] : []),
  ];
}
