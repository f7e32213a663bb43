import type { Table } from "../../table/table.ts";
import { hasReader } from "../../trading/items/reader-leases.ts";

/** Starts a run of readMarkets without waiting for it. */
export type StartReader = (start: Record<never, never>) => Promise<void>;

/** True if a run of readMarkets is active and will see everything that was written until now. */
export const areMarketsRead = (table: Table): Promise<boolean> => hasReader(table, "markets");

/**
 * Starts a run of readMarkets unless one is active. Callers must write what they want first. A run that ends first
 * notes its end and then looks once more for anything wanted. So either that last look sees what the caller wrote, or
 * this call sees that the run has ended.
 */
export async function ensureMarketReader(table: Table, startReader: StartReader): Promise<void> {
  if (!(await areMarketsRead(table))) await startMarketReader(startReader);
}

/**
 * Starts a run of readMarkets, if the function exists. A deploy that switches markets on changes other functions first;
 * until it is complete, nothing starts, and a minute later the next sweep does.
 */
export async function startMarketReader(startReader: StartReader): Promise<void> {
  try {
    await startReader({});
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "ResourceNotFoundException") throw error;
  }
}
