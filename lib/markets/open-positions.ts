import type { Position } from "../orders/execution.ts";
import type { Table } from "../table/table.ts";
import { readListed } from "../trading/items/listed-executions.ts";

/** Newer positions come first, so those that are left out are old. */
const mostOpen = 100;

/** Reads the open positions of a user, by one Query. */
export async function openPositions(table: Table, userID: string): Promise<Position[]> {
  const filter = { status: ["open", "partially_filled"] };
  const of = { userID, kind: "position" } as const;
  return (await readListed<Position>(table, of, { filter, limit: mostOpen })).executions;
}
