import type { Table } from "../aws/table.ts";
import { numbering } from "../aws/wallet-records.ts";
import { afterConflicts, writeIf } from "../aws/writes.ts";
import { numbered, type Wallet } from "../domain/wallet.ts";

/**
 * Gives a user's wallets of version 0.1 the slots that lists show for them, for good. It may be repeated, and others may do
 * the same meanwhile.
 *
 * @param all the user's wallets, retired ones included.
 * @returns how many got a slot.
 */
export async function numberWallets(table: Table, all: readonly Wallet[]): Promise<number> {
  const without = new Set(all.flatMap(({ _id, slot }) => (slot === undefined ? [_id] : [])));
  let count = 0;
  for (const wallet of numbered(all).filter(({ _id }) => without.has(_id)))
    if (await afterConflicts(() => writeIf(table, numbering(table, wallet)))) count++;
  return count;
}
