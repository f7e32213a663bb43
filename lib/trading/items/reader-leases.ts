import type { Effects } from "../../orders/effects.ts";
import type { ReaderLease, ReaderOf } from "../../orders/table-step.ts";
import { type Item, queryRange, type Table, withoutKey } from "../../table/table.ts";
import { write } from "../../table/write.ts";
import { isRead } from "../procedures/reader-lease.ts";
import { readerKey, readerLeaseOf } from "./keys.ts";

/** Reads a lease consistently. Uses a query, because readChains has no right to read single items. */
export async function readReaderLease(table: Table, chain: ReaderOf): Promise<ReaderLease | undefined> {
  const [item] = await queryRange<Partial<ReaderLease>>(table, readerLeaseOf(chain));
  return item?.epoch === undefined ? undefined : withoutKey(item as Item<ReaderLease>);
}

/** True if a run is active, and will see everything that was written until now. */
export const hasReader = async (table: Table, chain: ReaderOf): Promise<boolean> =>
  isRead(await readReaderLease(table, chain), Date.now());

/** Changes a lease. If no condition is given, creates it if needed. */
export async function changeReaderLease(
  table: Table,
  { chain, when, set }: Effects["changeReaderLease"]["ask"],
): Promise<boolean> {
  return write(table, {
    kind: "change",
    key: readerKey(chain),
    set,
    when: when ?? ["absent", { epoch: undefined }],
  });
}
