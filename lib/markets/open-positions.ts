import type { Position } from "../orders/execution.ts";
import type { Table } from "../table/table.ts";
import { readListed } from "../trading/items/listed-executions.ts";

/** Maximum number of open positions to read. Newer ones come first, so that only old ones are left out. */
const mostOpen = 100;

/** Reads the open positions of a user with one Query. */
export async function openPositions(table: Table, userID: string): Promise<Position[]> {
  const filter = { status: ["open", "partially_filled"] };
  const of = { userID, kind: "position" } as const;
  return (await readListed<Position>(table, of, { filter, limit: mostOpen })).executions;
}
