import type { Table } from "../../table/table.ts";
import { readReaderLease } from "../../trading/items/reader-leases.ts";
import { isRead } from "../../trading/procedures/reader-lease.ts";

/** Starts a run of readMarkets, without waiting for it. */
export type StartReader = (start: Record<never, never>) => Promise<void>;

/** True if a run of readMarkets will see everything that is written until now. */
export const areMarketsRead = async (table: Table): Promise<boolean> =>
  isRead(await readReaderLease(table, "markets"), Date.now());

/**
 * Starts a run of readMarkets unless there is one. A run that ends says so before it looks for somebody who needs it a last
 * time. So that need must be written before: then it is seen by that look, or the end is seen here.
 */
export async function ensureMarketReader(table: Table, startReader: StartReader): Promise<void> {
  if (!(await areMarketsRead(table))) await startReader({});
}
