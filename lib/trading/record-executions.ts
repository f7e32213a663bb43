import type { ExecutionKind } from "../core/execution-words.ts";
import { isOwnId } from "../core/record-ids.ts";
import { type Execution, idOf } from "../orders/execution.ts";
import type { Table } from "../table/table.ts";
import { readProfile } from "../users/profile-records.ts";
import { saveExecution } from "./items/execution-records.ts";

/** An order or a position of a user, as an execution engine reports it. */
export type ReportedExecution = { userID: string; kind: ExecutionKind; execution: Execution };

/**
 * Result of recording an execution. `unchanged`: the table has the same or a later version. `not yours`: the execution
 * was placed through this API, or its id looks as if it was.
 */
export type RecordOutcome = "recorded" | "unchanged" | "not yours" | "unknown user";

/** Makes the function that records the executions of one invocation. It looks up each user only once. */
export function executionRecorder(table: Table, now: Date) {
  const lookups = new Map<string, Promise<boolean>>();
  const isKnown = (userID: string) => {
    const found =
      lookups.get(userID) ??
      readProfile(table, userID).then((profile) => profile !== undefined && profile.deletedAt === undefined);
    lookups.set(userID, found);
    return found;
  };

  return async (reported: ReportedExecution): Promise<RecordOutcome> => {
    // Reserves the service's own ids, so that no other engine can take the id of a future order.
    if (isOwnId(idOf(reported.execution))) return "not yours";
    if (!(await isKnown(reported.userID))) return "unknown user";
    return saveExecution(table, { ...reported, now });
  };
}
