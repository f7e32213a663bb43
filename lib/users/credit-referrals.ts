import type { Table } from "../table/table.ts";
import { creditReferral, forgetPendingReferral, pendingReferrals } from "./referral-records.ts";

/**
 * Credits the referrers of pending referrals, one after the other: those of one referrer would conflict.
 *
 * @param hasTime says whether to begin another one. The next run continues with those that are left.
 * @param onFault receives the error of each referral that failed. The next run tries it again.
 */
export async function creditReferrals(
  table: Table,
  { hasTime, onFault }: { hasTime: () => boolean; onFault: (error: unknown) => void },
): Promise<void> {
  for await (const referral of pendingReferrals(table)) {
    if (!hasTime()) return;
    try {
      await creditReferral(table, referral);
      await forgetPendingReferral(table, referral);
    } catch (error) {
      onFault(error);
    }
  }
}
