import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { type Execution, type ExecutionKind, expiryOf, idOf } from "../domain/execution.ts";
import { queryRange, type Table } from "./table.ts";
import { executionKey, executionsOf } from "./table-keys.ts";
import { writeIf } from "./writes.ts";

/** Returns false, without writing, if the table has the same or a later version. */
export async function saveExecution(
  table: Table,
  { userID, kind, execution, now }: { userID: string; kind: ExecutionKind; execution: Execution; now: Date },
): Promise<boolean> {
  const key = executionKey(userID, kind, idOf(execution));
  return writeIf(
    table,
    new PutCommand({
      TableName: table.name,
      Item: { ...key, ...execution, userID, expiresAt: expiryOf(execution, now) },
      ConditionExpression: "attribute_not_exists(PK) OR version < :version",
      ExpressionAttributeValues: { ":version": execution.version },
    }),
  );
}

/** The user's orders or positions: the open ones, and those that ended in the last week. */
export async function readExecutions(
  table: Table,
  userID: string,
  kind: ExecutionKind,
): Promise<Execution[]> {
  return queryRange<Execution>(table, executionsOf(userID, kind));
}
