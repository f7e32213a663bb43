import type { Table } from "../../table/table.ts";
import { changeReaderLease, readReaderLease } from "../items/reader-leases.ts";
import { readLane, readLanes, readOrder } from "../items/views.ts";
import { writeStep } from "../items/write-step.ts";
import type { Performers } from "./run-procedure.ts";

export const tableEffects = (table: Table) =>
  ({
    readLane: (ask) => readLane(table, ask),
    async beginLane({ take, ...ask }) {
      const [isTaken, view] = await Promise.all([writeStep(table, take), readLane(table, ask)]);
      return isTaken ? view : undefined;
    },
    readLanes: ({ chain, sinceMs }) => readLanes(table, chain, sinceMs),
    readReaderLease: ({ chain }) => readReaderLease(table, chain),
    changeReaderLease: (ask) => changeReaderLease(table, ask),
    readOrder: ({ userID, orderId }) => readOrder(table, userID, orderId),
    write: ({ step }) => writeStep(table, step),
  }) satisfies Performers;
