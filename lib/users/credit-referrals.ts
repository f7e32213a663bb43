import type { Table } from "../table/table.ts";
import { creditReferral, forgetPendingReferral, pendingReferrals } from "./referral-records.ts";

/**
 * Credits the referrers of pending referrals one at a time, because concurrent credits of one referrer would conflict.
 *
 * @param hasTime returns true if there is time to begin another referral. The next run continues with the rest.
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
