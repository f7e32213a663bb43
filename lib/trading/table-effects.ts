import type { Table } from "../aws/table.ts";
import { writeStep } from "../aws/trading-steps.ts";
import { readLane, readLanes, readOrder } from "../aws/trading-views.ts";
import type { Performers } from "./run-procedure.ts";

export const tableEffects = (table: Table) =>
  ({
    readLane: ({ lane, day }) => readLane(table, lane, day),
    readLanes: ({ chain }) => readLanes(table, chain),
    readOrder: ({ userID, orderId }) => readOrder(table, userID, orderId),
    write: ({ step }) => writeStep(table, step),
  }) satisfies Performers;
