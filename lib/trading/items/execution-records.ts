import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { ExecutionKind } from "../../core/execution-words.ts";
import { type Item, queryPages, type Table } from "../../table/table.ts";
import { executionKey, executionsOf, listedExecutionKey } from "../../table/table-keys.ts";
import { transact } from "../../table/writes.ts";
import { type Execution, expiryOf, idOf, isOpen, maxShownAfterEnd, startOf } from "../core/execution.ts";

type Recorded = { userID: string; kind: ExecutionKind; execution: Execution; now: Date };

/** An order or a position as it is stored. The lane is that of an order placed here. */
type ExecutionItem = Item<Execution & { userID: string; lane?: string; expiresAt?: number | undefined }>;

/**
 * The items of an order or a position, which are written together: the one that streams show, and the one that lists show.
 * The latter is kept for good if it was placed here.
 *
 * @param lane The lane of what was placed here, which no other engine may write.
 */
export function executionItems({ userID, kind, execution, now, lane }: Recorded & { lane?: string }) {
  // The chain may still change the outcome of what was placed here, and then the record has to be there.
  const isFinal = lane === undefined || execution.settled === true;
  const expiresAt = isFinal ? expiryOf(execution, now) : undefined;
  const content = { ...execution, userID, ...(lane !== undefined && { lane }) };
  const shown: ExecutionItem = { ...executionKey(userID, kind, idOf(execution)), ...content, expiresAt };
  const listed: ExecutionItem = {
    ...listedKeyOf({ userID, kind, execution }, startOf(execution)),
    ...content,
    expiresAt: lane === undefined ? expiresAt : undefined,
  };
  return { shown, listed };
}

const listedKeyOf = ({ userID, kind, execution }: Omit<Recorded, "now">, start: string) =>
  listedExecutionKey(userID, kind, new Date(start), idOf(execution));

/** Each attempt meets another writer. */
const maxAttempts = 5;

/**
 * Saves what another engine reports, unless the table has the same or a later version, or it was placed here.
 *
 * @throws {Error} if others keep changing the record.
 */
export async function saveExecution(
  table: Table,
  recorded: Recorded,
): Promise<"recorded" | "unchanged" | "not yours"> {
  const { execution } = recorded;
  const { shown, listed } = executionItems(recorded);
  const start = "orderId" in execution ? "createdAt" : "openedAt";
  let known = startOf(execution);
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const isMoved = known !== startOf(execution);
    const written = await transact(table, [
      {
        Put: {
          TableName: table.name,
          Item: shown,
          ConditionExpression:
            "attribute_not_exists(PK) OR (version < :version AND #start = :start AND attribute_not_exists(lane))",
          ExpressionAttributeNames: { "#start": start },
          ExpressionAttributeValues: { ":version": execution.version, ":start": known },
        },
      },
      // What was placed here stays in lists when it is no longer shown.
      { Put: { TableName: table.name, Item: listed, ConditionExpression: "attribute_not_exists(lane)" } },
      // Its engine has corrected when it began, and so its place in lists.
      ...(isMoved ? [{ Delete: { TableName: table.name, Key: listedKeyOf(recorded, known) } }] : []),
    ]);
    if (written) return "recorded";
    const [stored, storedInList] = await Promise.all([shown, listed].map((item) => readItem(table, item)));
    if (stored?.lane !== undefined || storedInList?.lane !== undefined) return "not yours";
    if (stored !== undefined && stored.version >= execution.version) return "unchanged";
    if (stored !== undefined) known = startOf(stored);
  }
  throw new Error("Others keep changing the record");
}

/** An order or a position, until a week after its end. */
export async function readExecution(
  table: Table,
  userID: string,
  kind: ExecutionKind,
  id: string,
): Promise<ExecutionItem | undefined> {
  return await readItem(table, executionKey(userID, kind, id));
}

async function readItem(
  table: Table,
  { PK, SK }: Pick<ExecutionItem, "PK" | "SK">,
): Promise<ExecutionItem | undefined> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: { PK, SK }, ConsistentRead: true }),
  );
  return Item as ExecutionItem | undefined;
}

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

/** Those that expire last, since all of them expire the same time after their end. What is not final does not expire yet. */
function newest(ended: readonly ExecutionItem[]): ExecutionItem[] {
  const expiry = ({ expiresAt = Number.MAX_SAFE_INTEGER }: ExecutionItem) => expiresAt;
  return ended.toSorted((a, b) => expiry(b) - expiry(a)).slice(0, maxShownAfterEnd);
}
