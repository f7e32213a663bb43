import { PutCommand } from "@aws-sdk/lib-dynamodb";
import {
  type Execution,
  type ExecutionKind,
  expiryOf,
  idOf,
  isOpen,
  maxShownAfterEnd,
} from "../domain/execution.ts";
import { type Item, queryPages, type Table } from "./table.ts";
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

type ExecutionItem = Item<Execution & { expiresAt?: number }>;

/**
 * The user's orders or positions, by id: the open ones, and of those that ended in the last week the newest. A busy trader
 * has tens of thousands of these, so at no time are many more in memory than are returned.
 */
export async function readExecutions(
  table: Table,
  userID: string,
  kind: ExecutionKind,
): Promise<Execution[]> {
  const open: ExecutionItem[] = [];
  let ended: ExecutionItem[] = [];
  for await (const page of queryPages<ExecutionItem>(table, executionsOf(userID, kind))) {
    open.push(...page.filter(isOpen));
    ended.push(...page.filter((execution) => !isOpen(execution)));
    if (ended.length > 2 * maxShownAfterEnd) ended = newest(ended);
  }
  return [...open, ...newest(ended)].toSorted((a, b) => (a.SK < b.SK ? -1 : 1));
}

/** Those that expire last, since all of them expire the same time after their end. */
function newest(ended: readonly ExecutionItem[]): ExecutionItem[] {
  return ended.toSorted((a, b) => (b.expiresAt ?? 0) - (a.expiresAt ?? 0)).slice(0, maxShownAfterEnd);
}
