import { saveExecution } from "../aws/execution-records.ts";
import { readProfile } from "../aws/profile-records.ts";
import type { Table } from "../aws/table.ts";
import type { Execution, ExecutionKind } from "../domain/execution.ts";

/** An order or a position of a user, as an engine reports it. */
export type ReportedExecution = { userID: string; kind: ExecutionKind; execution: Execution };

/** What became of a report: an older or equal version is `unchanged`. */
export type Recorded = "recorded" | "unchanged" | "unknown user";

/** Records the executions of one invocation, whose users are looked up once each. */
export function executionRecorder(table: Table, now: Date) {
  const known = new Map<string, Promise<boolean>>();
  const isKnown = (userID: string) => {
    const found = known.get(userID) ?? readProfile(table, userID).then((profile) => profile !== undefined);
    known.set(userID, found);
    return found;
  };

  return async (reported: ReportedExecution): Promise<Recorded> => {
    if (!(await isKnown(reported.userID))) return "unknown user";
    return (await saveExecution(table, { ...reported, now })) ? "recorded" : "unchanged";
  };
}
